package report

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// Query selects and groups trials, also of several experiments, for one table.
type Query struct {
	Where   []string // conditions KEY=VALUE that a trial meets
	Group   []string // keys; trials with equal values are one row. Empty: all keys that differ, but the seed
	Metrics []string // see [store.Trial.Measure]; empty: those of a sweep's table
	Sort    string   // metric by which rows are sorted, the best first; empty: as the trials
}

// experimentKey is the key of the name of a trial's experiment.
const experimentKey = "experiment"

// Selection is the result of a query: trials, and the settings that tell them apart.
type Selection struct {
	query  Query
	trials []*store.Trial
	values map[*store.Trial]map[string]string // settings of each trial by key
	keys   []string                           // that differ between trials, without the seed
	group  []string                           // keys that form rows
	chart  string                             // the metric of the figure
}

// Select selects trials. Unknown keys and metrics are errors.
func (q Query) Select(trials []*store.Trial) (*Selection, error) {
	s := &Selection{query: q, values: map[*store.Trial]map[string]string{}}
	if len(q.Metrics) == 0 {
		s.query.Metrics = trialColumns
	}
	s.chart = s.query.Metrics[0]
	if len(q.Metrics) == 0 && anyFinal(trials) {
		s.chart = "loss"
	}
	all := make([]map[string]string, len(trials))
	known := map[string]bool{} // all keys, and whether a sweep varies them
	for i, t := range trials {
		all[i] = settingsOf(t)
		for k := range all[i] {
			known[k] = known[k] || slices.ContainsFunc(t.Declared.Axis, func(x experiment.AxisValue) bool { return x.Path == k })
		}
	}
	conditions, err := q.conditions(known)
	if err != nil {
		return nil, err
	}
	var selected []map[string]string
	for i, t := range trials {
		meets := true
		for _, c := range conditions {
			meets = meets && all[i][c.key] == c.value
		}
		if meets {
			s.trials, selected = append(s.trials, t), append(selected, all[i])
			s.values[t] = all[i]
		}
	}
	if len(s.trials) == 0 {
		return nil, fmt.Errorf("no trial of %d meets the conditions", len(trials))
	}
	s.keys = differing(slices.Sorted(maps.Keys(known)), selected)
	s.group = s.keys
	if len(q.Group) > 0 {
		s.group = nil
		for _, key := range q.Group {
			key, err := wholeKey(known, key)
			if err != nil {
				return nil, fmt.Errorf("--group: %w", err)
			}
			s.group = append(s.group, key)
		}
	}
	metrics := s.query.Metrics
	if q.Sort != "" {
		metrics = append(slices.Clone(metrics), q.Sort)
	}
	for _, m := range metrics {
		for _, t := range s.trials {
			if err := t.CheckMetric(m); err != nil {
				return nil, fmt.Errorf("%s: %w", t.Declared.Settings.Name, err)
			}
		}
	}
	return s, nil
}

// condition is a value that a key must have.
type condition struct{ key, value string }

// conditions returns the wanted values.
func (q Query) conditions(known map[string]bool) (wanted []condition, err error) {
	for _, w := range q.Where {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return nil, fmt.Errorf("--where: want KEY=VALUE, as in network.depth=2, have %q", w)
		}
		key, err := wholeKey(known, key)
		if err != nil {
			return nil, fmt.Errorf("--where: %w", err)
		}
		wanted = append(wanted, condition{key, value})
	}
	return wanted, nil
}

// differing returns the keys with different values, but the seed. Of keys with equal values in
// all trials, as those that tournament.search inherits from search, it returns the first.
func differing(keys []string, values []map[string]string) (out []string) {
	for _, key := range keys {
		differs := slices.ContainsFunc(values, func(v map[string]string) bool { return v[key] != values[0][key] })
		inherited := slices.ContainsFunc(out, func(other string) bool {
			return !slices.ContainsFunc(values, func(v map[string]string) bool { return v[key] != v[other] })
		})
		if differs && !inherited && key != "seed" {
			out = append(out, key)
		}
	}
	return out
}

