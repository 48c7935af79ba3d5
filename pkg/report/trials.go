package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// trialColumns are the metrics in the table of trials, before those of puzzles, and
// colorColumns those in the table of colors.
var (
	trialColumns = []string{"score", "elo", "vs_untrained", "vs_random", "loss", "samples"}
	colorColumns = []string{"white_score", "draws"}
)

func axisOf(m store.Metric) plots.Axis { return plots.Axis{Label: m.Label, Unit: m.Unit} }

// evaluationMetrics returns the metrics of the experiment's evaluation that begin with
// prefix. All trials have the same ones.
func evaluationMetrics(x *store.Experiment, prefix string) []string {
	if len(x.Trials) == 0 {
		return nil
	}
	return slices.DeleteFunc(x.Trials[0].Settings.EvaluationMeasures(), func(name string) bool { return !strings.HasPrefix(name, prefix) })
}

// nameOf names a trial by its number and its swept settings, "#3 network.depth=2", or the
// only trial by its experiment.
func nameOf(t *experiment.Trial) string {
	if t.Label == "" {
		return t.Settings.Name
	}
	return fmt.Sprintf("#%d %s", t.Number, t.Label)
}

// numbersOf formats the numbers of a group's trials: "3", "1–4" or "1, 5".
func numbersOf(g store.Group) string {
	n := len(g.Trials)
	first, last := g.Trials[0].Declared.Number, g.Trials[n-1].Declared.Number
	if n > 2 && last-first == n-1 {
		return fmt.Sprintf("%d–%d", first, last)
	}
	var parts []string
	for _, t := range g.Trials {
		parts = append(parts, fmt.Sprint(t.Declared.Number))
	}
	return strings.Join(parts, ", ")
}

// axisValue returns a trial's value of a swept setting.
func axisValue(t *experiment.Trial, path string) string {
	for _, a := range t.Axis {
		if a.Path == path {
			return a.Value
		}
	}
	return ""
}

// single returns a group for each trial.
func single(trials []*store.Trial) []store.Group {
	each := make([]store.Group, len(trials))
	for i, t := range trials {
		each[i] = store.Group{Name: t.Name(), Trials: []*store.Trial{t}}
	}
	return each
}

// trialBlocks returns the tables of trials. With several seeds, there is a table of the
// means of each setting and one of all trials.
func trialBlocks(x *store.Experiment, trials []*store.Trial) []Block {
	if len(trials) == 0 {
		return nil
	}
	if left := finalists(trials); len(left) > 0 && len(left) < len(trials) {
		dropped := slices.DeleteFunc(slices.Clone(trials), func(t *store.Trial) bool { return !t.Dropped() })
		table := trialsTable(x, single(dropped), x.Axes)
		fold := Fold{Title: "Trials that successive halving dropped: " + fmt.Sprint(len(dropped)), Blocks: []Block{table}}
		return append(trialBlocks(x, left), fold)
	}
	each := single(trials)
	where, ofSettings := ", each in its own tournament", ", each trial in its own tournament"
	intervals := " Intervals of scores and of Elo (logistic) come from pairs of games with the same opening."
	switch {
	case x.Final != nil:
		where = ", with score and Elo of the final tournament"
		ofSettings = where
	case !slices.ContainsFunc(trials, func(t *store.Trial) bool { return t.Tournament() != nil }):
		where, ofSettings, intervals = "", "", ""
	}
	all := trialsTable(x, each, x.Axes)
	all.Caption = "Trials" + where + "." + intervals
	all.Files = []string{"trials.csv"}
	groups := store.Groups(trials)
	if len(groups) == len(trials) {
		return []Block{all}
	}
	means := trialsTable(x, groups, experiment.WithoutSeed(x.Axes))
	means.Caption = "Settings" + ofSettings + ": means over their seeds, with the 95 % interval (Student t)."
	if len(groups) == 1 {
		return []Block{means, all}
	}
	return []Block{means, Fold{Title: "Each of " + english.Plural(len(trials), "trial", ""), Blocks: []Block{all}}}
}

// mostAnswered is the maximum number of settings that a sentence of an answer lists.
const mostAnswered = 5

// listed joins the names or results of settings. It leaves out those after mostAnswered.
func listed(parts []string) string {
	if more := len(parts) - mostAnswered; more > 0 {
		parts = append(slices.Clone(parts[:mostAnswered]), fmt.Sprintf("%d more", more))
	}
	return english.WordSeries(parts, "and")
}

