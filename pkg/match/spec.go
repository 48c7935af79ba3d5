package match

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/config"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// Spec describes a player. Both the YAML of tournament.players and the words of the command
// line ([ParseSpec]) are parsed into it, and [Spec.New] makes the player.
//
// Exactly one field of the first group selects how the player finds its moves. The other
// fields are settings; zero means unset. Every and Generations stand for several players of
// an experiment.
type Spec struct {
	_ struct{} `short:"player" oneof:"every generations player uci hook alphabeta material policy model"`

	Every       int          `key:"every" range:"1..1000000" unit:"generations" doc:"The checkpoints of every N-th generation, and always the last one."`
	Generations []int        `key:"generations" range:"1.." unit:"generations" min:"1" flags:"single" doc:"The checkpoints of these generations, if training reaches them."`
	Player      string       `key:"player" enum:"last untrained random" doc:"last: the last checkpoint. untrained: the network before training. random: random legal moves."`
	UCI         string       `key:"uci" want:"the name of a UCI engine" doc:"A UCI engine, by its name on the PATH."`
	Hook        *config.File `key:"hook" ext:".go" doc:"Alpha-beta search that evaluates positions with a Go script."`
	AlphaBeta   Checkpoint   `key:"alphabeta" range:"1.." words:"last untrained" doc:"Alpha-beta search that evaluates positions with a network: the last, the untrained, or that of a generation, if training reaches it."`
	Material    int          `key:"material" range:"1..100" unit:"plies" doc:"Alpha-beta search of this depth that evaluates positions by material, with values for built-in variants; in rules in files it counts pieces alone."`
	Policy      Checkpoint   `key:"policy" range:"1.." words:"last untrained" doc:"A checkpoint without search, which plays the move with the highest prior: the last, the untrained, or that of a generation, if training reaches it."`
	Model       Checkpoint   `key:"model" ext:".safetensors .pb.gz" pattern:"^[^@]+@.+$|\\.safetensors$|\\.pb\\.gz$" want:"RUN@GENERATION, as in tiny@3 or quickstart/2@last, or the path of a .safetensors or .pb.gz file" doc:"A checkpoint of another run, such as tiny@3 or tiny@untrained (for a sweep with the first digits of a trial's hash, quickstart/2@last), or a file relative to the folder of the experiment file, also a weight file of Leela Chess Zero (.pb.gz). It plays with its own encoder and policy, and with the search of this tournament."`

	Level    int               `key:"level" when:"uci" range:"1..8" doc:"Strength of Fairy-Stockfish, in the levels of lichess."`
	MoveTime int               `key:"movetime" when:"uci" range:"1..86400000" unit:"ms" doc:"Time for each move. Results then depend on the machine."`
	Depth    int               `key:"depth" when:"uci" range:"1..1000" unit:"plies" doc:"Search depth of the engine."`
	_        int               `key:"depth" when:"hook" range:"1..100" unit:"plies" flags:"required" doc:"Search depth."`
	_        int               `key:"depth" when:"alphabeta" range:"1..100" unit:"plies" flags:"required" doc:"Search depth."`
	Ends     string            `key:"ends" enum:"rules network" when:"alphabeta" absent:"rules" doc:"What evaluates a position in which the game is over: the rules, or the network as any other position. With network, the player does not know a mate when it sees one: the program of the minimax paper plays so."`
	Nodes    int               `key:"nodes" when:"uci" range:"1.." unit:"nodes" doc:"Number of nodes that the engine searches."`
	Options  map[string]string `key:"options" when:"uci" doc:"UCI options, such as Skill Level: 3."`
	Rounds   int               `key:"rounds" range:"1.." unit:"games" absent:"as tournament.rounds" doc:"Number of games against each other player."`

	// Settings that only the command line has: an experiment has one search for all
	// players.
	Args        []string      // arguments of the engine's program
	Visits      int           // of a tree search; 0: the default
	Temperature float64       // of a tree search; 0: the most visited move
	Search      []uci.Setting // of a tree search, see [search.Settable]
}

// Keywords of Spec.Player and of checkpoints.
const (
	Last      = "last"      // the trial's last checkpoint
	Untrained = "untrained" // the trial's network before training
	Random    = "random"    // random legal moves
	Uniform   = "uniform"   // a tree search without a network; only on the command line
)

// endsByNetwork is the value of Spec.Ends that is not its default.
const endsByNetwork = "network"

// Kinds of players.
const (
	TreeKind      = "tree"
	PolicyKind    = "policy"
	AlphaBetaKind = "alphabeta"
	EngineKind    = "engine"
	RandomKind    = "random"
)

// Kind returns how the player finds its moves.
func (s *Spec) Kind() string {
	switch {
	case s.UCI != "":
		return EngineKind
	case s.Material > 0 || s.Hook != nil || s.AlphaBeta != "":
		return AlphaBetaKind
	case s.Policy != "":
		return PolicyKind
	case s.Player == Random:
		return RandomKind
	}
	return TreeKind
}

// Checkpoint names a network: "last", "untrained" or a generation number of the same trial,
// RUN@GENERATION of another run, or a file.
type Checkpoint string

