package data

import (
	"errors"
	"fmt"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/uci"
)

// Kinds of sources.
const (
	LC0     = "lc0"     // training data of Leela Chess Zero
	Parquet = "parquet" // sample files
	PGN     = "pgn"     // games
	Engine  = "engine"  // games of an engine against itself
	Run     = "run"     // samples of another run
)

// Policy targets for games: the move played, or the best move of the labeling engine.
const (
	Played     = "played"
	EngineMove = "engine"
)

// Config, together with the contents of the files and the seed, determines the positions.
// Its tags define the keys of experiment files, see package config.
type Config struct {
	Kind string `key:"kind" enum:"lc0 parquet pgn engine run" flags:"required" doc:"Source of the positions. lc0: training data of Leela Chess Zero (V6). parquet: samples of alamos, or ChessMarro's files of 77 integers. pgn: games. engine: games of a UCI engine against itself. run: the samples of another run of alamos, so that another network learns from the same games."`

	// Files are sorted by name, without duplicates. Each pattern of [filepath.Glob] must
	// match something.
	Files []string `key:"files" want:"the path of a file, or a pattern with * and ?" ext:"*" flags:"required single" min:"1" when:"kind=lc0 parquet pgn" doc:"Files, or patterns with * and ?, relative to the folder of the experiment file. Their contents decide results, their location does not."`

	// Test names files as Files does. [Open] ignores it.
	Test []string `key:"test" want:"the path of a file, or a pattern with * and ?" ext:"*" flags:"single" absent:"games held out of training" when:"kind=lc0 parquet pgn" doc:"Files, or patterns, that nothing is learned from: the accuracy of an evaluation is that of all their games, instead of games held out of training."`

	// Run and Generations name sample files, with which whoever knows the run replaces them: [Open]
	// needs files.
	Run         string `key:"run" want:"the name of a run or of a trial of it, as in tiny or quickstart/2" flags:"required" when:"kind=run" doc:"The run that made the samples, in the same folder of results. It needs the same input and policy. Their contents decide results, its name does not."`
	Generations int    `key:"generations" default:"all" range:"1.." words:"all=0" unit:"generations" when:"kind=run" doc:"How many of its last generations."`

	Player Player `key:"engine" flags:"required" when:"kind=engine" doc:"The engine that plays the games."`

	// With Games set, every pass reads the files in name order.
	Games int `key:"games" range:"1.." unit:"games" when:"kind=engine" flags:"required" doc:"Number of games in each chunk."`
	_     int `key:"games" range:"1.." unit:"games" when:"kind=lc0 parquet pgn run" absent:"all" doc:"Maximum number of games to read, in the order of the file names."`

	// Positions is 0 for all. Otherwise they are drawn uniformly.
	Positions int `key:"positions" default:"all" range:"1.." words:"all=0" unit:"positions" doc:"Number of positions sampled from each game."`

	// Chunk is 0 for a whole pass. Positions from playing games out do not count.
	Chunk int `key:"chunk" default:"200000" range:"1.." words:"all=0" unit:"positions" when:"kind=lc0 parquet pgn run" doc:"Number of positions for each generation. A chunk ends with the game that reaches it; a last chunk of less than a quarter of that is part of the one before; all is everything in the files. After the last chunk, the files are read again, in another order and with other samples."`

	Shuffle int `key:"shuffle" default:"50000" range:"0..100000000" unit:"positions" doc:"Size of the shuffle buffer: positions that are neighbors in a file end up this far apart on average. 0 keeps their order."`

	// Policy is Played (also if empty) or EngineMove.
	Policy string `key:"policy" default:"played" enum:"played engine" when:"kind=pgn engine" doc:"Target of the policy: the move that was played, or the best move of the engine in label, or the priors of its network. lc0 and parquet contain targets of their own."`

	// Label, if not nil, is the engine or network that evaluates the positions. Without it, a game
	// without a result (*) gives no positions.
	Label *Label `key:"label" flags:"optional" when:"kind=pgn engine" doc:"Engine or network that evaluates every position. The value target is the expected score of the engine, from its win, draw and loss odds or else from its centipawns, or the value of the network. If absent, the target is the result of the game."`

	// SkipBroken skips and counts broken games. In lc0 data these are damaged chunks, the
	// chunk at which a tar is truncated, and, if there are several files, files that do not
	// begin like a chunk. A chunk with damaged records counts toward Games, because it is
	// read before the damage is known. Other broken games do not count.
	SkipBroken bool `key:"broken" default:"error" enum:"error skip" when:"kind=pgn lc0" doc:"What happens when a game (in lc0 data a chunk) cannot be read: error ends the run, skip counts it and continues. skip also applies to a truncated tar file."`

	Variant chess.Variant

	// Start lists the start positions of an engine's games, in the syntax of
	// [chess.ParseStarts]. Empty means the variant's start position.
	Start []string

	// Continued says that the targets include what followed a position in its game: the reply
	// of the opponent or, Future plies later, the board. A file that does not have it is then
	// an error.
	Continued bool
	Future    int

	// Results says that the targets include values or plies left. A position whose file has
	// no result is then an error.
	Results bool
}

