package experiment

import (
	"reflect"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
	"alamos/pkg/train"
	"alamos/pkg/uci"
	"alamos/plots"
)

// document is an experiment file: the settings of a trial, and the sweep that makes several
// trials. The tags of its fields, and of the structs in other packages, are the language;
// see package config.
type document struct {
	Extends []string `key:"extends" want:"the path of a file" min:"1" flags:"single own outside" doc:"Experiment files that this one builds on, relative to its own folder, with or without .yaml. Later files override earlier ones, and this file overrides all of them."`
	Settings
	Sweep sweep `key:"sweep" flags:"outside" doc:"Values to vary. Every combination is a trial."`
}

// Settings are all settings that decide the result of one trial, with every default filled
// in, and the use of the result. Keys whose conditions do not hold (patience of a constant
// schedule) are zero.
type Settings struct {
	Alamos      int             `key:"alamos" default:"1" range:"1..1" flags:"required own" doc:"Version of the language."`
	Name        string          `key:"name" want:"a name of a-z, 0-9 and -" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" flags:"required own aside" doc:"Name of the experiment and of its folder of results."`
	About       string          `key:"about" flags:"own aside" doc:"Purpose of the experiment in Markdown, shown at the top of its notebook."`
	Seed        uint64          `key:"seed" default:"1" range:"0..9007199254740992" doc:"Seed of all random numbers. Equal seeds and settings give equal results."`
	Game        Game            `key:"game" doc:"The game that is played."`
	Start       *Start          `key:"start" flags:"optional" doc:"A trained network to begin with. If absent, the network begins with random weights."`
	Network     Network         `key:"network" doc:"The architecture of the neural network."`
	Search      search.Config   `key:"search" flags:"ramps" doc:"The tree search of self-play."`
	Data        *data.Config    `key:"data" flags:"optional" doc:"External training positions: generation g trains on chunk g of them, and there is no self-play. If absent, the network trains on its own games."`
	SelfPlay    selfplay.Config `key:"selfplay" when:"!data" flags:"ramps" doc:"The self-play of each generation."`
	Generations int             `key:"generations" default:"30" range:"1.." doc:"How often self-play (or reading a chunk of data) and training alternate."`
	Stop        *config.File    `key:"stop" ext:".go" doc:"Go script that decides after each generation whether training ends. generations is then the maximum."`
	Training    train.Config    `key:"training" doc:"The training of the network in each generation."`
	Tournament  Tournament      `key:"tournament" doc:"The tournament that measures playing strength after training."`
	Evaluation  *Evaluation     `key:"evaluation" flags:"optional aside" doc:"Tests of checkpoints after training. If absent, there are none. They are not part of a trial's identity."`
	Hooks       []Hook          `key:"hooks" default:"[]" flags:"aside" doc:"Go scripts that compute more metrics from the games or the checkpoint of each generation."`
	Style       *plots.Style    `key:"style" flags:"aside optional" doc:"How all figures look: for the width of a journal, in another font or language, in gray."`
	Notebook    []Cell          `key:"notebook" flags:"aside" doc:"Cells of the page that a run writes, from top to bottom. The default suits the experiment: it shows standings if there is a tournament, game lengths if there is self-play, and the tables puzzles and accuracy if there is an evaluation. The page of a sweep starts with its trials."`

	// Ramps are the numbers that change over the generations. The fields above have their
	// values at the end; see [Settings.At].
	Ramps config.Ramps

	// Folder is the folder of the experiment file. Identities name data files relative to
	// it, so that they do not depend on the working directory. If it is empty, their paths
	// already are.
	Folder string
}

// Game describes the game.
type Game struct {
	Variant  string       `key:"variant" default:"atomic" enum:"chess atomic antichess kingofthehill 3check horde racingkings crazyhouse" pattern:"\\.yaml$" ext:".yaml" want:"or the path of a .yaml file of rules" mistake:"chess960: write variant: chess and start: chess960" doc:"Chess variant, with the rules of lichess, or a file of rules: the keys of game.rules, and base, the variant that has those that are left out (chess by default). A trial's identity has the rules of a file, not its path."`
	Rules    *chess.Rules `key:"rules" flags:"optional" doc:"Changes of the rules of the variant. If absent, there are none. Keys that are left out are as in the variant; the defaults below are those of chess."`
	Start    []string     `key:"start" default:"[]" want:"chess960 or a position in FEN" flags:"single" doc:"Start position of games in self-play and in the tournament: a FEN, or chess960, which draws one of the 960 positions for each game (in the tournament, for both games of a pair). Each entry of a list is equally likely. An empty list means the start position of the variant."`
	MaxMoves int          `key:"max_moves" default:"150" range:"1..10000" unit:"moves of each side" doc:"Maximum length of a game: 150 moves of each side are 300 plies. selfplay.long_games defines what becomes of a longer game of self-play; a longer game of the tournament is a draw."`
}

