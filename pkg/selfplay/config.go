package selfplay

import (
	"fmt"
	"sync/atomic"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// Config describes a generation of games. Its tags define the keys of experiment files, see
// package config.
type Config struct {
	// Games are numbered from 0.
	Games       int         `key:"games" default:"250" range:"1..100000000" unit:"games" doc:"Number of games in each generation."`
	Temperature Temperature `key:"temperature" doc:"How a move is selected from the visit counts."`
	Opening     Opening     `key:"opening" doc:"Start positions of the games. Different starts make the games more diverse."`
	PlayoutCap  PlayoutCap  `key:"playout_cap" flags:"optional" doc:"Playout cap randomization (KataGo): only a fraction of the moves gets a full search and becomes a training sample. The others get few visits and no noise, so that more games are played. If absent, every move gets a full search."`
	Decided     Decided     `key:"decided" flags:"optional" doc:"Shorter searches and fewer samples in decided games (KataGo): instead of resigning, the players finish a won game cheaply, so that the network still sees how such games end. If absent, every full search has the same visits."`
	// See repeat and Root.KL.
	Surprise float64 `key:"surprise" default:"0" range:"0..1" doc:"Policy surprise weighting (KataGo uses 0.5): the fraction of a game's samples that is distributed in proportion to the Kullback-Leibler divergence of the search's policy from the priors, by repeating and omitting samples. 0 means one sample for each position."`
	// ValueMix keeps the draw probability of the result, 1 or 0, as far as the mixed value
	// allows.
	ValueMix float64 `key:"value_mix" default:"0" range:"0..1" doc:"Fraction of the search's value in the value target. The rest is the result of the game."`
	// SearchValue is root if empty.
	SearchValue string `key:"search_value" default:"root" enum:"root best" doc:"The search's value in the value target: root is the mean of all visits, best is the value of the best move, which leaves out what the exploration of other moves cost (root_q and best_q of Leela Chess Zero)."`
	// LongGames is draw if empty.
	LongGames string `key:"long_games" default:"draw" enum:"draw search discard" doc:"What becomes of a game that reaches game.max_moves. draw counts it as a draw; search keeps its positions with the search's values as value targets (and its draws, if the network predicts them), since the result is not known; discard plays another game instead, and loses the work."`
	// Lag is for the caller, who chooses the network.
	Lag int `key:"lag" default:"0" range:"0..100" unit:"generations" doc:"Age of the network that plays. 0 means that generation g plays with the network of generation g-1, so that games wait for training and training for games. With 1 it plays with that of generation g-2, so that its games are played while generation g-1 is trained; that pays where the two have machines of their own, such as a GPU and the workers of a hub. The first generations play with the untrained network. Asynchronous systems such as AlphaZero and KataGo have a lag that varies; here it is fixed, so that a run can be repeated."`
	// PGN is for the caller, who keeps the games.
	PGN    int          `key:"pgn" default:"all" range:"1.." words:"all=0" unit:"games" doc:"Number of games of each generation that are kept in PGN, the first ones: of tens of thousands of games nobody replays all. Scripts that measure games see only these, and opening.fork_share and training.value_target need all. Samples are of all games."`
	Script *config.File `key:"adjudicate" ext:".go" doc:"Go script that can end a game early and determines its result."`

	Variant chess.Variant

	// Start lists the start positions, in the syntax of [chess.ParseStarts]. Empty means
	// the variant's start position.
	Start []string

	Search search.Config

	// MaxMoves is the maximum length in full moves from the start of the game; see
	// LongGames. 0: no limit.
	MaxMoves int

	// Future is the number of plies after which samples show the board again, see
	// [encode.Codec.Continue]; 0: never.
	Future int

	// Forks are the games that Opening.ForkShare forks, each of at least one move.
	Forks []Fork

	// Adjudicate, if not nil, calls Script, which may end a game before the rules do. It is
	// called after every move of an unfinished game with the record so far, which has no
	// outcome. It returns chess.Unfinished if the game continues. Many goroutines call it
	// at once, and it must not retain the record. An error ends all games.
	Adjudicate func(*Record) (chess.Result, error)

	// Seed determines all randomness of this generation.
	Seed uint64

	// Todo, if not nil, delivers the numbers of the games to play, in place of all. It does not
	// change these games. Its capacity limits the number of games that are played at once. Play
	// waits for numbers until it is closed.
	Todo <-chan int

	// Parallel is the number of games that a worker plays at once, and so its batch size.
	// 0: all games, divided evenly among the workers. It changes speed and memory but not
	// the games.
	Parallel int

	// Evaluations, if not nil, counts the evaluated positions during play.
	Evaluations *atomic.Int64
}

// Temperature defines how a move is drawn from the visits of the root's moves: with
// probability proportional to visits^Power during the first Plies plies of a game, and
// visits^Then afterwards. Plies 0: Power for the whole game. Power is 1/temperature, and
// math.Inf(1) selects the most visited move.
type Temperature struct {
	Power float64 `key:"power" default:"1" range:">0..1000" words:"max=inf" doc:"Exponent of the visit counts, which is 1/temperature: a move is drawn with probability proportional to visits^power. max plays the most visited move."`
	Plies int     `key:"plies" default:"0" range:"0..10000" unit:"plies" doc:"Length of the phase at the start of a game in which power applies. 0 means the whole game."`
	Then  float64 `key:"then" default:"max" range:">0..1000" words:"max=inf" doc:"Exponent after that phase."`
}

// at returns the power at a ply, counted from 0.
func (t Temperature) at(ply int) float64 {
	if t.Plies > 0 && ply >= t.Plies {
		return t.Then
	}
	return t.Power
}

// PlayoutCap divides the searches into full and fast ones (playout cap randomization: Wu
// 2019, Accelerating Self-Play Learning in Go, section 3.1). The value needs many games and
// the policy needs long searches. So most moves use fast searches, and only positions with
// full searches become samples. A search is full with probability Full, drawn from the
// game's random numbers. Fast searches have Visits instead of the visits of Config.Search
// and do not explore (see [search.Tree.SetExploring]). They keep visits of the search before
// (search.tree_reuse). Full searches begin with an empty tree, as in KataGo, so that their
// targets count no visit that was made without exploration. Visits 0: all searches are full.
type PlayoutCap struct {
	Full   float64 `key:"full" default:"0.25" range:">0..1" doc:"Probability that a move gets a full search. Full searches keep no visits of the search before, which had no noise."`
	Visits int     `key:"visits" default:"20" range:"1..10000000" unit:"visits" doc:"Visits of the root in the other searches, including those kept from the previous search unless search.fresh_visits is true."`
}

// Decided shortens full searches while a game is decided: KataGo's reduceVisits. Let x be the
// least value, from the view of the same side, of the searches of the last Plies plies. If x
// is above Value, r = ((x - Value) / (1 - Value))^2 is the part of the reduction that applies:
// a full search has Visits at r = 1 and those of Config.Search at r = 0, and its sample is
// written with a probability between Weight and 1. Visits 0: no game is decided.
type Decided struct {
	Value  float64 `key:"value" default:"0.9" range:">0..<1" doc:"Value beyond which a game counts as decided, from 0 for even to 1 for won. The reduction grows with the square of the distance from here to 1."`
	Plies  int     `key:"plies" default:"3" range:"1..1000" unit:"plies" doc:"Number of consecutive plies whose searches must agree on that."`
	Visits int     `key:"visits" default:"50" range:"1..10000000" unit:"visits" doc:"Visits of a full search at value 1. KataGo reduces 600 to 100."`
	Weight float64 `key:"weight" default:"0.1" range:"0..1" doc:"Probability that a position becomes a sample at value 1."`
}

// reduction returns the part of the reduction that applies after searches with these values,
// each from the view of its side to move.
func (d *Decided) reduction(values []float32) float64 {
	if d.Visits == 0 || len(values) < d.Plies {
		return 0
	}
	lowest, highest := 1.0, -1.0 // from the view of the side that moves after an even number of plies
	for i, v := range values[len(values)-d.Plies:] {
		x := float64(v)
		if i%2 == 1 {
			x = -x
		}
		lowest, highest = min(lowest, x), max(highest, x)
	}
	beyond := max(0, (max(lowest, -highest)-d.Value)/(1-d.Value))
	return beyond * beyond
}

// The values of Config.SearchValue and Config.LongGames that are not their defaults.
const (
	bestValue        = "best"
	searchLongGames  = "search"
	discardLongGames = "discard"
)

// HasResult reports whether an outcome is a result that the value can learn from. A game that
// reached the move limit has none if LongGames keeps the search's values.
func (c *Config) HasResult(o chess.Outcome) bool {
	return o.Reason != chess.MoveLimit || c.LongGames != searchLongGames
}

// MeanVisits returns the average number of visits of a search in games that are not decided.
func (c *Config) MeanVisits() float64 {
	full, most := c.FullShare(), c.Search.Budget()
	return full*float64(most) + (1-full)*float64(min(most, c.PlayoutCap.Visits))
}

// FullShare returns the share of searches that are full and give samples.
func (c *Config) FullShare() float64 {
	if c.PlayoutCap.Visits == 0 {
		return 1
	}
	return c.PlayoutCap.Full
}

// Opening defines how games are varied at the start. With probability ForkShare a game forks
// one of Config.Forks. Otherwise, with probability Share, it starts
// from one of the FENs, if any, drawn uniformly, instead of Config.Start, and then plays
// RandomPlies random legal moves. The game's history and length begin after that. An opening
// that ends the game is drawn again. The first moves of such a game, up to PolicyPlies, are
// drawn from the policy.
type Opening struct {
	RandomPlies int      `key:"random_plies" default:"0" range:"0..1000" unit:"plies" doc:"Number of random legal moves at the start of a game. These positions are not training samples."`
	PolicyPlies int      `key:"policy_plies" default:"0" range:"0..1000" unit:"plies" doc:"Maximum number of moves at the start of a game that are drawn from the network's policy without a search; the number is drawn for each game. They lead to varied positions that the network plausibly reaches, as KataGo's openings do. These positions are not training samples."`
	Share       float64  `key:"share" default:"1" range:"0..1" doc:"Fraction of the games that start from random_plies, policy_plies or fens. The others start from game.start."`
	ForkShare   float64  `key:"fork_share" range:"0..1" absent:"0" doc:"Fraction of the games that fork a game of the previous generation: they start at a random position of a random game, and first play another move than that game did, drawn from the network's policy. KataGo forks games too, so that the network learns what follows from moves that its search does not play. The first generation has no games to fork, and forks ignore the other keys of opening."`
	FENs        []string `key:"fens" default:"[]" want:"a position in FEN" doc:"Start positions, each equally likely. An empty list means game.start."`
}

// Fork is a game that others may continue with other moves.
type Fork struct {
	Start chess.Position
	Moves []chess.Move
}

// beginnings holds the possible start positions, before random plies.
type beginnings struct {
	start    chess.Starts
	openings []chess.Position // replace start in a share of the games; may be empty
}

// Validate returns an error that names the first setting out of range.
func (c *Config) Validate(codec encode.Codec) error {
	_, err := c.prepare(codec)
	return err
}

// prepare checks the settings and parses the start positions.
func (c *Config) prepare(codec encode.Codec) (b beginnings, err error) {
	if err := c.Search.Validate(); err != nil {
		return b, err
	}
	if err := codec.Supports(c.Variant); err != nil {
		return b, err
	}
	if err := config.Check("selfplay", c); err != nil {
		return b, err
	}
	type check struct {
		ok         bool
		key        string
		have, want any
	}
	for _, x := range []check{
		{c.Search.Visits >= 1, "search.visits", c.Search.Visits, "at least 1, since visits are what is learned"},
		{c.MaxMoves >= 0, "game.max_moves", c.MaxMoves, "at least 0"},
		{c.Parallel >= 0, "parallel", c.Parallel, "at least 0"},
		{c.Temperature.Power != 0, "selfplay.temperature.power", c.Temperature.Power, "more than 0"},
		{c.Temperature.Plies == 0 || c.Temperature.Then != 0, "selfplay.temperature.then", c.Temperature.Then, "more than 0"},
		{c.PlayoutCap.Visits <= c.Search.Visits, "selfplay.playout_cap.visits", c.PlayoutCap.Visits, "no more than a full search has"},
		{c.Decided.Visits <= c.Search.Visits, "selfplay.decided.visits", c.Decided.Visits, "no more than a full search has"},
		{c.PlayoutCap.Visits == 0 || c.PlayoutCap.Full > 0, "selfplay.playout_cap.full", c.PlayoutCap.Full, "more than 0"},
	} {
		if !x.ok {
			return b, fmt.Errorf("%s is %v: want %s", x.key, x.have, x.want)
		}
	}
	if b.start, err = chess.ParseStarts(c.Variant, c.Start); err != nil {
		return b, fmt.Errorf("self-play: %w", err)
	}
	for i, fen := range c.Opening.FENs {
		p, err := chess.ParseOngoing(c.Variant, fen)
		if err != nil {
			return b, fmt.Errorf("self-play: opening %d: %w", i+1, err)
		}
		b.openings = append(b.openings, p)
	}
	return b, nil
}
