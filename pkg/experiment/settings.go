package experiment

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"

	"alamos/pkg/match"
)

// Settings are everything that decides the result of one trial, with every
// default filled in. Keys that mean nothing beside the others (patience of a
// constant schedule) are zero. See [Keys] for meaning, unit and range of each.
type Settings struct {
	Alamos      int        `json:"alamos"`
	Name        string     `json:"name"`
	About       string     `json:"about,omitempty"`
	Seed        uint64     `json:"seed"`
	Game        Game       `json:"game"`
	Network     Network    `json:"network"`
	Search      Search     `json:"search"`
	Data        *Data      `json:"data,omitempty"` // nil: self-play
	SelfPlay    SelfPlay   `json:"selfplay"`       // zero beside Data
	Generations int        `json:"generations"`
	Stop        *Script    `json:"stop,omitempty"` // nil: none
	Training    Training   `json:"training"`
	Tournament  Tournament `json:"tournament"`
	// Evaluation is nil where nothing is asked. It is no part of a trial's identity.
	Evaluation *Evaluation `json:"evaluation,omitempty"`
	Hooks      []Hook      `json:"hooks"`
	Notebook   []Cell      `json:"notebook"`
}

type Game struct {
	Variant string `json:"variant"`
	// Start is empty for the start position of the variant, and then no part of
	// a trial's identity: results from before there was a choice stay valid.
	Start    []string `json:"start,omitempty"`
	MaxMoves int      `json:"max_moves"`
}

type Network struct {
	Input      string `json:"input"`
	Policy     string `json:"policy"`
	Trunk      string `json:"trunk"`
	Depth      int    `json:"depth"`
	Width      int    `json:"width"`
	Activation string `json:"activation"`
	Attention  string `json:"attention"`
	// These two are no part of a trial's identity while they are absent: see Leaves.
	AttentionReduction int     `json:"attention_reduction,omitempty"` // only with attention
	Dropout            float64 `json:"dropout,omitempty"`
	Value              string  `json:"value"`
	// These three are no part of a trial's identity at their defaults: see Leaves.
	ValueChannels  Maps   `json:"value_channels,omitzero"`
	ValueHidden    Widths `json:"value_hidden,omitzero"`
	MovesLeft      bool   `json:"moves_left,omitempty"`
	PolicyHead     string `json:"policy_head"`     // empty where there is no policy
	PolicyChannels int    `json:"policy_channels"` // only of conv-linear
}

// NoPolicy is the policy of a network without one.
const NoPolicy = "none"

// Maps is a number of channels before dense layers: 0 is the default, 1, and Flat
// is none, written 0.
type Maps int

// Flat says that the maps go straight into the dense layers.
const Flat Maps = -1

// IsZero tells whether n is the default, which JSON leaves out.
func (n Maps) IsZero() bool { return n == 0 || n == 1 }

// MarshalJSON writes the number of channels.
func (n Maps) MarshalJSON() ([]byte, error) { return json.Marshal(max(0, int(n))) }

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Maps) UnmarshalJSON(b []byte) error {
	if string(b) == "0" {
		*n = Flat
		return nil
	}
	return json.Unmarshal(b, (*int)(n))
}

// Widths are those of dense layers; nil is the default, one of 256, and empty is
// no layer.
type Widths []int

// IsZero tells whether w is the default, which JSON leaves out.
func (w Widths) IsZero() bool { return w == nil || len(w) == 1 && w[0] == 256 }

type Search struct {
	Kind     string  `json:"kind"`
	Visits   int     `json:"visits"`
	CPuct    float64 `json:"c_puct"`
	CBase    float64 `json:"c_base"` // 0: CPuct is constant
	CInit    float64 `json:"c_init"`
	FPU      FPU     `json:"fpu"`
	ExpandAt int     `json:"expand_at"`
	// The next four are no part of a trial's identity while they have their
	// defaults: results from before there was a choice stay valid.
	Leaves    Leaves `json:"leaves,omitzero"`
	Cache     int    `json:"cache,omitempty"` // 0: none
	Solver    bool   `json:"solver,omitempty"`
	Lookahead int    `json:"lookahead,omitempty"` // only with Solver
	TreeReuse bool   `json:"tree_reuse"`
	Noise     Noise  `json:"noise"`
	// What is absent from here on is no part of a trial's identity either.
	Root           Root    `json:"root,omitzero"`
	ForcedPlayouts float64 `json:"forced_playouts,omitempty"` // 0: none
	Nodes          int     `json:"nodes,omitempty"`           // 0: no limit
	// PolicyTemperature is 1 for priors as they are.
	PolicyTemperature PolicyTemperature `json:"policy_temperature,omitzero"`
}

