package experiment

import (
	"slices"

	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
	"alamos/pkg/train"
)

// document is an experiment file: the settings of a trial, and the sweep that makes several
// trials. The tags of its fields, and of the structs in other packages, are the language;
// see package config.
type document struct {
	Extends []string `key:"extends" want:"the path of a file" min:"1" flags:"single own outside" doc:"Experiment files that this one starts from, relative to its own folder, with or without .yaml. Later ones override earlier ones, and this file overrides all."`
	Settings
	Sweep sweep `key:"sweep" flags:"outside" doc:"What is varied: every combination is a trial."`
}

// Settings are all settings that decide the result of one trial, with every default filled
// in, and the use of the result. Keys whose conditions do not hold (patience of a constant
// schedule) are zero.
type Settings struct {
	Alamos      int             `key:"alamos" default:"1" range:"1..1" flags:"required own" doc:"Version of the language that this file is written in."`
	Name        string          `key:"name" want:"a name of a-z, 0-9 and -" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" flags:"required own aside" doc:"Name of the experiment and of its folder of results."`
	About       string          `key:"about" flags:"own aside" doc:"What the experiment asks, in Markdown: the opening of its notebook."`
	Seed        uint64          `key:"seed" default:"1" range:"0..9007199254740992" doc:"The one source of chance: equal seed and settings give equal results."`
	Game        Game            `key:"game" doc:"What is played."`
	Network     Network         `key:"network" doc:"What is trained."`
	Search      search.Config   `key:"search" doc:"How self-play searches for a move."`
	Data        *data.Config    `key:"data" flags:"optional" doc:"External positions to learn from: generation g learns from chunk g of them in the place of games of its own. Absent: self-play."`
	SelfPlay    selfplay.Config `key:"selfplay" when:"!data" doc:"How a generation's games are made."`
	Generations int             `key:"generations" default:"30" range:"1.." doc:"How often self-play, or a chunk of data, and training alternate."`
	Stop        *config.File    `key:"stop" ext:".go" doc:"Go script that decides after each generation whether training ends there; generations is then the most there can be."`
	Training    train.Config    `key:"training" doc:"How the network learns from the games."`
	Tournament  Tournament      `key:"tournament" doc:"The round robin that measures strength after training."`
	Evaluation  *Evaluation     `key:"evaluation" flags:"optional aside" doc:"What checkpoints are tested on after training; absent: nothing. It is no part of a trial's identity."`
	Hooks       []Hook          `key:"hooks" default:"[]" flags:"aside" doc:"Go scripts that measure something of our own on the games or the checkpoint of each generation."`
	Notebook    []Cell          `key:"notebook" flags:"aside" doc:"The cells of the page that a run writes, from top to bottom. By default they show what the experiment does: without a tournament no standings, with data no games of self-play, with an evaluation the tables puzzles and accuracy; a sweep begins with its trials."`

	// Folder is the folder of the experiment file. Identities name data files relative to
	// it, so that they do not depend on the working directory. If it is empty, their paths
	// already are.
	Folder string
}

// Game describes the game.
type Game struct {
	Variant  string   `key:"variant" default:"atomic" enum:"chess atomic antichess kingofthehill 3check horde racingkings crazyhouse" doc:"Rules of the game, as lichess plays them."`
	Start    []string `key:"start" default:"[]" want:"chess960 or a position in FEN" flags:"single" doc:"Where games of self-play and of the tournament start: a position, or chess960, one of the 960 drawn for each game (for the two games of a pair in a tournament). Of several each is equally likely; empty is the start position of the variant."`
	MaxMoves int      `key:"max_moves" default:"150" range:"1..10000" unit:"moves of each side" doc:"A longer game of self-play is thrown away and started again; one of a tournament is a draw."`
}

