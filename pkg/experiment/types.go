package experiment

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// typ is what a value of the language may be. Its canonical values are int64,
// float64, bool, string, []any and map[string]any.
type typ interface {
	// want completes "want ...": "a whole number of at least 1".
	want() string
	// read checks what is written and returns its canonical value; on false it
	// has reported why there is none.
	read(c *checker, path string, t *tree) (any, bool)
}

// checker carries what a reading of one tree needs to know and collects.
type checker struct {
	errs  Errors
	whole bool            // the tree is a whole experiment, not one file of several: fill defaults, check conditions between keys
	root  map[string]any  // the experiment as far as it is read, for defaults taken from other keys
	bad   map[string]bool // key paths with an error; never nil
	files *files          // where hooks are looked up; nil when that is done
}

// fail reports a fault of t, which counts as absent from then on.
func (c *checker) fail(t *tree, path, hint, format string, args ...any) (any, bool) {
	t.bad = true
	c.bad[path] = true
	c.errs = append(c.errs, t.at.errorf(path, format, args...).hint(hint))
	return nil, false
}

// refuse reports that t is not what a type wants.
func (c *checker) refuse(t *tree, path string, want typ, hint string) (any, bool) {
	return c.fail(t, path, hint, "want %s, have %s", want.want(), t.have())
}

// maxCount bounds every whole number that counts things, so that products of
// two of them fit 64 bits.
const maxCount = 1_000_000_000

// integer is a whole number, in decimal. 1e3 and 4.0 are whole numbers too:
// YAML calls them floats, but nobody can mean anything else by them.
type integer struct{ min, max int64 }

func atLeast(n int64) integer { return integer{n, maxCount} }

// generous is where an upper bound stops being worth mentioning.
const generous = 1_000_000

func (i integer) want() string {
	if i.max >= generous {
		return fmt.Sprintf("a whole number of at least %d", i.min)
	}
	return fmt.Sprintf("a whole number from %d to %d", i.min, i.max)
}

func (i integer) read(c *checker, path string, t *tree) (any, bool) {
	x, hint, ok := number(t)
	switch {
	case !ok:
		return c.refuse(t, path, i, hint)
	case x != math.Trunc(x):
		return c.refuse(t, path, i, "")
	case x > float64(i.max) && i.max >= generous:
		return c.fail(t, path, "", "want a whole number from %d to %d, have %s", i.min, i.max, t.have())
	case x < float64(i.min) || x > float64(i.max):
		return c.refuse(t, path, i, "")
	}
	if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
		return n, true
	}
	return int64(x), true
}

// real is a number within bounds.
type real struct {
	min, max         float64
	openMin, openMax bool   // the bound itself is not allowed
	word             string // a word that is allowed instead of a number
}

// The numbers of the language have bounds on both sides, also where nobody means any:
// what decides a result is computed with floats, and the packages that do it refuse what
// is beyond all sense. A test of pkg/setup holds the two together.
var (
	share  = real{min: 0, max: 1}
	factor = real{min: 0, max: 1e9}                // of a search
	weight = real{min: 0, max: 1e6, openMax: true} // of a part of the loss
	rate   = real{min: 0, max: 1_000}              // of learning
)

func (r real) want() string {
	s := fmt.Sprintf("a number %s %s %s %s",
		pick(r.openMin, "above", "from"), formatBound(r.min), pick(r.openMax, "to below", "to"), formatBound(r.max))
	if r.word != "" {
		s += " or the word " + r.word
	}
	return s
}

