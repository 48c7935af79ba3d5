package match

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/config"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// Tuning looks for better settings of the tree search of a player, without training. It is a
// match of the player against itself: in each pair of games, the two sides have settings on
// both sides of the present ones, and the result moves these ([SPSA]).
type Tuning struct {
	Config      // Tune sets Rounds, and the second player, which is the first one again
	SPSA   SPSA // Tune sets Start and Seed

	// Own has the player's own values of the settings before Tune, as numbers, or as words
	// such as the fpu "zero", for which the middle of the range is the start.
	Own []any

	own TreeSearch // of the player
}

// ParseRange parses a setting with its bounds: "c_puct=0.5..4", and maybe the gains after
// commas: "c_puct=0.5..4,c=0.2,r=0.01". The setting may be written as in experiments, as
// search.c_puct or tournament.search.c_puct.
func ParseRange(text string) (r Range, err error) {
	key, bounds, _ := strings.Cut(text, "=")
	bounds, gains, more := strings.Cut(bounds, ",")
	low, high, found := strings.Cut(bounds, "..")
	r.Key = strings.TrimPrefix(strings.TrimPrefix(key, "tournament."), "search.")
	tunable := search.Tunable()
	if !slices.Contains(tunable, r.Key) {
		hint := config.DidYouMean(r.Key, tunable)
		return r, fmt.Errorf("%q: no search has such a number to tune: want one of %s%s", key, strings.Join(tunable, ", "), strings.TrimSuffix("; "+hint, "; "))
	}
	if !found {
		return r, fmt.Errorf("%s: want %s=LOW..HIGH, have %q", key, key, text)
	}
	for _, end := range []struct {
		text string
		into *float64
	}{{low, &r.Low}, {high, &r.High}} {
		if *end.into, err = strconv.ParseFloat(end.text, 64); err != nil {
			return r, fmt.Errorf("%s: want %s=LOW..HIGH with numbers, have %q", key, key, end.text)
		}
		if err := new(search.Config).Set(r.Key, end.text); err != nil {
			return r, fmt.Errorf("%s: %w", key, err)
		}
	}
	for more {
		var part string
		part, gains, more = strings.Cut(gains, ",")
		name, value, _ := strings.Cut(part, "=")
		into, known := map[string]*float64{"c": &r.C, "r": &r.R}[name]
		x, err := strconv.ParseFloat(value, 64)
		if !known || err != nil || !(x > 0) {
			return r, fmt.Errorf("%s: want c=NUMBER or r=NUMBER, above 0, after the range, have %q", key, part)
		}
		*into = x
	}
	r.Whole = config.Of[search.Config]().Lookup(r.Key).Type.(config.Number).Whole
	return r, r.validate()
}

// Tune plays the games of a tuning. Games in the file are not played again. After an error or
// cancellation, the file's journal holds the finished games, and the next Tune continues from
// there. The result is in [SPSA.Mean].
func Tune(ctx context.Context, t *Tuning) error {
	if err := t.prepare(); err != nil {
		return err
	}
	t.Rounds = 2 * t.SPSA.Pairs
	t.SPSA.Seed = derive(t.Tournament.Seed, 0, "tune")
	t.Players[1], t.tuning = t.Players[0], t
	return (&match{cfg: &t.Config, end: t.Rounds}).run(ctx)
}

// state returns the present values in words.
func (t *Tuning) state() string {
	var now []string
	for i, x := range t.SPSA.Values(t.SPSA.Done()) {
		now = append(now, fmt.Sprintf("%s %.3g", t.SPSA.Ranges[i].Key, x))
	}
	return strings.Join(now, ", ")
}

// prepare finds where the settings start.
func (t *Tuning) prepare() error {
	player := t.Players[0]
	if player.Kind() != TreeKind {
		return fmt.Errorf("%s: want a tree search to tune, such as MODEL,visits=100", player.Name())
	}
	t.own = player.treeSearch(player.defaults())
	t.Own, t.SPSA.Start = nil, nil
	for i, r := range t.SPSA.Ranges {
		if slices.ContainsFunc(t.SPSA.Ranges[:i], func(other Range) bool { return other.Key == r.Key }) {
			return fmt.Errorf("%s: it is given twice", r.Key)
		}
		x, err := settingOf(t.own.Config, r.Key)
		if err != nil {
			return err
		}
		start := config.Float(x)
		if _, isWord := x.(string); isWord {
			start = r.value(0.5)
		}
		t.Own, t.SPSA.Start = append(t.Own, x), append(t.SPSA.Start, start)
	}
	return t.SPSA.validate()
}

