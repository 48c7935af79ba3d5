package match

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// kind is what a player thinks with.
type kind int

const (
	random    kind = iota
	material       // alpha-beta on a count of material
	alphabeta      // alpha-beta on the value of a network
	policy         // the move that a network's policy gives the most
	model          // a tree search with a network
	engine         // a UCI engine
)

// Player is a player before it plays.
type Spec struct {
	kind   kind
	model  string // as a person names it
	engine uci.Opponent

	depth       int           // of alpha-beta, or of a line of the tree; 0: none
	visits      int           // of a tree; 0: none but the match's
	time        time.Duration // of a tree, for each move; 0: none
	settings    []setting     // of a tree, that are not the engine's defaults
	temperature float64       // of a tree; 0: the most visited move
}

// setting is one of [search.Settable].
type setting struct{ name, value string }

// Words is what a person is told of the words that [ParsePlayer] reads.
const Words = `  random                      random legal moves
  material:DEPTH              alpha-beta so many plies deep on a count of material
  alphabeta:MODEL,depth=N     alpha-beta on the value of a network
  policy:MODEL                the move that a network's policy gives the most
  MODEL[,visits=N][,depth=N][,movetime=MS][,temperature=X]
                              tree search with a network; a depth is that of the line
                              of best play. Settings of a search are called as in
                              experiments: nodes, c_puct, c_base, c_init, fpu,
                              policy_temperature, leaves, solver, lookahead
  stockfish,nodes=N           a UCI engine: stockfish, fairy-stockfish, or
  uci:PROGRAM ARGS,depth=N    any program. At least one of nodes=N, depth=N,
                              movetime=MS and level=1..8 (lichess' levels of play);
                              any other NAME=VALUE is an option of the engine`

// ParsePlayer reads a player: a word, and after commas its settings. See [Words].
func ParsePlayer(s string) (*Spec, error) {
	parts := strings.Split(s, ",")
	p, err := parseKind(strings.TrimSpace(parts[0]))
	if err == nil {
		for _, part := range parts[1:] {
			name, value, ok := strings.Cut(part, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if !ok || name == "" {
				err = fmt.Errorf("want NAME=VALUE after a comma, have %q", part)
			} else if p.kind == engine {
				err = p.setEngine(name, value)
			} else {
				err = p.set(name, value)
			}
			if err != nil {
				break
			}
		}
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, fmt.Errorf("player %q: %w", s, err)
	}
	return p, nil
}

func parseKind(word string) (*Spec, error) {
	switch word {
	case "random":
		return &Spec{kind: random}, nil
	case uci.Stockfish, uci.FairyStockfish:
		return &Spec{kind: engine, engine: uci.Opponent{Program: word}}, nil
	}
	if head, rest, ok := strings.Cut(word, ":"); ok {
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return nil, fmt.Errorf("nothing after %q", head+":")
		}
		switch head {
		case "material":
			p := &Spec{kind: material}
			return p, p.set("depth", rest)
		case "policy":
			return &Spec{kind: policy, model: rest}, nil
		case "alphabeta":
			return &Spec{kind: alphabeta, model: rest}, nil
		case "uci":
			words := strings.Fields(rest)
			return &Spec{kind: engine, engine: uci.Opponent{Program: words[0], Args: words[1:]}}, nil
		}
	}
	if strings.Contains(word, "@") || filepath.Ext(word) == ".safetensors" {
		return &Spec{kind: model, model: word}, nil
	}
	return nil, fmt.Errorf("there is no such player; there are\n%s", Words)
}

// set sets a setting of a player that is no engine.
func (p *Spec) set(name, value string) error {
	whole := func(dst *int, most int) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("%s: want a whole number from 1 to %d, have %q", name, most, value)
		}
		*dst = n
		return nil
	}
	number := func(dst *float64) error {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x > 0 && x <= 100) {
			return fmt.Errorf("%s: want a number above 0, to 100, have %q", name, value)
		}
		*dst = x
		return nil
	}
	tree := p.kind == model
	switch {
	case name == "depth" && (tree || p.kind == material || p.kind == alphabeta):
		return whole(&p.depth, 100)
	case name == "visits" && tree:
		return whole(&p.visits, 1_000_000_000)
	case name == "movetime" && tree:
		var ms int
		err := whole(&ms, 86_400_000)
		p.time = time.Duration(ms) * time.Millisecond
		return err
	case name == "temperature" && tree:
		return number(&p.temperature)
	case tree && slices.Contains(search.Settable(), name):
		if err := new(search.Config).Set(name, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.settings = append(p.settings, setting{name, value})
		return nil
	}
	return fmt.Errorf("it has no setting %q", name)
}

// setEngine sets a limit, a level, or an option of an engine.
func (p *Spec) setEngine(name, value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	bad := err != nil || n < 1
	switch o := &p.engine; name {
	case "level":
		o.Level = int(n)
		bad = bad || n > 8
	case "depth":
		o.Limit.Depth = int(n)
		bad = bad || n > 1000
	case "nodes":
		o.Limit.Nodes = n
	case "movetime":
		o.Limit.MoveTime = time.Duration(n) * time.Millisecond
		bad = bad || n > 86_400_000
	default:
		if o.Options == nil {
			o.Options = map[string]string{}
		}
		o.Options[name] = value
		return nil
	}
	if bad {
		return fmt.Errorf("%s: %q is no such number", name, value)
	}
	return nil
}

// check finds what is missing.
func (p *Spec) check() error {
	switch {
	case p.kind == engine && p.engine.Level == 0 && p.engine.Limit == (uci.Limit{}):
		return fmt.Errorf("an engine needs a limit: nodes=N, depth=N, movetime=MS or level=N")
	case p.kind == alphabeta && p.depth == 0:
		return fmt.Errorf("alpha-beta needs a depth: depth=N")
	}
	return nil
}

// network tells whether the player has one.
func (p *Spec) network() bool { return p.kind == model || p.kind == policy || p.kind == alphabeta }

// name is what tables and games call the player.
func (p *Spec) name(visits int) string {
	of := p.model
	if !strings.Contains(of, "@") {
		of = strings.TrimSuffix(filepath.Base(of), filepath.Ext(of))
	}
	switch p.kind {
	case material:
		return fmt.Sprintf("material alpha-beta depth %d", p.depth)
	case alphabeta:
		return fmt.Sprintf("%s alpha-beta depth %d", of, p.depth)
	case policy:
		return of + " policy"
	case engine:
		return p.engine.Name()
	case model:
		if n := p.mostVisits(visits); n > 0 {
			of += fmt.Sprintf(" %d visits", n)
		}
		if p.depth > 0 {
			of += fmt.Sprintf(" depth %d", p.depth)
		}
		if p.time > 0 {
			of += fmt.Sprintf(" %d ms", p.time.Milliseconds())
		}
		for _, s := range p.settings {
			of += fmt.Sprintf(", %s %s", s.name, s.value)
		}
		if p.temperature > 0 {
			of += fmt.Sprintf(", temperature %g", p.temperature)
		}
		return of
	}
	return "random"
}

// mostVisits is how many visits a tree has: those of the match, unless the player has
// a limit of its own; 0: as many as the limit allows.
func (p *Spec) mostVisits(visits int) int {
	switch {
	case p.visits > 0:
		return p.visits
	case p.depth > 0 || p.time > 0 || slices.ContainsFunc(p.settings, func(s setting) bool { return s.name == "nodes" }):
		return 0
	}
	return visits
}

// power is that of visits in the choice of a move.
func (p *Spec) power() float64 {
	if p.temperature == 0 {
		return math.Inf(1)
	}
	return 1 / p.temperature
}