func pick(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func (r real) read(c *checker, path string, t *tree) (any, bool) {
	if r.word != "" && t.kind == scalar && t.text == r.word {
		return r.word, true
	}
	x, hint, ok := number(t)
	if !ok {
		if r.word != "" && t.kind == scalar && hint == "" {
			hint = didYouMean(t.text, []string{r.word})
		}
		return c.refuse(t, path, r, hint)
	}
	if x < r.min || x > r.max || r.openMin && x == r.min || r.openMax && x == r.max {
		return c.refuse(t, path, r, "")
	}
	return x + 0, true // -0 becomes 0
}

var (
	decimal  = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	octal    = regexp.MustCompile(`^[-+]?0[0-9]+$`)
	prefixed = regexp.MustCompile(`^[-+]?0[xXoObB][0-9a-fA-F_]+$`)
	grouped  = regexp.MustCompile(`^[-+]?[0-9][0-9_]*_[0-9_.eE]*$`)
)

// number reads a plain decimal number. Where it finds something that other
// readers of YAML take for a number, it says how to write it here.
func number(t *tree) (x float64, hint string, ok bool) {
	if t.kind != scalar {
		return 0, "", false
	}
	if !t.plain {
		if decimal.MatchString(t.text) {
			hint = "remove the quotes"
		}
		return 0, hint, false
	}
	switch s := t.text; {
	case octal.MatchString(s), prefixed.MatchString(s):
		return 0, "write it in decimal", false
	case grouped.MatchString(s):
		return 0, "write the digits without _", false
	case !decimal.MatchString(s):
		return 0, "", false
	}
	x, err := strconv.ParseFloat(t.text, 64)
	if err != nil {
		return 0, "it is too big", false
	}
	return x, "", true
}

// formatFloat writes x as people do: 0.0001, 2, 1e-9.
func formatFloat(x float64) string {
	if a := math.Abs(x); a == 0 || a >= 1e-6 && a < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return formatPower(x)
}

// formatPower writes x with a power of ten, where that is shorter: 1e-9, 1e6.
func formatPower(x float64) string {
	return strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(strconv.FormatFloat(x, 'g', -1, 64))
}

// formatBound is formatFloat with a million as 1e6 and a millionth as 1e-6.
func formatBound(x float64) string {
	if a := math.Abs(x); a < generous && (a == 0 || a > 1e-5) {
		return formatFloat(x)
	}
	return formatPower(x)
}

// boolean is true or false.
type boolean struct{}

func (boolean) want() string { return "true or false" }

func (b boolean) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind != scalar {
		return c.refuse(t, path, b, "")
	}
	switch word := t.text; {
	case word == "true" && t.plain:
		return true, true
	case word == "false" && t.plain:
		return false, true
	case word == "true" || word == "false":
		return c.refuse(t, path, b, "remove the quotes")
	default:
		switch strings.ToLower(word) {
		case "yes", "on", "y", "true":
			return c.refuse(t, path, b, "write true")
		case "no", "off", "n", "false":
			return c.refuse(t, path, b, "write false")
		}
		return c.refuse(t, path, b, "")
	}
}

// enum is one word of several.
type enum []string

func (e enum) want() string {
	if len(e) == 1 {
		return e[0]
	}
	return strings.Join(e[:len(e)-1], ", ") + " or " + e[len(e)-1]
}

func (e enum) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind != scalar {
		return c.refuse(t, path, e, "")
	}
	if slices.Contains(e, t.text) {
		return t.text, true
	}
	return c.refuse(t, path, e, didYouMean(t.text, e))
}

// text is any text that is not empty. A number is refused rather than guessed
// at: 1.10 and 1.1 would be two texts and one number.
type text struct {
	what    string         // "a name"; empty: "text"
	pattern *regexp.Regexp // what the whole text must match, if anything
}

func (x text) want() string {
	if x.what != "" {
		return x.what
	}
	return "text"
}

func (x text) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind != scalar {
		return c.refuse(t, path, x, "")
	}
	if t.plain && (decimal.MatchString(t.text) || t.text == "true" || t.text == "false") && x.pattern == nil {
		return c.refuse(t, path, x, "put quotes around it")
	}
	if strings.TrimSpace(t.text) == "" {
		return c.fail(t, path, "", "want %s, have an empty text", x.want())
	}
	if x.pattern != nil && !x.pattern.MatchString(t.text) {
		return c.refuse(t, path, x, "")
	}
	return t.text, true
}

// version is the version of the language that a file is written in.
type version struct{}

func (version) want() string { return "1, the only version of this language so far" }

func (v version) read(c *checker, path string, t *tree) (any, bool) {
	if x, hint, ok := number(t); !ok || x != 1 {
		return c.refuse(t, path, v, hint)
	}
	return int64(1), true
}

// sequence is a list of values of one type.
type sequence struct {
	elem   typ
	single bool // one value may stand without its brackets
	min    int
}

func (s sequence) want() string {
	if s.single {
		return s.elem.want() + ", or a list of them"
	}
	return "a list"
}