// settingsOf returns the settings of a trial that a table can compare. Rules with a name stand for
// themselves, unless a sweep varies one of them.
func settingsOf(t *store.Trial) map[string]string {
	in, values := store.Inputs{}, map[string]string{experimentKey: t.Declared.Settings.Name}
	settings := t.Declared.Settings
	sweptRules := slices.ContainsFunc(t.Declared.Axis, func(x experiment.AxisValue) bool { return strings.HasPrefix(x.Path, experiment.RulesKey) })
	if rules := settings.Game.Rules; rules != nil && !sweptRules {
		settings.Game.Rules, settings.Game.Variant = nil, rules.Name
	}
	in.Settings("", settings)
	for path, value := range in {
		path = strings.TrimPrefix(path, ".")
		switch section, _, _ := strings.Cut(path, "."); section {
		case "name", "about", "notebook", "hooks", "alamos":
		default:
			values[path] = value
		}
	}
	return values
}

// wholeKey completes a key that may be shortened to its last parts. Of several such keys, it is
// the one that a sweep varies.
func wholeKey(known map[string]bool, short string) (string, error) {
	if _, ok := known[short]; ok {
		return short, nil
	}
	var whole, swept []string
	for _, k := range slices.Sorted(maps.Keys(known)) {
		if strings.HasSuffix(k, "."+short) {
			whole = append(whole, k)
			if known[k] {
				swept = append(swept, k)
			}
		}
	}
	if len(swept) == 1 {
		return swept[0], nil
	}
	switch len(whole) {
	case 0:
		return "", fmt.Errorf("no trial has the key %q", short)
	case 1:
		return whole[0], nil
	}
	return "", fmt.Errorf("%q is the end of several keys: want one of %s", short, strings.Join(whole, ", "))
}

// rows returns the groups of trials with equal values of the keys, sorted as the query wants.
func (s *Selection) rows() []store.Group {
	var groups []store.Group
	for _, trials := range store.GroupBy(s.trials, func(t *store.Trial) string { return strings.Join(s.valuesOf(t), "\x00") }) {
		var parts []string
		for i, value := range s.valuesOf(trials[0]) {
			key := s.group[i]
			parts = append(parts, key[strings.LastIndexByte(key, '.')+1:]+"="+brief(value))
		}
		groups = append(groups, store.Group{Name: strings.Join(parts, " "), Trials: trials})
	}
	if by := s.query.Sort; by != "" {
		better := store.MetricOf(by).Better
		gain := func(g store.Group) float64 {
			m, _ := g.Measure(by)
			return better.Gain(m.Value)
		}
		slices.SortStableFunc(groups, func(a, b store.Group) int { return cmp.Compare(gain(b), gain(a)) }) // NaN comes last
	}
	return groups
}

// valuesOf returns a trial's values of the keys that form rows.
func (s *Selection) valuesOf(t *store.Trial) []string {
	values := make([]string, len(s.group))
	for i, key := range s.group {
		values[i] = s.values[t][key]
	}
	return values
}

// Chart shows the first metric over the training, with a line for each row of the table: the
// mean of its trials, with the 95 % interval as a band. It is the loss if none was chosen and the
// trials have a final tournament, which rates only the last networks.
func (s *Selection) Chart() (plots.Chart, error) {
	groups := s.rows()
	if n := len(groups); n > mostLines {
		return nil, fmt.Errorf("a figure of %d lines, want at most %d: choose fewer trials with --where, or other keys with --group", n, mostLines)
	}
	m := store.MetricOf(s.chart, s.trials...)
	switch {
	case slices.Contains(colorColumns, m.Name):
		return nil, fmt.Errorf("%s: a tournament measures it once for a trial, not for each generation", m.Name)
	case (m.Name == "score" || m.Name == "elo") && anyFinal(s.trials):
		return nil, fmt.Errorf("%s: it is of the final tournament, which has no values of each generation: choose another metric, or draw the figure final", m.Name)
	case m.Name == "score":
		return ScoreChart(groups, "samples"), nil
	}
	return plots.Lines{X: axis("samples"), Y: axisOf(m), Series: lines(groups, boundsOf(m), overGenerations("samples", measure(m.Name)))}, nil
}

// Metric returns the name of the metric of Chart in words.
func (s *Selection) Metric() string { return store.MetricOf(s.chart, s.trials...).Label }

// anyFinal reports whether the trials have played a final tournament.
func anyFinal(trials []*store.Trial) bool {
	return slices.ContainsFunc(trials, func(t *store.Trial) bool { return t.Final != nil })
}