// PolicyTemperature is the temperature of a policy, with the default 1, which JSON leaves out.
type PolicyTemperature float64

// IsZero tells whether t is the default.
func (t PolicyTemperature) IsZero() bool { return t == 0 || t == 1 }

// Leaves is a number of positions evaluated at once; 0 is the default, 1.
type Leaves int

// IsZero tells whether n is the default, which JSON leaves out.
func (n Leaves) IsZero() bool { return n <= 1 }

// FPU is the first play urgency: the reduction of the parent's value, or
// FPUZero.
type FPU float64

// FPUZero, written zero, takes a move not visited yet for a draw.
const FPUZero FPU = -1

// MarshalJSON writes the reduction, or "zero".
func (f FPU) MarshalJSON() ([]byte, error) {
	if f == FPUZero {
		return []byte(`"zero"`), nil
	}
	return json.Marshal(float64(f))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *FPU) UnmarshalJSON(b []byte) error {
	if string(b) == `"zero"` {
		*f = FPUZero
		return nil
	}
	return json.Unmarshal(b, (*float64)(f))
}

// Root is how visits are shared out among the moves of the root; all but Kind is of
// gumbel.
type Root struct {
	Kind       string  `json:"kind"`
	Considered int     `json:"considered"`
	CVisit     float64 `json:"c_visit"`
	CScale     float64 `json:"c_scale"`
	Noise      float64 `json:"noise"`
}

// RootGumbel is the kind of a Gumbel root.
const RootGumbel = "gumbel"

// IsZero tells whether r is the default, puct, which JSON leaves out.
func (r Root) IsZero() bool { return r.Kind != RootGumbel }

type Noise struct {
	Alpha  float64 `json:"alpha"`
	Weight float64 `json:"weight"`
}

// Data is a source of positions that are learned from in place of self-play.
type Data struct {
	Kind      string      `json:"kind"`
	Files     []Files     `json:"files,omitempty"`  // of lc0, parquet and pgn
	Engine    *DataEngine `json:"engine,omitempty"` // of engine
	Games     int         `json:"games,omitempty"`  // of engine: of a chunk; else in all, 0: no bound
	Positions Amount      `json:"positions"`        // of a game
	Chunk     Amount      `json:"chunk"`            // of lc0, parquet and pgn
	Shuffle   int         `json:"shuffle"`
	Policy    string      `json:"policy,omitempty"` // of pgn and engine: "played" or "engine"
	Label     *Label      `json:"label,omitempty"`  // of pgn and engine; nil: none
	Broken    string      `json:"broken,omitempty"` // of pgn and lc0: "error" or "skip"
}

// MarshalJSON leaves out Broken of lc0 where it is "error", which is no part of a trial's
// identity.
func (d Data) MarshalJSON() ([]byte, error) {
	if d.Kind == "lc0" && d.Broken == "error" {
		d.Broken = ""
	}
	type plain Data
	return json.Marshal(plain(d))
}

// DataEngine is a UCI engine that plays games against itself, to a depth or a number
// of nodes a move.
type DataEngine struct {
	UCI         string            `json:"uci"`
	Depth       int               `json:"depth,omitempty"`
	Nodes       int64             `json:"nodes,omitempty"`
	Options     map[string]string `json:"options,omitempty"`
	RandomPlies int               `json:"random_plies"`
}

// Label is a UCI engine that values positions, at a depth or a number of nodes.
type Label struct {
	UCI     string            `json:"uci"`
	Depth   int               `json:"depth,omitempty"`
	Nodes   int64             `json:"nodes,omitempty"`
	Options map[string]string `json:"options,omitempty"`
	Finish  *Finish           `json:"finish,omitempty"` // nil: never
}

// Finish plays games out.
type Finish struct {
	Depth int   `json:"depth,omitempty"`
	Nodes int64 `json:"nodes,omitempty"`
}