// answer says in sentences how strong the last networks of a sweep's settings became, and
// whether their differences are more than chance. With asked, it is about that share of the
// tournament's games. It is empty if the trials played no tournament, or if there is nothing to
// compare.
func answer(trials []*store.Trial, axes []experiment.Axis, asked string) string {
	groups := store.Groups(trials)
	for i, g := range groups {
		groups[i].Name = settingOf(&g.Trials[0].Declared, axes)
	}
	if len(groups) < 2 {
		return ""
	}
	metric, against := "vs_untrained", "against its untrained network"
	if anyFinal(trials) {
		metric, against = "score", "in the final tournament"
	}
	all := measureAll(groups, metric)
	if missing(all.values) > 0 && metric != "score" {
		metric, against = strength(groups), "in its tournament"
		all = measureAll(groups, metric)
	}
	what, share := "Share of the points of the last network "+against, "share"
	times, unit, points := 100.0, " %", " percentage points"
	switch {
	case asked != "":
		all, share = measureAll(groups, asked), store.MetricOf(asked).Label
		what = capital(share) + " in the tournament"
	case metric == "elo":
		what, share = "Rating of the last network "+against, "rating"
		times, unit, points = 1, " Elo", " Elo"
	}
	if missing(all.values) > 0 {
		return ""
	}
	order := match.Descending(len(groups), func(i int) float64 { return all.values[i].Value })
	best, seeds := order[0], len(all.seeds[order[0]])
	behind := all.behind(best)
	var parts, worse, alike []string
	for at, i := range order {
		seeds = min(seeds, len(all.seeds[i])) // failed ones have no value
		part := fmt.Sprintf("%.1f%s", times*all.values[i].Value, unit)
		if all.values[i].HasWidth() {
			part += fmt.Sprintf(" (%s)", Ends(all.values[i].Times(times)))
		}
		parts = append(parts, part+" with "+groups[i].Name)
		d := behind[i].Times(times)
		part = fmt.Sprintf("%s by %s%s", groups[i].Name, fourDigits(math.Round(10*d.Value)/10), points)
		if d.HasWidth() {
			part += fmt.Sprintf(" (%s)", Ends(d))
		}
		switch {
		case at == 0:
		case behind[i].P < stats.Alpha:
			worse = append(worse, part)
		default:
			alike = append(alike, part)
		}
	}
	text := fmt.Sprintf("%s, with 95 %% intervals: %s.", what, listed(parts))
	name := groups[best].Name
	if len(worse) > 0 {
		text += fmt.Sprintf(" The %s of %s is higher than that of %s.", share, name, listed(worse))
	}
	if len(alike) > 0 {
		text += fmt.Sprintf(" The lead of %s over %s may be chance.", name, listed(alike))
	}
	corrected := "what may be chance was decided with a correction for all pairs of settings (Holm)."
	switch {
	case seeds > 1:
		text += fmt.Sprintf(" The intervals are over at least %d seeds for each setting; %s", seeds, corrected)
	case len(groups) > 2:
		text += " With one seed for a setting, this is about these networks, not about the settings; " + corrected
	default:
		text += " With one seed for a setting, this is about these networks, not about the settings."
	}
	return text
}

// colorMetric returns the results by color that the first figure of the sweep shows, if it shows them:
// then they are the question.
func (r *Report) colorMetric() string {
	for _, c := range r.Notebook {
		if c.Figure != nil && c.Figure.Kind == "sweep" {
			if slices.Contains(colorColumns, c.Figure.Metric) {
				return c.Figure.Metric
			}
			return ""
		}
	}
	return ""
}

// measureAll returns a metric of each group.
func measureAll(groups []store.Group, metric string) *measured {
	m := &measured{values: make([]stats.Interval, len(groups)), seeds: make([][]float64, len(groups))}
	for i, g := range groups {
		m.values[i], m.seeds[i] = g.Measure(metric)
	}
	if i := slices.IndexFunc(groups, func(g store.Group) bool { return g.Trials[0].Final != nil }); i >= 0 && metric == "score" {
		final := groups[i].Trials[0].Final
		m.mutual = func(i, j int) float64 {
			return final.Mutual(groups[i].Trials[0].Name(), groups[j].Trials[0].Name())
		}
	}
	return m
}

// colorsTable has the results by color of each setting.
func colorsTable(x *store.Experiment, trials []*store.Trial) Table {
	t := trialsTable(x, store.Groups(trials), experiment.WithoutSeed(x.Axes), colorColumns...)
	t.Caption = "Results by color in the tournament of each trial, all its games together, with 95 % intervals: of the means over the seeds (Student t), or with one seed of the games (Wilson)."
	return t
}

