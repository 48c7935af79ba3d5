package config

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Type is the type of a key's values. Canonical values are int64, float64, bool, string,
// []any and map[string]any. A Go type that implements Type with its zero value is the type
// of its fields.
type Type interface {
	// Want completes "want ...", for example with "a whole number of at least 1".
	Want() string
	// Read checks a node and returns its canonical value. If it returns false, it has
	// reported the reason.
	Read(r *Reader, path string, t *Node) (any, bool)
	// JSONSchema describes the type to editors. path is the path of the key.
	JSONSchema(s *Schema, path string) map[string]any
}

// Reader is the context of one reading of a node, and collects its faults.
type Reader struct {
	Errs  Errors
	Whole bool            // the node is a whole file instead of one of several layers: apply defaults, check conditions
	Bad   map[string]bool // key paths with an error; never nil
	Files *Files          // reads scripts and other files; nil if they are already resolved

	schema *Schema
	root   map[string]any // values of the whole file read so far, for inherited defaults and conditions
	tree   *Node          // the whole file
}

// Fail reports a fault of t, which counts as absent from then on.
func (r *Reader) Fail(t *Node, path, hint, format string, args ...any) (any, bool) {
	return nil, r.FailKey(&Entry{At: t.At, Value: t}, path, hint, format, args...)
}

// FailKey reports a fault of a key, whose value counts as absent from then on. It returns
// false.
func (r *Reader) FailKey(e *Entry, path, hint, format string, args ...any) bool {
	e.Value.Bad = true
	r.Bad[path] = true
	r.Errs = append(r.Errs, e.At.Errorf(path, format, args...).WithHint(hint))
	return false
}

// Refuse reports that t is not of the wanted type.
func (r *Reader) Refuse(t *Node, path string, want Type, hint string) (any, bool) {
	return r.Fail(t, path, hint, "want %s, have %s", want.Want(), t.Have())
}

const (
	// maxCount bounds whole numbers without an upper bound, so that the product of two fits
	// 64 bits.
	maxCount = 1_000_000_000
	// generous is a bound so large that messages omit it.
	generous = 1_000_000
)

// Number is a bounded number or one of some words. Whole numbers may also be written 1e3 or
// 4.0. YAML calls these floats, but their meaning is unambiguous.
type Number struct {
	Whole            bool
	Min, Max         float64
	OpenMin, OpenMax bool     // excludes the bound itself
	Words            []string // words allowed instead of a number
	Ramp             *Group   // the keys of a ramp that may stand for the number, see [Ramp]; nil if none may

	goValues map[string]float64 // values of the words in Go
	goZero   float64            // value of a written 0 in Go, if 0 in Go means that nothing was set
}

func (n Number) Want() string {
	s := n.bounds(n.Max < generous)
	if len(n.Words) > 0 {
		s += " or the word " + Enum(n.Words).Want()
	}
	return s
}

// bounds describes the numbers, with or without their upper bound.
func (n Number) bounds(upper bool) string {
	low, high := FormatFloat(n.Min), FormatFloat(n.Max)
	if n.Whole {
		low, high = fmt.Sprintf("%.f", n.Min), fmt.Sprintf("%.f", n.Max)
	}
	least, most := pick(n.OpenMin, "above ", "at least ")+low, pick(n.OpenMax, "below ", "at most ")+high
	switch s := pick(n.Whole, "a whole number ", "a number "); {
	case n.Min == n.Max:
		return "the number " + low
	case !upper:
		return s + pick(n.OpenMin, "", "of ") + least
	case n.OpenMin || n.OpenMax:
		return s + pick(n.OpenMin, "", "of ") + least + " and " + most
	default:
		return s + "from " + low + " to " + high
	}
}

// allows reports whether x is within the bounds. NaN never is.
func (n Number) allows(x float64) bool {
	return x >= n.Min && x <= n.Max && !(n.OpenMin && x == n.Min) && !(n.OpenMax && x == n.Max) && !(n.Whole && x != math.Trunc(x))
}

func (n Number) Read(r *Reader, path string, t *Node) (any, bool) {
	if t.Kind == Scalar && slices.Contains(n.Words, t.Text) {
		return t.Text, true
	}
	if t.Kind == Mapping && n.Ramp != nil {
		if v, ok := n.Ramp.Read(r, path, t); ok {
			return v, true
		}
		r.Bad[path] = true
		return nil, false
	}
	if t.Kind != Scalar || !t.Plain || !decimal.MatchString(t.Text) || octal.MatchString(t.Text) {
		return r.Refuse(t, path, n, n.hint(t))
	}
	x, err := strconv.ParseFloat(t.Text, 64)
	switch {
	case err != nil:
		return r.Refuse(t, path, n, "it is too big")
	case x > n.Max && n.Max >= generous:
		return r.Fail(t, path, "", "want %s, have %s", n.bounds(true), t.Have())
	case !n.allows(x):
		return r.Refuse(t, path, n, "")
	case !n.Whole:
		return x + 0, true // converts -0 to 0
	}
	if exact, err := strconv.ParseInt(t.Text, 10, 64); err == nil {
		if n.Max <= 1<<53 && exact > int64(n.Max) { // which rounding hides
			return r.Fail(t, path, "", "want %s, have %s", n.bounds(true), t.Have())
		}
		return exact, true
	}
	return int64(x), true
}