// same reports whether both are the same game, however long it may be.
func (g *Game) same(other *Game) bool {
	return g.Variant == other.Variant && reflect.DeepEqual(g.Rules, other.Rules) && slices.Equal(g.Start, other.Start)
}

// Name returns the name of the variant, or of the rules.
func (g *Game) Name() string {
	if g.Rules != nil {
		return g.Rules.Name
	}
	return g.Variant
}

// Of returns the variant that is played, which it defines if it has rules of its own.
func (g *Game) Of() (chess.Variant, error) {
	if g.Rules != nil {
		return chess.Define(*g.Rules)
	}
	return chess.ParseVariant(g.Variant)
}

// Network describes the network. Input and Policy determine the planes of the spec and the
// size of its policy.
type Network struct {
	Input  string `key:"input" default:"atomic16" enum:"atomic16 mover15 mover16 variants31 rules alphazero119 lc0-112 marro77 dtu24" doc:"Encoding of positions as input planes. atomic16 and mover15 contain only the board, mover16 also whether the position occurred before, variants31 the state of every variant, and rules that of the rules of a file; all but atomic16 show it from the view of the side to move. alphazero119 is AlphaZero's encoding, with eight positions of history, lc0-112 Leela Chess Zero's, marro77 ChessMarro's, and dtu24 that of the paper on value networks and minimax."`
	Policy string `key:"policy" default:"uci1968" enum:"uci1968 uci1968-mover uci2206-mover rules alphazero4672 lc0-1858 fromto4096 marro4096 none" doc:"Encoding of moves at the policy output. uci1968 contains the moves of pieces on the board, uci2206-mover the moves of every variant, and rules those of the rules of a file; -mover means from the view of the side to move. alphazero4672 has AlphaZero's 73 types of moves for each square, lc0-1858 is Leela Chess Zero's list, fromto4096 is origin times destination, and marro4096 has ChessMarro's 64 types for each square; the last two promote only to queens. none means no policy: all legal moves have equal priors."`
	nn.Spec
}

// Start is the network before the first generation.
type Start struct {
	_ struct{} `short:"model"`

	Model match.Checkpoint `key:"model" ext:".safetensors .pb.gz" pattern:"^[^@]+@.+$|\\.safetensors$|\\.pb\\.gz$" want:"RUN@GENERATION, as in tiny@3 or quickstart/2@last, or the path of a .safetensors or .pb.gz file" flags:"required" doc:"A checkpoint of another run, such as tiny@3, or a file relative to the folder of the experiment file, also a weight file of Leela Chess Zero (.pb.gz). It needs the same input, policy and heads, may be of another variant, and becomes generation 0, which tournaments call untrained. A network with more depth or width, or a sparse one with more features or king buckets, computes the same at first, and then learns to use what is new (Net2Net). Its optimizer starts again."`
}

// NoPolicy is the policy of a network without a policy head.
const NoPolicy = "none"

// Tournament measures strength after training.
type Tournament struct {
	Rounds      int                   `key:"rounds" default:"20" range:"0..1000000" unit:"games" doc:"Number of games between each pair of players, with alternating colors. 0 means no tournament."`
	Search      search.Config         `key:"search" inherit:"search" except:"noise.weight=0 root.noise=0 root.fpu=same root.policy_temperature=same forced_playouts=0" doc:"The tree search of checkpoints. Omitted keys are as in search (at the end of a ramp), but without what makes self-play explore: noise (also of a gumbel root), the settings of root for fpu and policy_temperature, and forced playouts."`
	Limit       *uci.Limit            `key:"limit" flags:"optional" keys:"depth movetime" doc:"Limits that end a checkpoint's search before it reaches its visits. If absent, there are none."`
	Temperature TournamentTemperature `key:"temperature" doc:"How a checkpoint selects its move from the visit counts."`
	Format      match.Format          `key:"format" flags:"optional" doc:"Who plays whom. If absent, every pair of players plays (round robin)."`
	Openings    *Openings             `key:"openings" flags:"optional" doc:"Opening book, used instead of game.start. All pairs of players play the same openings, each one twice with reversed colors, in an order drawn by seed."`
	RandomPlies int                   `key:"random_plies" default:"0" range:"0..1000" unit:"plies" doc:"Number of random legal moves at the start of a game, or after its opening from the book. Both games of a pair begin with the same ones."`
	MaxMoves    int                   `key:"max_moves" inherit:"game.max_moves" range:"1..10000" unit:"moves of each side" doc:"Maximum length of a game: 150 moves of each side are 300 plies. A longer game is a draw."`
	match.Judge
	Adjudicate *config.File `key:"adjudicate" ext:".go" doc:"Go script that can end a game early and determines its result."`
	Players    []match.Spec `key:"players" default:"[every: 4, untrained, random]" min:"2" doc:"The players: checkpoints (every: N, generations: [N, ...], last, untrained), random moves, UCI engines, alpha-beta search that evaluates by a script, a network or material, a checkpoint's policy without search, and external models."`
}