type SelfPlay struct {
	Games       int         `json:"games"`
	Temperature Temperature `json:"temperature"`
	Opening     Opening     `json:"opening"`
	PlayoutCap  *PlayoutCap `json:"playout_cap,omitempty"` // nil: every search is full
	Surprise    float64     `json:"surprise,omitempty"`
	ValueMix    float64     `json:"value_mix,omitempty"`
	Adjudicate  *Script     `json:"adjudicate,omitempty"` // nil: none
}

// PlayoutCap gives a full search to a share Full of the moves, which are learned
// from, and Visits to the others.
type PlayoutCap struct {
	Full   float64 `json:"full"`
	Visits int     `json:"visits"`
}

type Temperature struct {
	Power Power `json:"power"`
	Plies int   `json:"plies"` // 0: the whole game
	Then  Power `json:"then"`
}

// Power is the exponent on visits in the choice of a move; +Inf, written max,
// plays the most visited one.
type Power float64

// Max is the power that plays the most visited move.
var Max = Power(math.Inf(1))

// MarshalJSON writes a number, or "max".
func (p Power) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(p), 1) {
		return []byte(`"max"`), nil
	}
	return json.Marshal(float64(p))
}

// UnmarshalJSON reads a number, or "max".
func (p *Power) UnmarshalJSON(b []byte) error {
	if string(b) == `"max"` {
		*p = Max
		return nil
	}
	return json.Unmarshal(b, (*float64)(p))
}

type Opening struct {
	RandomPlies int      `json:"random_plies"`
	Share       float64  `json:"share"`
	FENs        []string `json:"fens"`
}

type Training struct {
	Epochs     int       `json:"epochs"`
	Batch      int       `json:"batch"`
	Window     int       `json:"window"`
	Validation float64   `json:"validation"`
	Select     string    `json:"select"`
	Optimizer  Optimizer `json:"optimizer"`
	Schedule   Schedule  `json:"schedule"`
	Loss       Loss      `json:"loss"`
	// Patience is 0, and no part of a trial's identity, where training does not stop
	// early.
	Patience int `json:"patience,omitempty"`
	// Carry is empty, and no part of a trial's identity, where a generation goes on
	// with all that the one before left.
	Carry Carry `json:"carry,omitzero"`
	// ValueTarget is nil where the value learns from results alone.
	ValueTarget *ValueTarget `json:"value_target,omitempty"`
}

// Carry says what a generation's training takes from that of the one before.
type Carry string

// CarryWeights is a carry of the network alone; optimizer and schedule begin anew.
const CarryWeights Carry = "weights"

// IsZero tells whether c is the default, which JSON leaves out.
func (c Carry) IsZero() bool { return c != CarryWeights }

// ValueTarget mixes a script's evaluation of a position into what the value
// learns: Weight of it, 1 - Weight of the game's result.
type ValueTarget struct {
	Script Script  `json:"file"`
	Weight float64 `json:"weight"`
}

type Optimizer struct {
	Kind        string  `json:"kind"`
	Momentum    float64 `json:"momentum"` // of sgd
	WeightDecay float64 `json:"weight_decay"`
	// Of adam and adamw: absent beside sgd.
	Beta1   float64 `json:"beta1,omitempty"`
	Beta2   float64 `json:"beta2,omitempty"`
	Epsilon float64 `json:"epsilon,omitempty"`
}

type Schedule struct {
	Kind     string  `json:"kind"`
	Initial  float64 `json:"initial"`
	Factor   float64 `json:"factor"`   // of plateau and step
	Patience int     `json:"patience"` // of plateau
	Every    int     `json:"every"`    // of step
	Minimum  float64 `json:"minimum"`  // of plateau, step and cosine
	// What is absent here is no part of a trial's identity: see Leaves.
	Warmup int     `json:"warmup,omitempty"` // 0: none
	Period int     `json:"period,omitempty"` // of cosine
	Script *Script `json:"file,omitempty"`   // of hook
}

type Loss struct {
	Policy float64 `json:"policy"`
	Value  float64 `json:"value"`
	// MovesLeft is no part of a trial's identity at its default, 1.
	MovesLeft *Factor `json:"moves_left,omitzero"` // nil: 1
}

// Factor is a factor whose default is 1.
type Factor float64

// IsZero tells whether f is the default, which JSON leaves out.
func (f *Factor) IsZero() bool { return f == nil || *f == 1 }

