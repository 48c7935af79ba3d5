package data

import (
	"fmt"
	"math"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// The kinds of sources.
const (
	LC0     = "lc0"     // training data of Leela Chess Zero
	Parquet = "parquet" // sample files
	PGN     = "pgn"     // games
	Engine  = "engine"  // games of an engine against itself
)

// What a policy learns from games: the move that was played, or the best move of
// the engine that labels.
const (
	Played     = "played"
	EngineMove = "engine"
)

// Config is what decides the positions, with the contents of the files and the
// seed.
type Config struct {
	Kind    string // LC0, Parquet, PGN or Engine
	Variant chess.Variant

	// Files are patterns of [filepath.Glob]. What they match is sorted by name,
	// doubles dropped; each must match something.
	Files []string

	// Start is where the games of an engine begin, in the words of
	// [alamos/pkg/start.Parse]; empty: at the start of the variant.
	Start []string

	// Positions is how many are drawn of each game, all with the same chance; of a
	// shorter game all. 0: all of every game.
	Positions int

	// Chunk is the number of positions of a chunk, which ends with the game that
	// reaches it. Positions that come from playing games out are not counted. 0: a
	// pass is one chunk. An engine's games have Games instead.
	Chunk int

	// Games is the number of games of a chunk of an engine's. For the other kinds
	// it is how many games a pass has at most, 0 for all of them: the first ones, in
	// the order of the files, which is then the order of every pass.
	Games int

	// Shuffle is the size of the shuffle buffer in positions. 0 or 1: positions
	// stay in order.
	Shuffle int

	// Policy is Played, which is what "" means, or EngineMove. The other kinds than
	// PGN and Engine have policy targets of their own.
	Policy string

	// Player plays the games of kind Engine.
	Player Player

	// Label, when not nil, gives the positions of games their values, for PGN and
	// Engine. Without it the value is the result, and a game that has none (*) gives
	// no positions.
	Label *Label

	// Results says that values or plies left are to be learned: a position of which its
	// file tells no result is an error.
	Results bool

	// SkipBroken passes over games in PGN that cannot be read, or are of another
	// variant, and lc0's chunks that are damaged, the one in which a tar is cut off and
	// files of several that begin like no chunk among them, and counts them. Otherwise
	// they are errors. Of those that are passed over a chunk whose records are damaged
	// counts as a game of Games, for it is read before that is known; no other does.
	SkipBroken bool
}

// Limit says how far an engine thinks about a move. Zero fields are no limit.
type Limit struct {
	Depth int // plies
	Nodes int64
}

func (l Limit) uci() uci.Limit { return uci.Limit{Depth: l.Depth, Nodes: l.Nodes} }

// Player is an engine that plays games against itself.
type Player struct {
	Command     uci.Command
	Limit       Limit
	RandomPlies int // random legal moves before the game
}

// Label is an engine that values positions: Value and Draw of a [Position] are
// what it expects, from the win, draw and loss of the last exact score that it tells, or
// of a bound where it tells nothing else; of an engine that tells none they are what [uci.Score.Expected] makes of its centipawns,
//
//	2 / (1 + exp(-0.00368208 cp)) - 1
//
// and what that leaves for draws.
type Label struct {
	Command uci.Command
	Limit   Limit

	// Finish, if not zero, has the engine play out games that are not over by the
	// rules when their moves end: resigned, agreed drawn, lost on time or broken
	// off. Its moves give positions like the others.
	Finish Limit
}

// Check returns an error where the configuration contradicts itself or is not
// complete. It looks at no file and starts no engine.
func (c *Config) Check() error {
	files := c.Kind == LC0 || c.Kind == Parquet || c.Kind == PGN
	games := c.Kind == PGN || c.Kind == Engine
	type check struct {
		ok   bool
		text string
		args []any
	}
	checks := []check{
		{files || c.Kind == Engine, "kind is %q: want one of %s", []any{c.Kind, strings.Join([]string{LC0, Parquet, PGN, Engine}, ", ")}},
		{!files || len(c.Files) > 0, "kind %s needs files", []any{c.Kind}},
		{files || len(c.Files) == 0, "kind %s has no files", []any{c.Kind}},
		{c.Kind != LC0 || c.Variant == chess.Standard, "lc0's data is of chess, not of %s", []any{c.Variant}},
		{c.Positions >= 0, "positions is %d: want all or at least 1", []any{c.Positions}},
		{c.Chunk >= 0, "chunk is %d: want all or at least 1", []any{c.Chunk}},
		{c.Games >= 0, "games is %d: want at least 1, or 0 for all", []any{c.Games}},
		{c.Shuffle >= 0, "shuffle is %d: want at least 0", []any{c.Shuffle}},
		{c.Kind != Engine || c.Games >= 1, "kind engine needs games, the number of games of a chunk", nil},
		{c.Kind != Engine || c.Games <= math.MaxInt32, "games is %d: want at most 2147483647", []any{c.Games}},
		{c.Kind != Engine || c.Chunk == 0, "kind engine has games instead of chunk", nil},
		{c.Kind == Engine || len(c.Start) == 0, "start positions are for kind engine: games in files have their own", nil},
		{c.Policy == "" || c.Policy == Played || c.Policy == EngineMove, "policy is %q: want %s or %s", []any{c.Policy, Played, EngineMove}},
		{c.Policy != EngineMove || games, "policy %s is for games: kind %s has targets of its own", []any{EngineMove, c.Kind}},
		{c.Policy != EngineMove || c.Label != nil, "policy %s needs an engine that labels", []any{EngineMove}},
		{c.Label == nil || games, "an engine labels games: kind %s has values of its own", []any{c.Kind}},
		{!c.SkipBroken || c.Kind == PGN || c.Kind == LC0, "only games in PGN and lc0's chunks can be passed over when they are broken", nil},
	}
	limit := func(name string, l Limit, needed bool) {
		checks = append(checks,
			check{l.Depth >= 0 && l.Nodes >= 0, "%s: depth %d, nodes %d: want numbers of at least 1", []any{name, l.Depth, l.Nodes}},
			check{!needed || l != Limit{}, "%s needs a limit: depth or nodes", []any{name}})
	}
	if c.Kind == Engine {
		limit("the engine", c.Player.Limit, true)
		checks = append(checks,
			check{c.Player.Command.Path != "", "kind engine needs an engine", nil},
			check{c.Player.RandomPlies >= 0, "random plies is %d: want at least 0", []any{c.Player.RandomPlies}})
	}
	if c.Label != nil {
		limit("the engine that labels", c.Label.Limit, true)
		limit("the engine that plays games out", c.Label.Finish, false)
		checks = append(checks, check{c.Label.Command.Path != "", "labels need an engine", nil})
	}
	for _, x := range checks {
		if !x.ok {
			return fmt.Errorf("data: "+x.text, x.args...)
		}
	}
	commands := []uci.Command{c.Player.Command}
	if c.Label != nil {
		commands = append(commands, c.Label.Command)
	}
	for _, command := range commands {
		for _, s := range command.Settings {
			if strings.EqualFold(s.Name, threadsOption) && s.Value != "1" {
				return fmt.Errorf("data: the engine's option %s is %s: want 1, for with more its answers differ from run to run; several processes are started instead", s.Name, s.Value)
			}
		}
	}
	return nil
}