func (s sequence) read(c *checker, path string, t *tree) (any, bool) {
	items := t.items
	if s.single && t.kind == scalar {
		items = []*tree{t}
	} else if t.kind != list {
		return c.refuse(t, path, s, "")
	}
	if len(items) < s.min {
		return c.fail(t, path, "", "want at least %d of them, have %d", s.min, len(items))
	}
	// Lists replace each other as a whole, so a list is complete in its file.
	defer func(whole bool) { c.whole = whole }(c.whole)
	c.whole = true
	values, ok := make([]any, 0, len(items)), true
	for i, item := range items {
		v, good := s.elem.read(c, fmt.Sprintf("%s[%d]", path, i), item)
		values, ok = append(values, v), ok && good
	}
	t.bad = t.bad || !ok
	if !ok {
		c.bad[path] = true
	}
	return values, ok
}

// table is a group whose keys are free and whose values are scalars, kept as
// the texts they are written as: the options of a UCI engine.
type table struct{}

func (table) want() string { return "a group of names and values" }

func (x table) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind != mapping {
		return c.refuse(t, path, x, "")
	}
	m, ok := map[string]any{}, true
	for _, e := range t.entries {
		if e.value.kind != scalar {
			_, ok = c.fail(e.value, join(path, e.key), "", "want a text, a number, true or false, have %s", e.value.have())
			continue
		}
		m[e.key] = e.value.text
	}
	t.bad = t.bad || !ok
	return m, ok
}

// script is a Go source file beside the experiment, given relative to the file
// that names it and read as a path relative to the working directory.
type script struct{}

func (script) want() string { return "the path of a .go file" }

func (s script) read(c *checker, path string, t *tree) (any, bool) {
	return readFile(c, path, t, s, ".go")
}

// dataFile is the path of a file that is no script, with the endings that its name may
// have, divided by blanks; it is read once so that it is known to be there.
type dataFile string

const (
	book       dataFile = ".pgn .epd .fen"
	puzzleFile dataFile = ".epd"
)

func (d dataFile) endings() []string { return strings.Fields(string(d)) }

func (d dataFile) want() string {
	return "the path of a " + enum(d.endings()).want() + " file"
}

func (d dataFile) read(c *checker, path string, t *tree) (any, bool) {
	return readFile(c, path, t, d, d.endings()...)
}

// readFile reads the path of a file whose name has one of the endings.
func readFile(c *checker, path string, t *tree, s typ, endings ...string) (any, bool) {
	if t.kind != scalar || !slices.Contains(endings, filepath.Ext(t.text)) {
		return c.refuse(t, path, s, "")
	}
	if c.files == nil { // read and found before
		return t.text, true
	}
	name := c.files.beside(t.at.File, t.text)
	if _, err := c.files.read(name); err != nil {
		start := "paths start at the folder of this file"
		if t.at.File == setFile {
			start = "paths of --set start at the working directory"
		}
		return c.fail(t, path, start, "cannot read %s: %s", printable(name), reason(err))
	}
	t.text = name
	return name, true
}

// keyPath is the path of a key that a sweep may vary.
type keyPath struct{}

func (keyPath) want() string { return "the path of a key that the sweep varies" }

func (k keyPath) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind != scalar {
		return c.refuse(t, path, k, "")
	}
	f := lookup(t.text)
	switch {
	case f == nil:
		return c.refuse(t, path, k, suggestPath(t.text))
	case !canBeSwept(t.text, f):
		return c.fail(t, path, "", "%s cannot be swept: it decides no result", t.text)
	}
	return t.text, true
}

// trialMetric is a measure of a trial: one of trialMetrics, or a hook and one of
// its metrics.
type trialMetric struct{}

var (
	trialMetrics = enum{"score", "elo", "vs_untrained", "vs_random", "loss", "policy_loss", "value_loss", "top1", "top5", "samples", "seconds"}
	metricName   = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	hookMetric   = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)
)

// TrialMetrics returns the measures of a trial that no hook is needed for.
func TrialMetrics() []string { return slices.Clone(trialMetrics) }

func (trialMetric) want() string {
	return trialMetrics.want() + ", puzzles.NAME, policy.NAME, accuracy.NAME or HOOK.METRIC"
}

func (m trialMetric) read(c *checker, path string, t *tree) (any, bool) {
	if t.kind == scalar && (slices.Contains(trialMetrics, t.text) || hookMetric.MatchString(t.text) && !decimal.MatchString(t.text)) {
		return t.text, true
	}
	return c.refuse(t, path, m, didYouMean(t.text, trialMetrics))
}
