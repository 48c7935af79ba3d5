package match

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/config"
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
	Material    int          `key:"material" range:"1..100" unit:"plies" doc:"Alpha-beta search of this depth that evaluates positions by material, with values for the variant."`
	Policy      Checkpoint   `key:"policy" range:"1.." words:"last untrained" doc:"A checkpoint without search, which plays the move with the highest prior: the last, the untrained, or that of a generation, if training reaches it."`
	Model       Checkpoint   `key:"model" ext:".safetensors" pattern:"^[^@]+@.+$" want:"RUN@GENERATION, as in tiny@3 or quickstart/2@last" doc:"A checkpoint of another run, such as tiny@3 or tiny@untrained (for a sweep with the first digits of a trial's hash, quickstart/2@last), or a file relative to the folder of the experiment file. It plays with its own encoder and policy, and with the search of this tournament."`

	Level    int               `key:"level" when:"uci" range:"1..8" doc:"Strength of Fairy-Stockfish, in the levels of lichess."`
	MoveTime int               `key:"movetime" when:"uci" range:"1..86400000" unit:"ms" doc:"Time for each move. Results then depend on the machine."`
	Depth    int               `key:"depth" when:"uci" range:"1..1000" unit:"plies" doc:"Search depth of the engine."`
	_        int               `key:"depth" when:"hook" range:"1..100" unit:"plies" flags:"required" doc:"Search depth."`
	_        int               `key:"depth" when:"alphabeta" range:"1..100" unit:"plies" flags:"required" doc:"Search depth."`
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
)

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
  material:DEPTH              alpha-beta on a count of material, DEPTH plies deep
  alphabeta:MODEL,depth=N     alpha-beta on the value of a network
  policy:MODEL                the move that a network's policy gives the most
  MODEL[,visits=N][,depth=N][,movetime=MS][,temperature=X]
                              tree search with a network; the depth is that of the
                              line of best play. Settings of a search have their
                              names of experiments: nodes, c_puct, c_base, c_init,
                              fpu, policy_temperature, leaves, solver, lookahead
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
			err = s.set(name, value)
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
	case Random:
		return &Spec{Player: Random}, nil
	case uci.Stockfish, uci.FairyStockfish:
		return &Spec{UCI: word}, nil
	}
	if head, rest, ok := strings.Cut(word, ":"); ok {
		if rest = strings.TrimSpace(rest); rest == "" {
			return nil, fmt.Errorf("nothing after %q", head+":")
		}
		switch head {
		case "material":
			s := &Spec{}
			return s, parseCount("depth", rest, mostPlies, &s.Material)
		case "policy":
			return &Spec{Policy: Checkpoint(rest)}, nil
		case "alphabeta":
			return &Spec{AlphaBeta: Checkpoint(rest)}, nil
		case "uci":
			words := strings.Fields(rest)
			return &Spec{UCI: words[0], Args: words[1:]}, nil
		}
	}
	if strings.Contains(word, "@") || filepath.Ext(word) == ".safetensors" {
		return &Spec{Model: Checkpoint(word)}, nil
	}
	return nil, fmt.Errorf("there is no such player; there are\n%s", Usage)
}

// Limits of settings.
const (
	mostPlies       = 100 // depth of alpha-beta, and length of the principal variation
	mostEnginePlies = 1000
	mostVisits      = 10_000_000
	mostMoveTime    = 86_400_000 // one day, in ms
)

// set sets one setting of a player.
func (s *Spec) set(name, value string) error {
	tree, engine := s.Model != "", s.UCI != ""
	switch {
	case name == "level" && engine:
		return parseCount(name, value, 8, &s.Level)
	case name == "nodes" && engine:
		return parseCount(name, value, math.MaxInt, &s.Nodes)
	case name == "depth" && engine:
		return parseCount(name, value, mostEnginePlies, &s.Depth)
	case name == "depth" && s.Material > 0:
		return parseCount(name, value, mostPlies, &s.Material)
	case name == "depth" && (tree || s.AlphaBeta != ""):
		return parseCount(name, value, mostPlies, &s.Depth)
	case name == "movetime" && (tree || engine):
		return parseCount(name, value, mostMoveTime, &s.MoveTime)
	case name == "visits" && tree:
		return parseCount(name, value, mostVisits, &s.Visits)
	case name == "temperature" && tree:
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x > 0 && x <= 100) {
			return fmt.Errorf("%s: want a number above 0, to 100, have %q", name, value)
		}
		s.Temperature = x
		return nil
	case engine:
		if s.Options == nil {
			s.Options = map[string]string{}
		}
		s.Options[name] = value
		return nil
	case tree && slices.Contains(search.Settable(), name):
		if err := new(search.Config).Set(name, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.Search = append(s.Search, uci.Setting{Name: name, Value: value})
		return nil
	}
	return fmt.Errorf("it has no setting %q", name)
}

// parseCount parses an integer from 1 to most.
func parseCount(name, value string, most int, into *int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most {
		if most == math.MaxInt {
			return fmt.Errorf("%s: want a whole number of at least 1, have %q", name, value)
		}
		return fmt.Errorf("%s: want a whole number from 1 to %d, have %q", name, most, value)
	}
	*into = n
	return nil
}

// Check returns an error for missing settings.
func (s *Spec) Check() error {
	switch {
	case s.UCI != "" && s.Level == 0 && s.limit() == (uci.Limit{}):
		return errors.New("an engine needs a limit: nodes=N, depth=N, movetime=MS or level=N")
	case s.AlphaBeta != "" && s.Depth == 0:
		return errors.New("alpha-beta needs a depth: depth=N")
	}
	return nil
}

// Network returns the checkpoint of the player's network, or "" if it uses no network.
func (s *Spec) Network() Checkpoint {
	for _, c := range []Checkpoint{s.Model, s.Policy, s.AlphaBeta} {
		if c != "" {
			return c
		}
	}
	if s.Player == Last || s.Player == Untrained {
		return Checkpoint(s.Player)
	}
	return ""
}

// Plies returns the depth of an alpha-beta player, and 0 for other players.
func (s *Spec) Plies() int {
	switch {
	case s.Material > 0:
		return s.Material
	case s.AlphaBeta != "" || s.Hook != nil:
		return s.Depth
	}
	return 0
}

// limit returns the engine's limit for each move.
func (s *Spec) limit() uci.Limit {
	return uci.Limit{MoveTime: time.Duration(s.MoveTime) * time.Millisecond, Depth: s.Depth, Nodes: int64(s.Nodes)}
}

// Opponent returns the engine of an engine player, and nil for other players.
func (s *Spec) Opponent() *uci.Opponent {
	return &uci.Opponent{Program: s.UCI, Args: s.Args, Level: s.Level, Options: s.Options, Limit: s.limit()}
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
	if n := s.Plies(); n > 0 {
		return fmt.Sprintf("%s alpha-beta depth %d", of, n)
	}
	if s.Policy != "" {
		return of + " policy"
	}
	if s.Visits > 0 {
		of += fmt.Sprintf(" %d visits", s.Visits)
	}
	if s.Depth > 0 {
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

// LimitVisits sets the visits of a tree search that has no limit of its own.
func (s *Spec) LimitVisits(visits int) {
	limited := slices.ContainsFunc(s.Search, func(x uci.Setting) bool { return x.Name == "nodes" })
	if s.Model != "" && s.Visits == 0 && s.Depth == 0 && s.MoveTime == 0 && !limited {
		s.Visits = visits
	}
}