// Generation returns the generation number of the trial's own checkpoint: last for "last",
// and 0 for "untrained".
func (c Checkpoint) Generation(last int) int {
	switch c {
	case Last:
		return last
	case Untrained:
		return 0
	}
	n, _ := strconv.Atoi(string(c)) // validation accepts only numbers here
	return n
}

// Usage documents the syntax of [ParseSpec].
const Usage = `  random                      random legal moves
  material:DEPTH[,movetime=MS]  alpha-beta on a count of material, DEPTH plies deep
  alphabeta:MODEL,depth=N[,movetime=MS][,ends=network]
                              alpha-beta on the value of a network; with ends=network
                              also where the game is over
  policy:MODEL                the most probable move in a network's policy
  MODEL[,visits=N][,depth=N][,movetime=MS][,temperature=X]
                              tree search with a network; the depth is that of the
                              line of best play. Settings of a search have their
                              names of experiments (search.* in REFERENCE.md), such
                              as nodes, c_puct, fpu, policy_temperature, best,
                              solver, root (puct or gumbel), root.c_scale. Without
                              them c_puct is 1.5, fpu 0.3, lookahead 1 and the solver
                              is on, whatever the network's experiment says
  uniform[,visits=N]...       the same search without a network
  stockfish,nodes=N           a UCI engine: stockfish, fairy-stockfish, or
  uci:PROGRAM ARGS,depth=N    any program. At least one of nodes=N, depth=N,
                              movetime=MS and level=1..8 (lichess' levels of play);
                              any other NAME=VALUE is an option of the engine`

// ParseSpec parses a player of the command line: a word, then settings after commas. See
// [Usage].
func ParseSpec(text string) (*Spec, error) {
	word, settings, found := strings.Cut(text, ",")
	if parts := labeledModel.FindStringSubmatch(text); parts != nil {
		word = parts[1]
		settings, found = strings.CutPrefix(parts[2], ",")
	}
	s, err := parseWord(strings.TrimSpace(word))
	for found && err == nil {
		var part string
		part, settings, found = strings.Cut(settings, ",")
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" {
			err = fmt.Errorf("want NAME=VALUE after a comma, have %q", part)
		} else {
			err = s.Set(name, value)
		}
	}
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", text, err)
	}
	return s, nil
}

// labeledModel matches a model that is named by the values of a sweep, whose commas belong
// to the name: lab/width=16,seed=8@last.
var labeledModel = regexp.MustCompile(`^((?:policy:|alphabeta:)?[a-z0-9-]+/[^@:]+@\w+)(,.*)?$`)

// parseWord parses a player without its settings.
func parseWord(word string) (*Spec, error) {
	switch word {
	case Random, Uniform:
		return &Spec{Player: word}, nil
	case uci.Stockfish, uci.FairyStockfish:
		return &Spec{UCI: word}, nil
	}
	if head, rest, ok := strings.Cut(word, ":"); ok {
		if rest = strings.TrimSpace(rest); rest == "" {
			return nil, fmt.Errorf("nothing after %q", head+":")
		}
		switch head {
		case "material":
			s := &Spec{Material: 1}
			return s, s.Set("depth", rest)
		case "policy":
			return &Spec{Policy: Checkpoint(rest)}, nil
		case "alphabeta":
			return &Spec{AlphaBeta: Checkpoint(rest)}, nil
		case "uci":
			words := strings.Fields(rest)
			return &Spec{UCI: words[0], Args: words[1:]}, nil
		}
	}
	if strings.Contains(word, "@") || nn.IsModel(word) {
		return &Spec{Model: Checkpoint(word)}, nil
	}
	return nil, fmt.Errorf("there is no such player; there are\n%s", Usage)
}

// Limits of settings.
const (
	mostPlies       = 100 // depth of alpha-beta, and length of the principal variation
	mostEnginePlies = 1000
	mostVisits      = search.Unlimited
	mostTree        = 1 << 29    // bytes of a tree whose visits have no other limit
	mostMoveTime    = 86_400_000 // one day, in ms
)

// number is a numeric setting of a kind of player on the command line.
type number struct {
	kind, name string
	field      *int
	most       int
}

func (s *Spec) numbers() []number {
	depth := &s.Depth
	if s.Material > 0 {
		depth = &s.Material
	}
	return []number{
		{TreeKind, "visits", &s.Visits, mostVisits},
		{TreeKind, "depth", depth, mostPlies},
		{TreeKind, "movetime", &s.MoveTime, mostMoveTime},
		{AlphaBetaKind, "depth", depth, mostPlies},
		{AlphaBetaKind, "movetime", &s.MoveTime, mostMoveTime},
		{EngineKind, "level", &s.Level, 8},
		{EngineKind, "nodes", &s.Nodes, math.MaxInt},
		{EngineKind, "depth", depth, mostEnginePlies},
		{EngineKind, "movetime", &s.MoveTime, mostMoveTime},
	}
}