// Table has a row for each group of trials: the values of the keys, the number of trials, and
// the means of the metrics.
func (s *Selection) Table() Table {
	groups := s.rows()
	t := Table{Rows: make([][]Cell, len(groups))}
	for _, key := range s.group {
		t.column(Column{Name: key}, func(i int) Cell { return Cell{Text: brief(s.values[groups[i].Trials[0]][key])} })
	}
	t.column(number("trials", ""), func(i int) Cell { return Cell{Text: strconv.Itoa(len(store.Comparable(groups[i].Trials)))} })
	used := map[mark]bool{}
	for _, name := range s.query.Metrics {
		t.measure(groups, name, used)
	}
	t.Legend = legendOf(used)
	if len(s.query.Group) > 0 && len(groups) > 1 {
		t.Legend = strings.TrimSpace(t.Legend + "\n" + s.effects())
	}
	return t
}

// brief shortens a long list of values, which still differs from others in the file.
func brief(value string) string {
	const most = 40
	if text := []rune(value); len(text) > most {
		return string(text[:most]) + "…"
	}
	return value
}

// effects says how much of the differences between the trials the keys of the rows explain,
// beside all other keys that a sweep varies.
func (s *Selection) effects() string {
	keys := slices.Clone(s.group)
	for _, key := range s.keys {
		swept := func(t *store.Trial) bool { return axisValue(&t.Declared, key) != "" }
		if !slices.Contains(keys, key) && slices.ContainsFunc(s.trials, swept) {
			keys = append(keys, key)
		}
	}
	var all []*keyEffects
	var bases []string
	for _, name := range s.query.Metrics {
		if store.MetricOf(name).Better == stats.Neither {
			continue
		}
		e, err := effectsOf(store.Comparable(s.trials), keys, func(t *store.Trial, key string) string { return s.values[t][key] }, name)
		if err != nil {
			continue
		}
		all = append(all, e)
		if !slices.Contains(bases, e.basis()) {
			bases = append(bases, e.basis())
		}
	}
	var lines []string
	for _, basis := range bases {
		for _, key := range s.group {
			var parts []string
			for _, e := range all {
				if part := e.text(key); part != "" && e.basis() == basis {
					parts = append(parts, part)
				}
			}
			if len(parts) > 0 {
				lines = append(lines, fmt.Sprintf("%s explains %s (shares of the variance %s).", key, strings.Join(parts, "; "), basis))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Data has a row for each trial: its experiment, number, folder and seed, the keys that differ,
// and the metrics with the ends of their intervals.
func (s *Selection) Data() *dataset {
	differing := slices.DeleteFunc(slices.Clone(s.keys), func(k string) bool { return k == experimentKey })
	d := &dataset{fields: keys(slices.Concat([]string{experimentKey, "trial", "folder", "seed"}, differing)...)}
	for _, m := range s.query.Metrics {
		d.fields = append(d.fields, keys(m, m+"_low", m+"_high")...)
	}
	for _, t := range s.trials {
		row := []any{t.Declared.Settings.Name, t.Declared.Number, filepath.Base(t.Dir), strconv.FormatUint(t.Declared.Settings.Seed, 10)}
		for _, key := range differing {
			row = append(row, s.values[t][key])
		}
		for _, m := range s.query.Metrics {
			x := t.Measure(m)
			row = append(row, x.Value, x.Low, x.High)
		}
		d.add(row...)
	}
	return d
}

// File returns the rows of Data as a file with this extension: .csv or .parquet.
func (s *Selection) File(ext string) ([]byte, error) {
	switch d := s.Data(); ext {
	case ".csv":
		return d.bytes()
	case ".parquet":
		return d.parquet()
	}
	return nil, fmt.Errorf("want a file that ends with .csv or .parquet, have %q", ext)
}

// parquet returns the rows as a Parquet file. Columns are texts, whole numbers or numbers, and
// may be empty.
func (d *dataset) parquet() ([]byte, error) {
	group := parquet.Group{}
	at := map[string]int{}
	for i, f := range d.fields {
		at[f.key] = i
		node := parquet.Leaf(parquet.DoubleType)
		switch d.rows[0][i].(type) {
		case string:
			node = parquet.String()
		case int:
			node = parquet.Int(64)
		}
		group[f.key] = parquet.Optional(node)
	}
	schema := parquet.NewSchema("trials", group)
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema, parquet.CreatedBy("alamos", "", ""))
	for _, values := range d.rows {
		var row parquet.Row
		for column, path := range schema.Columns() {
			v, level := parquet.NullValue(), 1
			switch x := values[at[path[0]]].(type) {
			case string:
				v = parquet.ByteArrayValue([]byte(x))
			case int:
				v = parquet.Int64Value(int64(x))
			case float64:
				if v = parquet.DoubleValue(x); math.IsNaN(x) {
					v, level = parquet.NullValue(), 0
				}
			}
			row = append(row, v.Level(0, level, column))
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