// TournamentTemperature applies to a whole game.
type TournamentTemperature struct {
	Power float64 `key:"power" default:"4" range:">0..1000" words:"max=inf" doc:"As selfplay.temperature.power, but for the whole game."`
}

type Openings struct {
	_ struct{} `short:"file"`

	Book  config.File `key:"file" ext:".pgn .epd .fen" flags:"required" doc:"Games in PGN, or positions in EPD or FEN, one on each line."`
	Plies int         `key:"plies" default:"0" range:"0..10000" unit:"plies" doc:"Number of plies that are played from each game of the book. 0 means all of them."`
}

// Evaluation tests checkpoints after training.
type Evaluation struct {
	Every    int           `key:"every" default:"0" range:"0..1000000" unit:"generations" doc:"Interval between the generations whose checkpoints are tested. The last one always is; 0 means only the last one."`
	Puzzles  []Puzzles     `key:"puzzles" default:"[]" doc:"Files of puzzles. The network solves them with search (measure puzzles.NAME) and without (measure policy.NAME); each measure is the fraction of solved puzzles, and NAME is the name of the file."`
	Search   search.Config `key:"search" inherit:"tournament.search" except:"noise.weight=0 root.noise=0 root.fpu=same root.policy_temperature=same forced_playouts=0" doc:"The tree search that solves puzzles. Omitted keys are as in tournament.search, but for those of exploration, which are as if omitted there. The most visited move is the answer, and no tree is kept."`
	Accuracy bool          `key:"accuracy" default:"true" doc:"Measure the predictions on the files of data.test or, without them, on held-out games of the last replay window: how often the move that was played or visited most is the network's first choice (accuracy.top1) or among its first five (accuracy.top5), and the squared error of the value (accuracy.value_error). Phases of the game are listed separately: opening (more than 10 queens, rooks, bishops and knights on the board), endgame (at most 6) and middlegame."`
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
	if s.MeasuresAccuracy() {
		names = append(names, "accuracy.top1", "accuracy.top5", "accuracy.value_error")
	}
	return names
}

// MeasuresAccuracy reports whether the evaluation measures the predictions on positions that
// nothing is learned from, and there are such positions.
func (s *Settings) MeasuresAccuracy() bool {
	return s.Evaluation != nil && s.Evaluation.Accuracy && (s.Training.Validation > 0 || s.Data.HasTest())
}

// Phases are the phases of a game, for which the accuracy is measured by itself.
var Phases = []string{"opening", "middlegame", "endgame"}

type Puzzles struct {
	_ struct{} `short:"file"`

	File config.File `key:"file" ext:".epd" flags:"required" doc:"Puzzles in EPD, one on each line, with the operation bm (best moves in SAN) or dm (moves to mate). A line without the operation variant belongs to game.variant. The path is relative to the folder of the experiment file."`
}

// Name returns the name of the file without folder and ending.
func (p Puzzles) Name() string { return p.File.Name() }

// Hook is a script that measures something on the games or the checkpoint of each
// generation.
type Hook struct {
	_ struct{} `short:"file"`

	File    config.File `key:"file" ext:".go" flags:"required" doc:"Go script, relative to the folder of the experiment file."`
	Metric  string      `key:"metric" want:"a name of letters, digits, - and _" pattern:"^[A-Za-z0-9_-]{1,64}$" absent:"the name of the file" doc:"Name of the metric."`
	OnError string      `key:"on_error" enum:"empty stop" absent:"empty" doc:"What happens when the script fails: empty leaves the metrics of that generation empty, stop ends the run."`
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
	_ struct{} `oneof:"text figure table games"`

	Text   string  `key:"text" want:"Markdown" doc:"Text in Markdown."`
	Figure *Figure `key:"figure" doc:"A figure."`
	Table  string  `key:"table" enum:"final crosstable standings models pairs colors trials generations learning calibration settings network puzzles accuracy" doc:"A table. final is the final tournament of a sweep (sweep.final), models lists the networks of the tournament, pairs its games by color, colors White's score and the share of draws for each setting of the sweep, learning what each generation learned, calibration compares the values of the search with the results of self-play, and network the layers and parameters of each different network."`
	Games  string  `key:"games" enum:"tournament self-play" doc:"Games to replay on the HTML page, with the evaluations of the players: of the tournament with the last network, or of the last generation of self-play."`
}