// Value is the factor.
func (f *Factor) Value() float64 {
	if f == nil {
		return 1
	}
	return float64(*f)
}

type Tournament struct {
	Rounds      int                   `json:"rounds"`
	Search      Search                `json:"search"`          // complete: what the file leaves out is as in Settings.Search
	Limit       *SearchLimit          `json:"limit,omitempty"` // nil: none
	Temperature TournamentTemperature `json:"temperature"`
	Format      *Format               `json:"format,omitempty"`   // nil: a round robin
	Openings    *Openings             `json:"openings,omitempty"` // nil: Game.Start
	RandomPlies int                   `json:"random_plies"`
	MaxMoves    int                   `json:"max_moves"`
	Resign      *Resign               `json:"resign,omitempty"`     // nil: never
	Draw        *Draw                 `json:"draw,omitempty"`       // nil: never
	Adjudicate  *Script               `json:"adjudicate,omitempty"` // nil: none
	Players     []match.Spec          `json:"players"`
}

// Format says who meets whom: in a gauntlet the First players of the list those behind
// them, in a ladder everybody those at most Span places away.
type Format struct {
	Kind  string `json:"kind"` // "gauntlet" or "ladder"
	First int    `json:"first,omitempty"`
	Span  int    `json:"span,omitempty"`
}

// Openings is a book of openings, of which Plies are played; 0: all.
type Openings struct {
	Book  Script `json:"file"` // a file of openings, no script
	Plies int    `json:"plies"`
}

// SearchLimit ends searches of a tournament before their visits do; 0 is none.
type SearchLimit struct {
	Depth    int `json:"depth"`
	MoveTime int `json:"movetime"` // ms
}

// Resign ends games of which both players think that one has lost it.
type Resign struct {
	Score float64 `json:"score"`
	Moves int     `json:"moves"`
}

// Draw ends games that both players think drawn.
type Draw struct {
	Score float64 `json:"score"`
	Moves int     `json:"moves"`
	From  int     `json:"from"`
}

type TournamentTemperature struct {
	Power Power `json:"power"`
}

// Evaluation is what checkpoints are asked: those of every Every-th generation, and the
// last.
type Evaluation struct {
	Every    int       `json:"every"` // 0: the last only
	Puzzles  []Puzzles `json:"puzzles"`
	Search   Search    `json:"search"` // complete: what the file leaves out is as in Tournament.Search
	Accuracy bool      `json:"accuracy"`
}

// EvaluationMeasures are the names of the measures of a trial that its evaluation makes:
// the shares of each file's puzzles that are solved with the search and by the network
// alone, then what is measured on held-out games, of all phases together.
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

// Puzzles is a file of puzzles.
type Puzzles struct {
	File   string `json:"file"`   // path from the working directory
	SHA256 string `json:"sha256"` // of the file as Load found it: part of the identity of its stage, not of the trial
}

// Name is the file's name without folder and ending.
func (p Puzzles) Name() string {
	return strings.TrimSuffix(filepath.Base(p.File), filepath.Ext(p.File))
}

// Cell is a cell of the notebook; exactly one field is set.
type Cell struct {
	Text   string  `json:"text,omitempty"` // Markdown
	Figure *Figure `json:"figure,omitempty"`
	Table  string  `json:"table,omitempty"` // see tableKinds
}

// Figure is a figure of the notebook.
type Figure struct {
	Kind string `json:"kind"`
	// X is samples, generation or epoch; a key that the sweep varies, or empty for
	// the first of them, where Kind is sweep or heatmap; empty where it has no such
	// axis.
	X string `json:"x,omitempty"`
	Y string `json:"y,omitempty"` // a key that the sweep varies; empty: all others (sweep), the second (heatmap)
	// Metric is one of a hook's (hook), of a trial's (sweep, heatmap, parallel; see
	// [TrialMetrics]), or score or loss (multiples).
	Metric     string `json:"metric,omitempty"`
	Position   string `json:"position,omitempty"`   // start or a FEN, of policy, tree and board
	Generation *int   `json:"generation,omitempty"` // nil: the last; of policy, tree, board and length-histogram
	Visits     int    `json:"visits,omitempty"`     // of tree and board
	Title      string `json:"title,omitempty"`
}

// settingsOf makes typed settings of canonical values.
func settingsOf(values map[string]any) (Settings, error) {
	var s Settings
	data, err := json.Marshal(values)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
}