// trialsTable has a row for each group of trials: the values of the axes, then metrics.
func trialsTable(x *store.Experiment, groups []store.Group, axes []experiment.Axis, metrics ...string) Table {
	t := Table{Rows: make([][]Cell, len(groups))}
	first := func(i int) *store.Trial { return groups[i].Trials[0] }
	some := func(is func(*store.Trial) bool) bool {
		return slices.ContainsFunc(groups, func(g store.Group) bool { return slices.ContainsFunc(g.Trials, is) })
	}
	if len(x.Axes) > 0 { // without a sweep a trial needs no number
		t.column(number("#", ""), func(i int) Cell {
			if len(groups[i].Trials) > 1 {
				return Cell{Text: numbersOf(groups[i])}
			}
			return Cell{Text: numbersOf(groups[i]), Link: anchor(first(i).Declared.Number)}
		})
	}
	repeated := slices.ContainsFunc(groups, func(g store.Group) bool { return len(g.Trials) > 1 })
	switch {
	case len(axes) == 0:
		t.column(Column{Name: "trial"}, func(i int) Cell { return Cell{Text: groups[i].Name} })
	case repeated:
		t.column(number("seeds", ""), func(i int) Cell { return Cell{Text: fmt.Sprint(len(store.Comparable(groups[i].Trials)))} })
	}
	if some(func(t *store.Trial) bool { return t.Declared.Name != "" }) || len(axes) > mostAxes {
		t.column(Column{Name: "setting"}, func(i int) Cell { return Cell{Text: settingOf(&first(i).Declared, x.Axes)} })
		axes = slices.DeleteFunc(slices.Clone(axes), func(a experiment.Axis) bool { return a.Path != "seed" })
	}
	for _, a := range axes {
		t.column(Column{Name: a.Path}, func(i int) Cell { return Cell{Text: axisValue(&first(i).Declared, a.Path)} })
	}
	if some(func(t *store.Trial) bool { return t.Declared.Parent > 0 }) {
		t.column(Column{Name: "continues"}, func(i int) Cell {
			parent := first(i).Declared.Parent
			if parent == 0 {
				return Cell{Text: "–"}
			}
			return Cell{Text: fmt.Sprintf("#%d", parent), Link: anchor(parent)}
		})
	}
	if some(func(t *store.Trial) bool { return t.Done() < t.Last() }) {
		t.column(number("generations", ""), func(i int) Cell {
			behind := slices.MinFunc(groups[i].Trials, func(a, b *store.Trial) int { return cmp.Compare(a.Done(), b.Done()) })
			return Cell{Text: progress(behind.Done(), behind.Last())}
		})
	}
	if x.Halving != nil {
		t.column(number("rung", ""), func(i int) Cell { return Cell{Text: fmt.Sprint(rungOf(x, first(i)))} })
	}
	used := map[mark]bool{}
	if metrics == nil {
		metrics = slices.Concat(trialColumns, evaluationMetrics(x, "puzzles."))
	}
	for _, name := range metrics {
		t.measure(groups, name, used)
	}
	why := func(t *store.Trial) string {
		why, _, _ := strings.Cut(x.Failed[filepath.Base(t.Dir)], "\n")
		return why
	}
	if some(func(t *store.Trial) bool { return why(t) != "" }) {
		t.column(Column{Name: "failed"}, func(i int) Cell {
			if failed := slices.IndexFunc(groups[i].Trials, func(t *store.Trial) bool { return why(t) != "" }); failed >= 0 {
				return Cell{Text: why(groups[i].Trials[failed])}
			}
			return Cell{}
		})
	}
	if len(axes) > 0 && !repeated {
		t.column(Column{Name: "folder"}, func(i int) Cell { return Cell{Text: filepath.Base(first(i).Dir)} })
	}
	t.Legend = legendOf(used)
	return t
}

// measure adds a column with a metric of each group, unless none has it. It notes the marks
// that it uses.
func (t *Table) measure(groups []store.Group, name string, used map[mark]bool) {
	m, all := store.MetricOf(name, trialsOf(groups)...), measureAll(groups, name)
	values := all.values
	if m.Source == store.FromAll { // counts, and seconds
		for i, v := range values {
			values[i] = stats.Exactly(math.Round(v.Value))
		}
	}
	if missing(values) == len(values) {
		return
	}
	better := betterOf(name, groups)
	if name == "score" && groups[0].Trials[0].Final == nil && strength(groups) != name {
		better = stats.Neither // their ratings compare
	}
	texts, marks := sameDecimals(values), competing(groups, all).marks(better)
	t.column(Column{Name: m.Label, Unit: m.Unit, Numeric: true, Descending: m.Better == stats.Higher}, func(i int) Cell {
		used[marks[i]] = true
		c := Cell{Text: texts[i], Mark: string(marks[i])}
		if marks[i] == bestMark {
			c.Class = Best
		}
		return c
	})
}