// TournamentGames is the word of a cell for the games of the tournament.
const TournamentGames = "tournament"

// Words of a figure of the policy for a board for each way of moving: with all moves that the
// policy can say, or with the legal ones.
const (
	MoveBoards      = "moves"
	LegalMoveBoards = "legal-moves"
)

// Figure is a figure of the notebook.
type Figure struct {
	_ struct{} `short:"kind"`

	Kind string `key:"kind" enum:"final score loss loss-heads learning-rate crosstable metric series elo results lengths length-histogram sweep effects heatmap multiples parallel policy tree board inputs network csv" flags:"required" doc:"Type of figure. network shows the parts of the network, inputs the planes of a position that the network sees, csv shows numbers of a file alone, series a curve that a hook returns, final shows the ratings of the final tournament of a sweep (sweep.final), effects which share of the differences between trials each swept key explains."`

	// For a sweep, empty means the first of its keys.
	X string  `key:"x" default:"samples" enum:"samples generation" when:"kind=score" doc:"Horizontal axis: training positions or generations."`
	_ string  `key:"x" default:"epoch" enum:"epoch step" when:"kind=loss" doc:"Horizontal axis: epochs, or steps of the optimizer, with a rolling mean of the loss."`
	_ string  `key:"x" default:"epoch" enum:"epoch" when:"kind=loss-heads learning-rate" doc:"Horizontal axis."`
	_ string  `key:"x" default:"generation" enum:"samples generation" when:"kind=metric lengths" doc:"Horizontal axis."`
	_ KeyPath `key:"x" when:"kind=sweep heatmap" absent:"the first key of the sweep" doc:"Horizontal axis: a key that the sweep varies."`

	// Empty means all other keys (sweep) or the second key (heatmap).
	Y KeyPath `key:"y" when:"kind=sweep" absent:"every other key of the sweep" doc:"A key with one line for each of its values."`
	_ KeyPath `key:"y" when:"kind=heatmap" absent:"the second key of the sweep" doc:"Vertical axis: a key that the sweep varies."`

	Metric string `key:"metric" want:"the name of a metric" flags:"required" when:"kind=metric" doc:"Measure of each generation: one of those of a sweep, of the evaluation, or of a hook (HOOK.METRIC, or only METRIC)."`
	_      string `key:"metric" want:"the name of a series" flags:"required" when:"kind=series" doc:"Series of a hook: HOOK.SERIES, or only SERIES. With one setting the figure shows its curve in up to five generations, otherwise that of each setting in the last one."`
	_      string `key:"metric" default:"score" enum:"score elo vs_untrained vs_random white_score draws loss policy_loss value_loss top1 top5 kl prior_entropy target_entropy root_value_error calibration_error distinct_games distinct_positions drawn_games long_games replay_ratio gradient_norm gradient_peak clipped games samples evaluations seconds" pattern:"^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$" want:"puzzles.NAME, policy.NAME, accuracy.NAME or HOOK.METRIC" when:"kind=sweep effects heatmap parallel" doc:"Final measure of each trial: score in its tournament, Elo, score against the untrained network or random moves, White's score and the share of draws in its tournament, validation losses, measures of learning (MANUAL.md, Why does it not learn?), games, training positions, evaluations by networks in self-play, seconds, solved puzzles, accuracy (see evaluation), or a hook's metric in the last generation."`
	_      string `key:"metric" default:"score" enum:"score loss" when:"kind=multiples" doc:"Curve in the small figure of each trial."`

	Position   string `key:"position" default:"start" want:"start or a position in FEN" when:"kind=policy tree board inputs" doc:"Position to show. start is the start position of the game."`
	Boards     string `key:"boards" default:"pieces" enum:"pieces moves legal-moves" when:"kind=policy" doc:"What the small boards show. pieces: where the legal moves begin and end, of all pieces and of each kind. moves: all that the policy can say, legal or not, before a mask: a board for each way of moving, at the squares where the moves begin, as the policy sees them: uci1968 as White, all others as the side to move. legal-moves: the same boards after the mask, with the priors of the legal moves alone."`
	Generation *int   `key:"generation" range:"0.." when:"kind=policy tree board" absent:"the last" doc:"Checkpoint to show. 0 is the untrained network."`
	_          *int   `key:"generation" range:"1.." when:"kind=length-histogram" absent:"the last" doc:"Generation whose games are counted."`
	_          *int   `key:"generation" range:"1.." when:"kind=series" absent:"the last, or several" doc:"Generation whose curves are shown."`
	Visits     int    `key:"visits" range:"1..10000000" when:"kind=tree board" unit:"visits" absent:"as tournament.search.visits of the trial" doc:"Visits of the search that is shown."`
	Title      string `key:"title" doc:"Title above the figure."`
	Caption    string `key:"caption" absent:"what it shows" doc:"Caption below the figure."`

	Only  []string    `key:"only" want:"the number, name or values of a trial" pattern:"." flags:"single" absent:"all" doc:"Trials that the figure shows: numbers, names of combinations, or values such as depth=2."`
	CSV   *CSV        `key:"csv" flags:"required" when:"kind=csv" doc:"The numbers."`
	_     *CSV        `key:"csv" flags:"optional" when:"kind=score metric series lengths loss loss-heads learning-rate" doc:"Numbers of a file beside those of the trials, such as a published curve. Of panels, a column belongs to the one that is called like it (learning_rate, value_loss), all others to the last."`
	XAxis *FigureAxis `key:"x_axis" flags:"optional" when:"kind=score metric series lengths sweep multiples csv" doc:"The horizontal axis."`
	YAxis *FigureAxis `key:"y_axis" flags:"optional" when:"kind=score metric series lengths sweep multiples csv loss loss-heads" doc:"The upright axis, in panels that of the losses."`
}