// Network describes the network. Input and Policy determine the planes of the spec and the
// size of its policy.
type Network struct {
	Input  string `key:"input" default:"atomic16" enum:"atomic16 mover15 variants31 alphazero119 lc0-112 marro77 dtu24" doc:"Encoder of positions into planes: atomic16 and mover15 know the board only, variants31 every variant; mover15 and variants31 see it from the side to move. alphazero119 is AlphaZero's, with eight positions of history, lc0-112 Leela Chess Zero's, marro77 ChessMarro's, dtu24 that of the convolutional networks for minimax search."`
	Policy string `key:"policy" default:"uci1968" enum:"uci1968 uci1968-mover uci2206-mover alphazero4672 lc0-1858 fromto4096 marro4096 none" doc:"Numbering of moves at the policy output: uci1968 is of moves on the board, uci2206-mover of those of every variant; -mover is from the view of the side to move. alphazero4672 is AlphaZero's 73 kinds of moves from each square, lc0-1858 Leela's list, fromto4096 origin by destination and marro4096 ChessMarro's 64 kinds from each square; the last two promote to queens only. none is no policy: all legal moves have equal priors."`
	nn.Spec
}

// NoPolicy is the policy of a network without a policy head.
const NoPolicy = "none"

// Tournament measures strength after training.
type Tournament struct {
	Rounds      int                   `key:"rounds" default:"20" range:"0..1000000" unit:"games" doc:"Games of each pair, colors alternating; 0 is no tournament."`
	Search      search.Config         `key:"search" inherit:"search" except:"noise.weight=0 root.noise=0 forced_playouts=0" doc:"How checkpoints search for a move; what is left out is as in search, except that there is no noise, that of a gumbel root included, and no forced_playouts."`
	Limit       *SearchLimit          `key:"limit" flags:"optional" doc:"What ends a checkpoint's search before its visits do; absent: nothing."`
	Temperature TournamentTemperature `key:"temperature" doc:"How a checkpoint draws its move from the visits."`
	Format      match.Format          `key:"format" flags:"optional" doc:"Who meets whom; absent: a round robin, everybody meets everybody."`
	Openings    *Openings             `key:"openings" flags:"optional" doc:"Book of openings, in place of game.start: all pairs of players meet in the same, each twice with the colors changed, in an order drawn by seed."`
	RandomPlies int                   `key:"random_plies" default:"0" range:"0..1000" unit:"plies" doc:"Random legal moves at the start, or after the opening of the book; the two games of a pair share them."`
	MaxMoves    int                   `key:"max_moves" inherit:"game.max_moves" range:"1..10000" unit:"moves of each side" doc:"A longer game is a draw."`
	match.Judge
	Adjudicate *config.File `key:"adjudicate" ext:".go" doc:"Go script that may end a game before the rules do, with the result that it names."`
	Players    []match.Spec `key:"players" default:"[every: 4, untrained, random]" min:"2" doc:"Who plays: every: N or generations: [N, ...] (checkpoints), last, untrained, random, a UCI engine, alpha-beta on a script, on the value of a network or on material, a checkpoint's policy without search, or an external model."`
}

// SearchLimit ends searches of a tournament before they reach their visits. 0 means no
// limit.
type SearchLimit struct {
	Depth    int `key:"depth" default:"0" range:"0..1000" unit:"plies" doc:"Length of the line of best play at which a search ends; 0: none."`
	MoveTime int `key:"movetime" default:"0" range:"0..86400000" unit:"ms" doc:"Time for a move; 0: none. Games that end by the clock are others in every run, and on every machine."`
}

// TournamentTemperature applies to a whole game.
type TournamentTemperature struct {
	Power float64 `key:"power" default:"4" range:">0..1000" words:"max=inf" doc:"As selfplay.temperature.power, for the whole game."`
}

type Openings struct {
	_ struct{} `short:"file"`

	Book  config.File `key:"file" ext:".pgn .epd .fen" flags:"required" doc:"Games in PGN, or positions in EPD or FEN, a line each."`
	Plies int         `key:"plies" default:"0" range:"0..10000" unit:"plies" doc:"How much of each game of the book is played; 0: all of it."`
}