// hint returns advice for a node that is not a plain decimal number.
func (n Number) hint(t *Node) string {
	_, notDecimal := strconv.ParseInt(t.Text, 0, 64)
	switch {
	case t.Kind != Scalar:
		return ""
	case !t.Plain && decimal.MatchString(t.Text):
		return "remove the quotes"
	case commaNumber.MatchString(t.Text):
		return n.withoutComma(t.Text)
	case t.Plain && notDecimal == nil:
		return "write it in decimal"
	}
	return DidYouMean(t.Text, n.Words)
}

// withoutComma returns advice for a number with a comma, which ends the decimals of a whole
// number and begins those of others.
func (n Number) withoutComma(text string) string {
	if n.Whole {
		return "write " + strings.Replace(text, ",", "", 1)
	}
	return "write " + strings.Replace(text, ",", ".", 1)
}

func (n Number) JSONSchema(root *Schema, path string) map[string]any {
	s := map[string]any{"type": pick(n.Whole, "integer", "number")}
	s[pick(n.OpenMin, "exclusiveMinimum", "minimum")] = n.Min
	s[pick(n.OpenMax, "exclusiveMaximum", "maximum")] = n.Max
	variants := []any{s}
	if len(n.Words) > 0 {
		variants = append(variants, Enum(n.Words).JSONSchema(nil, ""))
	}
	if n.Ramp != nil {
		variants = append(variants, n.Ramp.JSONSchema(root, path))
	}
	if len(variants) > 1 {
		return map[string]any{"anyOf": variants}
	}
	return s
}