// ShowsWays reports whether the figure has a board for each way of moving.
func (f *Figure) ShowsWays() bool { return f.Boards == MoveBoards || f.Boards == LegalMoveBoards }

// FigureAxis is what a figure changes of an axis.
type FigureAxis struct {
	Label string   `key:"label" absent:"the quantity" doc:"Label of the axis, with its unit."`
	From  *float64 `key:"from" range:"-1e9..1e9" absent:"what the numbers need" doc:"The low end of the axis. What lies beyond is not shown."`
	To    *float64 `key:"to" range:"-1e9..1e9" absent:"what the numbers need" doc:"The high end of the axis."`
	Scale string   `key:"scale" enum:"linear log" absent:"what suits the quantity" doc:"Scale of the axis."`

	Ticks map[string]string `key:"ticks" absent:"round numbers" doc:"Places of ticks and their labels, such as {'0': start, '30': end}."`
}

// TrialMetrics returns the measures of a trial that need neither a hook nor an evaluation.
func TrialMetrics() []string {
	fields := config.Of[Figure]().Fields
	i := slices.IndexFunc(fields, func(f *config.Field) bool { return f.Key == "metric" && f.Default != nil })
	return slices.Clone(fields[i].Type.(config.Text).Words)
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
		return r.Fail(t, path, "", "%s cannot be swept: it does not affect results", t.Text)
	}
	return t.Text, true
}

// JSONSchema lists the paths.
func (KeyPath) JSONSchema(*config.Schema, string) map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"enum": schema().Swept()}, map[string]any{"type": "string", "pattern": rampKeys}}}
}

// defaultNotebook returns the notebook of a file without one, in YAML. It has only cells
// that apply to the other values of the file.
func defaultNotebook(values map[string]any) string {
	rounds, _ := config.ValueAt(values, "tournament.rounds")
	puzzles, _ := config.ValueAt(values, "evaluation.puzzles")
	accuracy, _ := config.ValueAt(values, "evaluation.accuracy")
	sets, _ := puzzles.([]any)
	plays, solves, data := rounds != int64(0), len(sets) > 0, values["data"] != nil
	var cells []string
	add := func(applies bool, some ...string) {
		if applies {
			cells = append(cells, some...)
		}
	}
	add(plays || solves, "text: '## Strength'")
	add(plays, "figure: score", "table: standings", "figure: crosstable", "games: tournament")
	add(solves, "table: puzzles")
	add(true, "text: '## Training'", "figure: loss")
	add(accuracy == true, "table: accuracy")
	add(data, "text: '## Data'")
	add(!data, "text: '## Games'", "figure: lengths", "games: self-play")
	add(true, "table: generations", "text: '## Learning'")
	add(!data, "figure: {kind: metric, metric: kl}", "figure: {kind: metric, metric: calibration_error}")
	add(true, "table: learning", "text: '## Trials and settings'", "table: trials", "table: network", "table: settings")
	return "[" + strings.Join(cells, ", ") + "]"
}
