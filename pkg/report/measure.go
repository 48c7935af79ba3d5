package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	humanize "github.com/dustin/go-humanize"
	"gonum.org/v1/gonum/floats"

	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// BetterOf returns the preferred direction of a metric; see [store.Trial.Measure]. No direction
// is preferred if it is measured on positions of games and each trial plays its own.
func BetterOf(metric string, ownGames bool) stats.Better {
	m := store.MetricOf(metric)
	if m.OwnGames && ownGames {
		return stats.Neither
	}
	return m.Better
}

// betterOf is BetterOf for a metric of groups, of which some may play their own games.
func betterOf(metric string, groups []store.Group) stats.Better {
	own := func(t *store.Trial) bool { return t.Declared.Settings.Data == nil }
	return BetterOf(metric, slices.ContainsFunc(groups, func(g store.Group) bool { return slices.ContainsFunc(g.Trials, own) }))
}

// mark is the result of comparing a value with the others of its column.
type mark string

const (
	unmarked   mark = ""
	bestMark   mark = "★" // better than all others
	noiseMark  mark = "~" // the best, or within noise of it
	unsureMark mark = "?" // the best, but noise is not known
)

// legends explain the marks.
var legends = map[mark]string{
	noiseMark:  "~ not distinguishable from the best of its column.",
	bestMark:   "★ better than all others of its column.",
	unsureMark: "? best of its column; with one seed for a setting, noise is not known.",
}

// aboutTests says what the first two marks rest on.
const aboutTests = "(Welch's tests of all pairs, corrected by Holm, at 5 %.)"

// measured has a metric of groups of trials that differ only in their seeds.
type measured struct {
	values []stats.Interval
	seeds  [][]float64 // values of the seeds of each group

	// mutual returns the share of the games behind a value that two groups played against each
	// other, see [stats.ApartInPool]. nil: none.
	mutual func(i, j int) float64
}

// apart returns by how much group j is above group i, by the values' own intervals.
func (m *measured) apart(i, j int) stats.Difference {
	if m.mutual == nil {
		return stats.Apart(m.values[i], m.values[j])
	}
	return stats.ApartInPool(m.values[i], m.values[j], m.mutual(i, j))
}

// best returns the index of the best value. There must be a value.
func (m *measured) best(better stats.Better) int {
	gains := make([]float64, len(m.values))
	for i, v := range m.values {
		gains[i] = better.Gain(v.Value) // NaN for a missing value
	}
	return floats.MaxIdx(gains)
}

// repeated reports whether every group that has a value has several seeds.
func (m *measured) repeated() bool {
	return !slices.ContainsFunc(m.seeds, func(x []float64) bool { return len(x) == 1 })
}

// behind returns by how much the best group is above each group. The p-values are corrected
// for all pairs of groups. They are Welch's over seeds if all groups have several, otherwise
// those of the values' own intervals: those of games.
func (m *measured) behind(best int) []stats.Difference {
	test := m.apart
	chance := func(i, j int) float64 { return test(i, j).P }
	if m.repeated() {
		test = func(i, j int) stats.Difference { return stats.Welch(m.seeds[i], m.seeds[j]) }
		chance = func(i, j int) float64 { return stats.WelchP(m.seeds[i], m.seeds[j]) } // of millions of pairs
	}
	out := make([]stats.Difference, len(m.values))
	for i, p := range stats.HolmPairs(len(m.values), best, chance) {
		out[i] = stats.Untested(stats.Unknown())
		if i != best && len(m.seeds[i]) > 0 {
			out[i] = stats.Difference{Interval: test(i, best).Interval, P: p}
		}
	}
	return out
}

// marks finds the best values of a column.
func (m *measured) marks(better stats.Better) []mark {
	out := make([]mark, len(m.values))
	if better == stats.Neither || len(m.values)-missing(m.values) < 2 {
		return out
	}
	best := m.best(better)
	if !m.repeated() {
		if !slices.ContainsFunc(m.values[best+1:], func(v stats.Interval) bool { return v.Value == m.values[best].Value }) {
			out[best] = unsureMark
		}
		return out
	}
	out[best] = bestMark
	for i, d := range m.behind(best) {
		if i != best && len(m.seeds[i]) > 0 && !(d.P < stats.Alpha) {
			out[i], out[best] = noiseMark, noiseMark
		}
	}
	return out
}