// Found returns the mean settings over the last quarter of the pairs, with three digits.
func (t *Tuning) Found() []float64 {
	values := t.SPSA.Mean()
	for i, r := range t.SPSA.Ranges {
		if !r.Whole {
			short, _ := strconv.ParseFloat(strconv.FormatFloat(values[i], 'g', 3, 64), 64)
			values[i] = min(r.High, max(r.Low, short))
		}
	}
	return values
}

// settings returns values of the ranges as settings of a player.
func (t *Tuning) settings(values []float64) (list []uci.Setting) {
	for i, x := range values {
		list = append(list, uci.Setting{Name: t.SPSA.Ranges[i].Key, Value: config.FormatFloat(x)})
	}
	return list
}

// With returns the player with other values of the settings.
func (t *Tuning) With(values []float64) *Opened {
	settings := t.settings(values)
	p := *t.Players[0]
	p.Search = slices.DeleteFunc(slices.Clone(p.Search), func(own uci.Setting) bool {
		return slices.ContainsFunc(settings, func(s uci.Setting) bool { return s.Name == own.Name })
	})
	p.Search = append(p.Search, settings...)
	return &p
}

// Names of the two sides. The name decides who has White in the first game of a pair.
const (
	plusSide  = "plus"
	minusSide = "minus"
)

// sides turns the entries of the player into those of the two sides.
func (t *Tuning) sides(players []Entry) {
	for i, name := range []string{plusSide, minusSide} {
		e := &players[i]
		e.ID = fmt.Sprintf("%s %s %+v %d %d", e.ID, name, t.SPSA.Ranges, t.SPSA.Pairs, t.SPSA.Delay)
		e.Name = name
		how := t.own
		how.OfGame = func(number int) search.Config { return t.search(name, number/2) }
		e.New = func() (Player, error) { return NewMCTS(name, how, t.Players[0].Model.Eval) }
	}
}

// search returns the settings of a side in the games of a pair.
func (t *Tuning) search(side string, pair int) search.Config {
	values, minus := t.SPSA.Players(pair)
	if side == minusSide {
		values = minus
	}
	cfg := t.own.Config
	set(&cfg, t.settings(values))
	return cfg
}

// TrajectoryHead is how the files of [Tuning.WriteTrajectory] begin.
const TrajectoryHead = "pair,points,"

// WriteTrajectory writes the values after each pair as CSV, with the points of the plus side.
func (t *Tuning) WriteTrajectory(w io.Writer) error {
	row := []string{"pair", "points"}
	for _, r := range t.SPSA.Ranges {
		row = append(row, r.Key)
	}
	rows := [][]string{row}
	for k := range t.SPSA.Done() + 1 {
		row := []string{strconv.Itoa(k), ""}
		if k > 0 {
			row[1] = fmt.Sprint(t.SPSA.points[k-1])
		}
		for _, s := range t.settings(t.SPSA.Values(k)) {
			row = append(row, s.Value)
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// YAML returns the player's tree search as the tournament of an experiment: the keys that
// differ from the defaults of the language.
func (p *Opened) YAML() string {
	how := p.treeSearch(p.defaults())
	own := p.defaults().Config
	set(&own, p.Search)
	how.Leaves = own.Leaves // more are for a player that has the machine to itself
	language := config.Of[search.Config]()
	how.Root.Noise = config.Default[search.Config]("root.noise") // in a tournament it is 0 by default
	values := changed(language.Group, language.Values(how.Config, config.Form{}))
	if how.Visits == mostVisits { // another limit ends the search
		delete(values, "visits")
	}
	power := "max"
	if p.Temperature > 0 {
		power = config.FormatFloat(how.Power)
	}
	text := strings.ReplaceAll("\n"+strings.TrimSpace(string(language.YAML(values))), "\n", "\n    ")
	text = "tournament:\n  search:" + text + "\n  temperature: {power: " + power + "}\n"
	var limits []string
	for _, l := range []struct {
		key string
		n   int
	}{{"depth", p.Depth}, {"movetime", p.MoveTime}} {
		if l.n > 0 {
			limits = append(limits, fmt.Sprintf("%s: %d", l.key, l.n))
		}
	}
	if len(limits) > 0 {
		text += "  limit: {" + strings.Join(limits, ", ") + "}\n"
	}
	return text
}

// changed returns the values of a group that differ from their defaults.
func changed(g *config.Group, values map[string]any) map[string]any {
	kept := map[string]any{}
	for _, f := range g.Fields {
		x, present := values[f.Key]
		inner, isGroup := f.Type.(*config.Group)
		if isGroup && present {
			if m := changed(inner, x.(map[string]any)); len(m) > 0 {
				kept[f.Key] = m
			}
		} else if present && x != f.Default {
			kept[f.Key] = x
		}
	}
	return kept
}