// trialsOf returns the trials of all groups.
func trialsOf(groups []store.Group) (trials []*store.Trial) {
	for _, g := range groups {
		trials = append(trials, g.Trials...)
	}
	return trials
}

// legendOf explains the marks of a table.
func legendOf(used map[mark]bool) string {
	var legend []string
	for _, m := range []mark{noiseMark, bestMark, unsureMark} {
		if used[m] {
			legend = append(legend, legends[m])
		}
	}
	if used[noiseMark] || used[bestMark] {
		legend = append(legend, aboutTests)
	}
	return strings.Join(legend, " ")
}

// progress returns "3/8", or "8" if all are done.
func progress(done, of int) string {
	if done == of {
		return fmt.Sprint(of)
	}
	return fmt.Sprintf("%d/%d", done, of)
}

// Successive halving compares trials on the way. Only those of the last rung have trained to
// the end and have played, so only they compete for marks and for the answer of a sweep.

// finalists returns the trials that lost no comparison.
func finalists(trials []*store.Trial) []*store.Trial {
	return slices.DeleteFunc(slices.Clone(trials), (*store.Trial).Dropped)
}

// competing returns the measures of the groups that trained to their end, or if none has, of those
// that lost no comparison. The others are unknown.
func competing(groups []store.Group, m *measured) *measured {
	isComplete := func(g store.Group) bool { return slices.ContainsFunc(g.Trials, (*store.Trial).Complete) }
	some := slices.ContainsFunc(groups, isComplete)
	out := &measured{slices.Clone(m.values), slices.Clone(m.seeds), m.mutual}
	for i, g := range groups {
		if g.Trials[0].Dropped() || some && !isComplete(g) {
			out.values[i], out.seeds[i] = stats.Unknown(), nil
		}
	}
	return out
}

// rungOf returns the rung that a trial has reached, from 1: that in which it was dropped, or
// the one for which it trains or has trained.
func rungOf(x *store.Experiment, t *store.Trial) int {
	rungs := x.Halving.Rungs(t.Declared.Settings.Generations)
	switch e := t.Manifest.Ended; {
	case e != nil && e.Rung > 0:
		return e.Rung
	case e != nil: // a stop rule ended it
		return len(rungs)
	}
	reached, _ := slices.BinarySearch(rungs, max(1, t.Done()))
	return reached + 1
}

// answer says which setting of the sweep is better, or which one won the
// successive halving. It is empty if the results do not say.
func (r *Report) answer() string {
	if text := answer(finalists(r.Trials), r.Axes, r.colorMetric()); text != "" || len(r.rungs) == 0 {
		return text
	}
	last := r.rungs[len(r.rungs)-1]
	_, settings := last.Place("")
	winner := last.Ranking[0]
	second := slices.IndexFunc(last.Ranking, func(x store.RungTrial) bool { return x.Setting != winner.Setting })
	if last.Survivors != 1 || len(r.rungs) < len(r.Halving.Rungs(r.Experiment.Trials[0].Settings.Generations))-1 || second < 0 || winner.Mean.Missing() {
		return ""
	}
	name := func(x store.RungTrial) string {
		if x.Setting != "" {
			return x.Setting
		}
		return x.Label
	}
	m := store.MetricOf(last.Metric)
	text := fmt.Sprintf("%s won the successive halving. Its %s was the best of %d after %s: %s, before %s with %s.",
		name(winner), m.Label, settings, english.Plural(last.Generation, "generation", ""), Measured(winner.Mean), name(last.Ranking[second]), Measured(last.Ranking[second].Mean))
	lead := winner.Mean.Minus(last.Ranking[second].Mean)
	if n := float64(len(last.Ranking)); last.Metric == "elo" && len(last.Ranking) == settings { // of ratings whose mean is 0
		lead = lead.Widened(math.Sqrt(n / (n - 1)))
	}
	switch {
	case !lead.HasWidth():
		text += " Its noise is not known, so the lead may be chance."
	case lead.Low <= 0 && lead.High >= 0:
		text += fmt.Sprintf(" The lead of %s may be chance.", Measured(lead))
	default:
		text += fmt.Sprintf(" The 95 %% interval of the lead, %s, excludes 0.", Ends(lead))
	}
	if len(last.Ranking) == settings {
		text += " With one seed for a setting, this is about these networks, not about the settings."
	}
	return text
}