// Evaluation tests checkpoints after training.
type Evaluation struct {
	Every    int           `key:"every" default:"0" range:"0..1000000" unit:"generations" doc:"The checkpoints of every N-th generation are tested, and always the last one; 0: the last one only."`
	Puzzles  []Puzzles     `key:"puzzles" default:"[]" doc:"Files of puzzles, which the network solves alone and with a search. The measures of a trial are puzzles.NAME (the share solved with the search) and policy.NAME (by the network alone), NAME being that of the file."`
	Search   search.Config `key:"search" inherit:"tournament.search" doc:"How checkpoints search for the move that solves a puzzle; what is left out is as in tournament.search. There is no noise, and the most visited move is the answer."`
	Accuracy bool          `key:"accuracy" default:"true" doc:"Measure on the held-out games of the last window how often the move that was played or visited most is the network's first (accuracy.top1) and among its first five (accuracy.top5), and the squared error of its value (accuracy.value_error), by phase of the game: opening with more than 10 of the queens, rooks, bishops and knights of both sides on the board, endgame with at most 6, middlegame between."`
}

// EvaluationMeasures returns the names of the measures that a trial's evaluation makes: the
// fractions of each file's puzzles solved with the search and by the network alone, then
// the measures on held-out games over all phases.
func (s *Settings) EvaluationMeasures() (names []string) {
	e := s.Evaluation
	if e == nil {
		return nil
	}
	for _, p := range e.Puzzles {
		names = append(names, "puzzles."+p.Name(), "policy."+p.Name())
	}
	if e.Accuracy {
		names = append(names, "accuracy.top1", "accuracy.top5", "accuracy.value_error")
	}
	return names
}

type Puzzles struct {
	_ struct{} `short:"file"`

	File config.File `key:"file" ext:".epd" flags:"required" doc:"Puzzles in EPD, a line each, with bm (the best moves, in SAN) or dm (the moves to mate); relative to the folder of the experiment file. Lines without the operation variant are of game.variant."`
}

// Name returns the name of the file without folder and ending.
func (p Puzzles) Name() string { return p.File.Name() }

// Hook is a script that measures something on the games or the checkpoint of each
// generation.
type Hook struct {
	_ struct{} `short:"file"`

	File    config.File `key:"file" ext:".go" flags:"required" doc:"Go source, relative to the folder of the experiment file."`
	Metric  string      `key:"metric" want:"a name of letters, digits, - and _" pattern:"^[A-Za-z0-9_-]{1,64}$" absent:"the name of the file" doc:"Name of what it measures."`
	OnError string      `key:"on_error" enum:"empty stop" absent:"empty" doc:"What a fault of the script does: leave the metrics of that generation empty, or stop the run."`
}

// Name returns the name of the hook's measure: Metric, or the name of the file if that is
// empty.
func (h Hook) Name() string {
	if h.Metric != "" {
		return h.Metric
	}
	return h.File.Name()
}

// Cell is a cell of the notebook. Exactly one field is set.
type Cell struct {
	_ struct{} `oneof:"text figure table"`

	Text   string  `key:"text" want:"Markdown" doc:"Markdown."`
	Figure *Figure `key:"figure" doc:"A figure."`
	Table  string  `key:"table" enum:"crosstable standings models pairs trials generations settings network puzzles accuracy" doc:"A table; models tells the checkpoints of the tournament apart; pairs has its games by color; network is the layers of each different network, with their parameters."`
}