func pick(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

var (
	// commaNumber matches 0,5 and 1,000.
	commaNumber = regexp.MustCompile(`^[-+]?[0-9]+,[0-9]+$`)

	decimal = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	octal   = regexp.MustCompile(`^[-+]?0[0-9]+$`)
)

// FormatFloat formats x in the usual notation: 0.0001, 2, 1e-9.
func FormatFloat(x float64) string {
	if a := math.Abs(x); a == 0 || a >= 1e-5 && a < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(strconv.FormatFloat(x, 'g', -1, 64))
}

type Bool struct{}

func (Bool) Want() string { return "true or false" }

func (b Bool) Read(r *Reader, path string, t *Node) (any, bool) {
	exact, hint := t.Text == "true" || t.Text == "false", ""
	switch strings.ToLower(t.Text) { // empty if it is no scalar
	case "yes", "on", "y", "true":
		hint = "write true"
	case "no", "off", "n", "false":
		hint = "write false"
	}
	if exact && t.Plain {
		return t.Text == "true", true
	} else if exact {
		hint = "remove the quotes"
	}
	return r.Refuse(t, path, b, hint)
}

func (Bool) JSONSchema(*Schema, string) map[string]any { return map[string]any{"type": "boolean"} }

// Enum is one of several words.
type Enum []string

func (e Enum) Want() string { return english.WordSeries(e, "or") }

func (e Enum) Read(r *Reader, path string, t *Node) (any, bool) {
	if t.Kind == Scalar && slices.Contains(e, t.Text) {
		return t.Text, true
	}
	return r.Refuse(t, path, e, DidYouMean(t.Text, e))
}

func (e Enum) JSONSchema(*Schema, string) map[string]any {
	return map[string]any{"enum": []string(e)}
}

// Text is a non-empty text, or one of some words. A number is refused: 1.10 and 1.1 would
// be different texts but the same number.
type Text struct {
	What    string         // such as "a name"
	Pattern *regexp.Regexp // a pattern that the whole text must match; nil means any text
	Words   Enum           // allowed in addition to the pattern
	// Paths are the endings of texts that are paths, which are written relative to the file
	// that names them and read as relative to the working directory. "*" stands for patterns
	// of files.
	Paths Enum
	File  bool // the text is the path of a [File], which must exist when it is first read
}

func (x Text) Want() string {
	switch {
	case x.File:
		return "the path of a " + x.Paths.Want() + " file"
	case len(x.Words) > 0:
		return x.Words.Want() + ", " + x.What
	case x.What != "":
		return x.What
	}
	return "text"
}

// isPath reports whether a text is a relative path.
func (x Text) isPath(text string) bool {
	return slices.ContainsFunc(x.Paths, func(end string) bool { return end == "*" || strings.HasSuffix(text, end) })
}

func (x Text) Read(r *Reader, path string, t *Node) (any, bool) {
	switch number := t.Plain && decimal.MatchString(t.Text); {
	case t.Kind != Scalar || x.File && !x.isPath(t.Text):
		return r.Refuse(t, path, x, "")
	case slices.Contains(x.Words, t.Text):
		return t.Text, true
	case (number || t.Plain && (t.Text == "true" || t.Text == "false")) && x.Pattern == nil:
		return r.Refuse(t, path, x, "put quotes around it")
	case strings.TrimSpace(t.Text) == "":
		return r.Fail(t, path, "", "want %s, have an empty text", x.Want())
	case x.Pattern != nil && (!x.Pattern.MatchString(t.Text) || number && len(x.Words) > 0):
		return r.Refuse(t, path, x, DidYouMean(t.Text, x.Words))
	case x.isPath(t.Text):
		if _, err := filepath.Match(t.Text, ""); err != nil && !x.File {
			return r.Refuse(t, path, x, "a [ begins a set of characters that ends with ]")
		}
		if r.Files != nil { // the file that names it is read
			t.Text = Beside(t.At.File, t.Text)
		}
	}
	if x.File && r.Files != nil {
		switch _, err := r.Files.Read(t.Text); {
		case r.Files.Lenient && errors.Is(err, fs.ErrNotExist):
			if !slices.Contains(r.Files.Missing, t.Text) {
				r.Files.Missing = append(r.Files.Missing, t.Text)
			}
		case err != nil:
			start := "paths start at the folder of this file"
			if t.At.File == SetFile {
				start = "paths of --set start at the working directory"
			}
			return r.Fail(t, path, start, "cannot read %s: %s", Printable(t.Text), Reason(err))
		}
	}
	return t.Text, true
}

func (x Text) JSONSchema(*Schema, string) map[string]any {
	s := map[string]any{"type": "string", "minLength": 1}
	if x.File {
		s["pattern"] = `\.(` + strings.ReplaceAll(strings.Join(x.Paths, "|"), ".", "") + `)$`
	}
	if x.Pattern != nil {
		s["pattern"] = x.Pattern.String()
	}
	if len(x.Words) > 0 {
		return map[string]any{"anyOf": []any{x.Words.JSONSchema(nil, ""), s}}
	}
	return s
}

// Sequence is a list of values of one type.
type Sequence struct {
	Elem   Type
	Single bool // a single value needs no brackets
	Min    int
}

func (s Sequence) Want() string {
	if s.Single {
		return s.Elem.Want() + ", or a list of them"
	}
	return "a list"
}

func (s Sequence) Read(r *Reader, path string, t *Node) (any, bool) {
	if t.Kind != List {
		if !s.Single {
			return r.Refuse(t, path, s, "")
		}
		v, ok := s.Elem.Read(r, path, t)
		return []any{v}, ok
	}
	items := t.Items
	if len(items) < s.Min {
		return r.Fail(t, path, "", "want at least %d of them, have %d", s.Min, len(items))
	}
	// Lists replace each other as a whole, so a list is complete in its file.
	defer func(whole bool) { r.Whole = whole }(r.Whole)
	r.Whole = true
	values, ok := make([]any, 0, len(items)), true
	for i, item := range items {
		v, good := s.Elem.Read(r, fmt.Sprintf("%s[%d]", path, i), item)
		values, ok = append(values, v), ok && good
	}
	t.Bad = t.Bad || !ok
	if !ok {
		r.Bad[path] = true
	}
	return values, ok
}

func (s Sequence) JSONSchema(root *Schema, path string) map[string]any {
	list := map[string]any{"type": "array", "items": s.Elem.JSONSchema(root, path+"[]"), "minItems": s.Min}
	if s.Single {
		return map[string]any{"anyOf": []any{s.Elem.JSONSchema(root, path), list}}
	}
	return list
}

// Table is a group with free keys and scalar values, which keep their written text: the
// options of a UCI engine.
type Table struct{}

func (Table) Want() string { return "a group of names and values" }

func (x Table) Read(r *Reader, path string, t *Node) (any, bool) {
	if t.Kind != Mapping {
		return r.Refuse(t, path, x, "")
	}
	m, ok := map[string]any{}, true
	for _, e := range t.Entries {
		if e.Value.Kind == Null && !strings.Contains(path, "[") { // takes an inherited one away; items of lists are not inherited
			continue
		}
		if e.Value.Kind != Scalar {
			_, ok = r.Fail(e.Value, Join(path, e.Key), "", "want a text, a number, true or false, have %s", e.Value.Have())
			continue
		}
		m[e.Key] = e.Value.Text
	}
	t.Bad = t.Bad || !ok
	return m, ok
}

func (Table) JSONSchema(*Schema, string) map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []string{"string", "number", "boolean", "null"}}}
}