// Set sets a setting as written on the command line.
func (s *Spec) Set(name, value string) error {
	kind := s.Kind()
	for _, n := range s.numbers() {
		if n.kind != kind || n.name != name {
			continue
		}
		x, err := strconv.Atoi(value)
		if err == nil && 1 <= x && x <= n.most {
			*n.field = x
			return nil
		}
		if n.most == math.MaxInt {
			return fmt.Errorf("%s: want a whole number of at least 1, have %q", name, value)
		}
		return fmt.Errorf("%s: want a whole number from 1 to %d, have %q", name, n.most, value)
	}
	switch {
	case kind == EngineKind:
		s.Options = maps.Clone(s.Options)
		if s.Options == nil {
			s.Options = map[string]string{}
		}
		s.Options[name] = value
		return nil
	case s.AlphaBeta != "" && name == "ends":
		if err := config.Set(s, name, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	case kind == TreeKind && name == "temperature":
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x > 0 && x <= 100) {
			return fmt.Errorf("%s: want a number above 0, to 100, have %q", name, value)
		}
		s.Temperature = x
		return nil
	case kind == TreeKind && slices.Contains(search.Settable(), name):
		if err := new(search.Config).Set(name, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.Search = append(slices.Clone(s.Search), uci.Setting{Name: name, Value: value})
		return nil
	}
	return fmt.Errorf("it has no setting %q", name)
}

// Limits returns the settings that limit each move, as written on the command line:
// "visits=400,movetime=1000".
func (s *Spec) Limits() string {
	var words []string
	for _, n := range s.numbers() {
		if n.kind == s.Kind() && *n.field > 0 {
			words = append(words, fmt.Sprintf("%s=%d", n.name, *n.field))
		}
	}
	return strings.Join(words, ",")
}

// Check returns an error for missing settings.
func (s *Spec) Check() error {
	switch {
	case s.UCI != "" && s.Level == 0 && s.Limit() == (uci.Limit{}):
		return errors.New("an engine needs a limit: nodes=N, depth=N, movetime=MS or level=N")
	case s.AlphaBeta != "" && s.Depth == 0:
		return errors.New("alpha-beta needs a depth: depth=N")
	}
	cfg := uci.SearchConfig(1)
	set(&cfg, s.Search)
	for _, x := range s.Search {
		if _, err := settingOf(cfg, x.Name); err != nil {
			return err
		}
	}
	if cfg.Root.Considered > 0 && s.Limit() != (uci.Limit{}) && s.Visits == 0 && cfg.Nodes == 0 {
		return errors.New("root=gumbel shares out a number of visits: add visits=N")
	}
	return nil
}

// settingOf returns a setting of a search, or an error if it has no effect there.
func settingOf(cfg search.Config, key string) (any, error) {
	x, ok := config.ValueAt(config.Of[search.Config]().Values(cfg, config.Form{}), key)
	if !ok {
		return nil, fmt.Errorf("%s: it has no effect in this search, but only %s: add that to the player, after a comma", key, config.Of[search.Config]().Lookup(key).When)
	}
	return x, nil
}

// Network returns the checkpoint of the player's network, or "" if it uses no network.
func (s *Spec) Network() Checkpoint {
	if s.Player == Last || s.Player == Untrained { // of an experiment
		return Checkpoint(s.Player)
	}
	return cmp.Or(s.Model, s.Policy, s.AlphaBeta)
}

// Limit returns the player's limit for each move.
func (s *Spec) Limit() uci.Limit {
	return uci.Limit{
		MoveTime: time.Duration(s.MoveTime) * time.Millisecond,
		Depth:    cmp.Or(s.Material, s.Depth),
		Nodes:    int64(cmp.Or(s.Visits, s.Nodes)),
	}
}

// Timed reports whether the time of a move limits a tree search.
func (s *Spec) Timed() bool { return s.Kind() == TreeKind && s.MoveTime > 0 }

// Opponent returns the engine of an engine player.
func (s *Spec) Opponent() *uci.Opponent {
	return &uci.Opponent{Program: s.UCI, Args: s.Args, Level: s.Level, Options: s.Options, Limit: s.Limit()}
}

// Name returns the player's name for tables and games. of is the name of its network or
// script.
func (s *Spec) Name(of string) string {
	switch {
	case s.UCI != "":
		return s.Opponent().Name()
	case s.Material > 0:
		of = "material"
	case s.Player == Random:
		return Random
	}
	switch s.Kind() {
	case AlphaBetaKind:
		of += fmt.Sprintf(" alpha-beta depth %d", s.Limit().Depth)
		if s.Ends == endsByNetwork {
			of += " ends by network"
		}
	case PolicyKind:
		of += " policy"
	}
	if s.Visits > 0 {
		of += fmt.Sprintf(" %d visits", s.Visits)
	}
	if s.Depth > 0 && s.Kind() == TreeKind {
		of += fmt.Sprintf(" depth %d", s.Depth)
	}
	if s.MoveTime > 0 {
		of += fmt.Sprintf(" %d ms", s.MoveTime)
	}
	for _, x := range s.Search {
		of += fmt.Sprintf(", %s %s", x.Name, x.Value)
	}
	if s.Temperature > 0 {
		of += fmt.Sprintf(", temperature %g", s.Temperature)
	}
	return of
}