// Figure is a figure of the notebook.
type Figure struct {
	_ struct{} `short:"kind"`

	Kind string `key:"kind" enum:"score loss loss-heads learning-rate crosstable hook elo results lengths length-histogram sweep heatmap multiples parallel policy tree board" flags:"required" doc:"What is drawn."`

	// For a sweep, empty means the first of its keys.
	X string  `key:"x" default:"samples" enum:"samples generation" when:"kind=score" doc:"Horizontal axis: training positions seen, or generations."`
	_ string  `key:"x" default:"epoch" enum:"epoch" when:"kind=loss loss-heads learning-rate" doc:"Horizontal axis."`
	_ string  `key:"x" default:"generation" enum:"samples generation" when:"kind=hook lengths" doc:"Horizontal axis."`
	_ KeyPath `key:"x" when:"kind=sweep heatmap" absent:"the first key of the sweep" doc:"Horizontal axis: a key that the sweep varies."`

	// Empty means all other keys (sweep) or the second key (heatmap).
	Y KeyPath `key:"y" when:"kind=sweep" absent:"every other key of the sweep" doc:"A line for each value of this key."`
	_ KeyPath `key:"y" when:"kind=heatmap" absent:"the second key of the sweep" doc:"Vertical axis: a key that the sweep varies."`

	Metric string `key:"metric" want:"the name of a metric" flags:"required" when:"kind=hook" doc:"Which metric of the hooks is drawn."`
	_      string `key:"metric" default:"score" enum:"score elo vs_untrained vs_random loss policy_loss value_loss top1 top5 samples seconds" pattern:"^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$" want:"puzzles.NAME, policy.NAME, accuracy.NAME or HOOK.METRIC" when:"kind=sweep heatmap parallel" doc:"Measure of a trial at its end: score in its tournament, Elo, score against the untrained network or random moves, validation losses, training positions, seconds, puzzles solved or accuracy (see evaluation), or a metric of a hook in the last generation."`
	_      string `key:"metric" default:"score" enum:"score loss" when:"kind=multiples" doc:"What each small figure shows of its trial."`

	Position   string `key:"position" default:"start" want:"start or a position in FEN" when:"kind=policy tree board" doc:"Position that is shown; start is that of the game."`
	Generation *int   `key:"generation" range:"0.." when:"kind=policy tree board" absent:"the last" doc:"Checkpoint that is shown; 0 is the untrained network."`
	_          *int   `key:"generation" range:"1.." when:"kind=length-histogram" absent:"the last" doc:"Generation whose games are counted."`
	Visits     int    `key:"visits" inherit:"tournament.search.visits" range:"1..10000000" when:"kind=tree board" unit:"visits" doc:"Visits of the search that is drawn."`
	Title      string `key:"title" doc:"Title above the figure."`
}

// TrialMetrics returns the measures of a trial that need no hook.
func TrialMetrics() []string {
	for _, f := range config.Of[Figure]().Fields {
		if t, ok := f.Type.(config.Text); ok && len(t.Words) > 0 {
			return slices.Clone(t.Words)
		}
	}
	return nil
}

// KeyPath is the path of a key that a sweep may vary.
type KeyPath string

// Want completes "want ...".
func (KeyPath) Want() string { return "the path of a key that the sweep varies" }

// Read checks that the key exists and decides a result.
func (k KeyPath) Read(r *config.Reader, path string, t *config.Node) (any, bool) {
	f := schema().Lookup(t.Text)
	switch {
	case t.Kind != config.Scalar:
		return r.Refuse(t, path, k, "")
	case f == nil:
		return r.Refuse(t, path, k, schema().SuggestPath(t.Text))
	case !f.Decides:
		return r.Fail(t, path, "", "%s cannot be swept: it decides no result", t.Text)
	}
	return t.Text, true
}

// JSONSchema lists the paths.
func (KeyPath) JSONSchema(*config.Schema, string) map[string]any {
	return map[string]any{"enum": schema().Swept()}
}

// defaultNotebook returns the notebook of a file without one. It has only cells that apply
// to the other values of the file.
func defaultNotebook(values map[string]any) any {
	var cells []any
	text := func(markdown string) { cells = append(cells, map[string]any{"text": markdown}) }
	table := func(kind string) { cells = append(cells, map[string]any{"table": kind}) }
	figure := func(kind string, x ...string) {
		f := map[string]any{"kind": kind}
		if len(x) > 0 {
			f["x"] = x[0]
		}
		cells = append(cells, map[string]any{"figure": f})
	}
	rounds, _ := config.ValueAt(values, "tournament.rounds")
	puzzles, _ := config.ValueAt(values, "evaluation.puzzles")
	accuracy, _ := config.ValueAt(values, "evaluation.accuracy")
	sets, _ := puzzles.([]any)
	plays, solves := rounds != int64(0), len(sets) > 0

	if plays || solves {
		text("## Strength")
	}
	if plays {
		figure("score", "samples")
		table("standings")
		figure("crosstable")
	}
	if solves {
		table("puzzles")
	}
	text("## Training")
	figure("loss", "epoch")
	if accuracy == true {
		table("accuracy")
	}
	if _, given := values["data"]; given {
		text("## Data")
	} else {
		text("## Games")
		figure("lengths", "generation")
	}
	table("generations")
	text("## Trials and settings")
	table("trials")
	table("network")
	table("settings")
	return cells
}