func missing(values []stats.Interval) (n int) {
	for _, v := range values {
		if v.Missing() {
			n++
		}
	}
	return n
}

// Measured formats a value and its interval with the digits that the interval justifies:
// "118.0 ± 9.3", or "118.0 (108.7 … 131.1)" if the sides differ. A missing value is a dash.
func Measured(m stats.Interval) string {
	if m.Missing() {
		return "–"
	}
	if !m.HasWidth() {
		return fourDigits(m.Value)
	}
	below, above := m.Value-m.Low, m.High-m.Value
	if math.IsInf(below, 0) || math.IsInf(above, 0) {
		return fourDigits(m.Value) + " (" + Ends(m) + ")"
	}
	digits := decimals((below + above) / 2)
	if math.Abs(below-above) <= 0.05*(below+above) {
		return grouped(m.Value, digits) + " ± " + grouped((below+above)/2, digits)
	}
	return grouped(m.Value, digits) + " (" + Ends(m) + ")"
}

// Delta formats a difference with its sign, without its interval.
func Delta(m stats.Interval) string {
	if m.Missing() {
		return "–"
	}
	s := fourDigits(m.Value)
	if m.HasWidth() {
		s = grouped(m.Value, decimals((m.High-m.Low)/2))
	}
	if m.Value > 0 {
		s = "+" + s
	}
	return s
}

// Ends formats the two ends of an interval, "" if there is none.
func Ends(m stats.Interval) string {
	if !m.HasWidth() {
		return ""
	}
	digits := decimals((m.High - m.Low) / 2)
	return grouped(m.Low, digits) + " … " + grouped(m.High, digits)
}

// decimals returns the number of decimals that shows two digits of half an interval.
func decimals(half float64) int {
	if half <= 0 || math.IsInf(half, 0) {
		return 0
	}
	return min(12, max(0, 1-int(math.Floor(math.Log10(half)))))
}

// fourDigits formats a number with four significant digits, and all digits before its
// point.
func fourDigits(x float64) string {
	size := math.Abs(x)
	if size != 0 && (size < 1e-4 || size >= 1e9) {
		return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e−", "-", "−").Replace(infinity(strconv.FormatFloat(x, 'g', 4, 64)))
	}
	decimals := 0
	if x != 0 {
		decimals = max(0, 3-int(math.Floor(math.Log10(size))))
	}
	s := grouped(x, decimals)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// sameDecimals formats the plain numbers of a column with equally many decimals, so that
// their points align. Measures with an interval are formatted by Measured.
func sameDecimals(values []stats.Interval) []string {
	texts := make([]string, len(values))
	decimals, whole := 0, 0
	for i, v := range values {
		texts[i] = Measured(v)
		if v.Missing() || v.HasWidth() {
			continue
		}
		if strings.ContainsAny(texts[i], "e∞") {
			whole = math.MaxInt32
			continue
		}
		before, after, _ := strings.Cut(texts[i], ".")
		decimals, whole = max(decimals, len(after)), max(whole, len(before))
	}
	if decimals+whole > 8 && decimals > 0 || whole == math.MaxInt32 {
		return texts
	}
	for i, v := range values {
		if !v.Missing() && !v.HasWidth() {
			texts[i] = grouped(v.Value, decimals)
		}
	}
	return texts
}

// grouped formats a number with a given number of decimals, a minus as wide as the plus,
// and commas between thousands.
func grouped(x float64, decimals int) string {
	s := infinity(strconv.FormatFloat(x, 'f', decimals, 64))
	if strings.Trim(s, "-0.") == "" { // no negative zero
		s = strings.TrimPrefix(s, "-")
	}
	whole, rest, _ := strings.Cut(s, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && n != 0 { // "-0" of -0.5 keeps its sign
		whole = humanize.Comma(n)
	}
	if rest != "" {
		whole += "." + rest
	}
	return strings.Replace(whole, "-", "−", 1)
}

func infinity(s string) string {
	return strings.TrimPrefix(strings.Replace(s, "Inf", "∞", 1), "+")
}

// signed formats a value between -1 and 1 with its sign.
func signed(x float64) string {
	if math.IsNaN(x) {
		return "unknown"
	}
	return plots.Signed(x)
}

// fixed formats a number with a given number of decimals, "" for NaN.
func fixed(x float64, decimals int) string {
	if math.IsNaN(x) {
		return ""
	}
	return grouped(x, decimals)
}