// Player is an engine that plays games against itself.
type Player struct {
	UCI         string `key:"uci" want:"the name of a UCI engine" flags:"required" doc:"The engine that plays both sides, by its name on the PATH."`
	uci.Limit   `keys:"depth nodes" oneof:"depth nodes"`
	Options     map[string]string `key:"options" doc:"UCI options, such as Skill Level: 3."`
	RandomPlies int               `key:"random_plies" default:"8" range:"0..1000" unit:"plies" doc:"Number of random legal moves at the start of a game. These positions are not training samples."`

	Command uci.Command // UCI with Options, as found on this machine
}

// Label is an engine or a network that evaluates positions. Of an engine, the Value and Draw of a
// [Position] are its expected score and draw probability, from the win, draw and loss of its last
// exact score, or of a bound if it reports no exact score. For an engine without win, draw and loss,
// [uci.Score.Expected] converts its centipawns to
//
//	2 / (1 + exp(-0.00368208 cp)) - 1
//
// and Draw is 1 - |Value|. The same holds for a network that predicts no draws.
type Label struct {
	_ struct{} `oneof:"model"`

	Model     string `key:"model" ext:".safetensors .pb.gz" pattern:"^[^@]+@.+$|\\.safetensors$|\\.pb\\.gz$" want:"RUN@GENERATION, as in tiny@3 or quickstart/2@last, or the path of a .safetensors or .pb.gz file" doc:"A network that evaluates positions without search, in its own encoding: a checkpoint of another run, such as tiny@3, or a file relative to the folder of the experiment file, also a weight file of Leela Chess Zero (.pb.gz)."`
	UCI       string `key:"uci" want:"the name of a UCI engine" flags:"required" when:"!model" doc:"The engine that evaluates positions, by its name on the PATH."`
	uci.Limit `keys:"depth nodes" oneof:"depth nodes"`
	Options   map[string]string `key:"options" when:"!model" doc:"UCI options, such as Skill Level: 3."`

	// Finish, if not zero, plays out unfinished games, which gives more positions.
	Finish uci.Limit `key:"finish" when:"!model" flags:"optional" keys:"depth nodes" oneof:"depth nodes" doc:"Search limit with which the engine plays out games that ended early (by resignation, agreement, time or abandonment), which then count by the result on the board. If absent, they count as they ended."`

	// Advance is the order of the minimax paper's program, which makes the planes after it
	// has played the engine's move.
	Advance bool `key:"advance" when:"!model" default:"false" doc:"Whether the sample is the position after the engine's best move, with the evaluation of the position before it, as in the program of the minimax paper. It needs network.policy: none."`

	Command uci.Command // UCI with Options, as found on this machine
	Network Network     `json:"-"` // Model
}

// Network opens a network, which has an encoding of its own.
type Network func() (*nn.Model, encode.Codec, error)

// HasTest reports whether there are files that nothing is learned from. c may be nil: no data.
func (c *Config) HasTest() bool { return c != nil && len(c.Test) > 0 }

// Check returns an error if the configuration is contradictory or incomplete. It reads no
// file and starts no engine.
func (c *Config) Check() error {
	if err := config.Check("data", c); err != nil {
		return err
	}
	files := c.Kind == LC0 || c.Kind == Parquet || c.Kind == PGN
	games := c.Kind == PGN || c.Kind == Engine
	fault := func(format string, args ...any) error { return fmt.Errorf("data: "+format, args...) }
	switch {
	case c.Kind == "":
		return errors.New("data.kind: missing")
	case files && len(c.Files) == 0:
		return fault("kind %s needs files", c.Kind)
	case !files && len(c.Files) > 0:
		return fault("kind %s has no files", c.Kind)
	case c.Kind == LC0 && c.Variant != chess.Standard:
		return fault("lc0's data is of chess, not of %s", c.Variant)
	case c.Kind == Engine && c.Games < 1:
		return fault("kind engine needs games, the number of games of a chunk")
	case c.Kind == Engine && c.Chunk != 0:
		return fault("kind engine has games instead of chunk")
	case c.Kind != Engine && len(c.Start) > 0:
		return fault("start positions are for kind engine: games in files have their own")
	case c.Policy == EngineMove && !games:
		return fault("policy %s is for games: kind %s has targets of its own", EngineMove, c.Kind)
	case c.Policy == EngineMove && c.Label == nil:
		return fault("policy %s needs an engine that labels", EngineMove)
	case c.Label != nil && !games:
		return fault("an engine labels games: kind %s has values of its own", c.Kind)
	case c.SkipBroken && c.Kind != PGN && c.Kind != LC0:
		return fault("only games in PGN and lc0's chunks can be skipped when they are broken")
	}
	if c.Kind == Engine {
		if err := checkEngine("the engine that plays", c.Player.Limit, c.Player.Command); err != nil {
			return err
		}
	}
	if c.Label != nil && c.Label.Model == "" {
		return checkEngine("the engine that labels", c.Label.Limit, c.Label.Command)
	}
	return nil
}

func checkEngine(what string, limit uci.Limit, command uci.Command) error {
	switch {
	case limit == uci.Limit{}:
		return fmt.Errorf("data: %s needs a limit: depth or nodes", what)
	case command.Path == "":
		return fmt.Errorf("data: %s is not named", what)
	}
	for _, s := range command.Settings {
		if strings.EqualFold(s.Name, threadsOption) && s.Value != "1" {
			return fmt.Errorf("data: option %s of %s is %s: want 1, because results with more threads differ from run to run; alamos starts several processes instead", s.Name, what, s.Value)
		}
	}
	return nil
}
