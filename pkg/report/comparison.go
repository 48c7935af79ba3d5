package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Diff sets the settings of two experiments beside one another: those of one
// and of another, or what an experiment changes in the one that it extends.
// Items whose two values are equal are left out until the reader asks for
// them.
type Diff struct {
	Base, This string // names of the two
	Items      []Change
}

// Change is one setting of a [Diff]; an empty value is one that is not there.
type Change struct {
	Key                    string // dotted; grouped by what stands before the first dot
	Base, This             string
	BaseOrigin, ThisOrigin string // the file and line that set them; may be empty
}

// kind says what happened to a setting: "changed", "added", "removed", or
// "same".
func (c Change) kind() string {
	switch {
	case c.Base == c.This:
		return "same"
	case c.Base == "":
		return "added"
	case c.This == "":
		return "removed"
	}
	return "changed"
}

// changeSign stands before a setting, so that no reader needs the colors.
type changeSign struct{ Text, Title string }

var changeSigns = map[string]*changeSign{
	"changed": {"≠", "differs"}, "added": {"+", "only on the right"}, "removed": {"−", "only on the left"},
}

// changeView is a setting as it is shown.
type changeView struct {
	Change
	Kind          string
	Sign          *changeSign // nil: none
	Section, Leaf string      // the two parts of the key
	Before, After sideView
}

type sideView struct{ Value, Origin string }

type changeGroup struct {
	Name  string
	Same  bool // none of its settings differs
	Items []changeView
}

// groups splits settings by their sections, in the order in which these first
// appear, and counts those that are equal.
func (d Diff) groups() (groups []changeGroup, same int) {
	at := map[string]int{}
	for _, c := range d.Items {
		name, leaf, dotted := strings.Cut(c.Key, ".")
		if !dotted || name == "" || leaf == "" {
			name, leaf = "", c.Key
		}
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, changeGroup{Name: name, Same: true})
		}
		kind := c.kind()
		if kind == "same" {
			same++
		} else {
			groups[i].Same = false
		}
		groups[i].Items = append(groups[i].Items, changeView{
			c, kind, changeSigns[kind], name, leaf, sideView{c.Base, c.BaseOrigin}, sideView{c.This, c.ThisOrigin}})
	}
	return groups, same
}

func (d Diff) renderHTML(w *htmlWriter) error {
	groups, same := d.groups()
	w.diffs++
	return w.execute("diff", struct {
		Diff
		Number, Same, Differ int
		Alike                string
		Groups               []changeGroup
	}{d, w.diffs, same, len(d.Items) - same, english.Plural(same, "setting", "") + " that are alike", groups})
}

func (d Diff) renderMarkdown(w *markdownWriter) error {
	groups, same := d.groups()
	if same == len(d.Items) {
		w.paragraph("No setting differs between " + escape(d.Base) + " and " + escape(d.This) + ".")
		return nil
	}
	var rows, equal [][]string
	for _, g := range groups {
		for _, c := range g.Items {
			if c.Kind == "same" {
				equal = append(equal, []string{escape(c.Key), escape(c.Base)})
				continue
			}
			rows = append(rows, []string{escape(c.Key), withOrigin(c.Base, c.BaseOrigin), withOrigin(c.This, c.ThisOrigin)})
		}
	}
	w.grid([]string{"setting", escape(d.Base), escape(d.This)}, nil, rows)
	if same == 0 {
		return nil
	}
	return w.fold(english.Plural(same, "setting", "")+" alike", false, func() error {
		w.grid([]string{"setting", "both"}, nil, equal)
		return nil
	})
}

func withOrigin(value, origin string) string {
	switch {
	case value == "":
		return "–"
	case origin == "":
		return escape(value)
	}
	return escape(value) + " <sub>" + escape(origin) + "</sub>"
}

// Comparison sets what two experiments or runs came to beside one another,
// with the difference and what it is worth: "~" where it is no more than
// noise.
type Comparison struct {
	Caption string // plain text, set after "Table 1."
	A, B    string // names of the two
	Rows    []Compared
	Files   []string // see Figure.Files
}

// Compared is one metric of a [Comparison].
type Compared struct {
	Name, Unit string
	Better     Better
	A, B       Measure
	// Delta is B less A where the two were measured together, as in paired
	// games; nil: it follows from A and B, measured apart.
	Delta *Measure
	// How says what the difference rests on: "240 paired games". May be empty.
	How string
}

// Difference is B less A.
func (c Compared) Difference() Measure {
	if c.Delta != nil {
		return *c.Delta
	}
	return c.B.Minus(c.A)
}

// Verdict says what the difference is worth: "~" for noise, "better" or
// "worse", "higher" or "lower" of metrics that are only described, "=" for
// values that are equal, and "" where no interval tells.
func (c Compared) Verdict() string {
	d := c.Difference()
	switch {
	case d.Missing():
		return ""
	case d.Value == 0 && !d.Known():
		return "="
	case !d.Known():
		return ""
	case d.Noise():
		return "~"
	}
	words := map[bool]string{true: "higher", false: "lower"}
	if c.Better != Neither {
		words = map[bool]string{true: "better", false: "worse"}
	}
	return words[c.Better.gain(d.Value) > 0]
}

// comparedView is a row as it is shown.
type comparedView struct {
	Compared
	Delta, Interval, Verdict string
	Class                    string // "better", "worse", "noise" or ""
}

// view writes the difference: "~" takes its place where it is noise.
func (c Compared) view() comparedView {
	d := c.Difference()
	v := comparedView{Compared: c, Delta: Measure{Value: d.Value, Text: d.Text}.signed(), Interval: d.interval(), Verdict: c.Verdict()}
	switch {
	case v.Verdict == "~":
		v.Delta, v.Verdict, v.Class = "~", "within noise", "noise"
	case d.Known() && d.Text == "":
		v.Delta = signedAt(d)
	}
	if v.Verdict == "better" || v.Verdict == "worse" {
		v.Class = v.Verdict
	}
	return v
}

// signedAt writes a difference with the digits that its interval justifies.
func signedAt(d Measure) string {
	s := notebookFixed(d.Value, decimals((d.High-d.Low)/2))
	if d.Value > 0 {
		s = "+" + s
	}
	return s
}

func (c Comparison) renderHTML(w *htmlWriter) error {
	files, err := links(c.Files)
	if err != nil {
		return fmt.Errorf("notebook: comparison %q: %w", c.Caption, err)
	}
	w.tables++
	view := struct {
		Comparison
		Number int
		Rows   []comparedView
		Links  []link
		Noise  bool
	}{Comparison: c, Number: w.tables, Links: files}
	for _, row := range c.Rows {
		v := row.view()
		view.Noise = view.Noise || v.Delta == "~"
		view.Rows = append(view.Rows, v)
	}
	return w.execute("comparison", view)
}

func (c Comparison) renderMarkdown(w *markdownWriter) error {
	files, err := links(c.Files)
	if err != nil {
		return fmt.Errorf("notebook: comparison %q: %w", c.Caption, err)
	}
	w.tables++
	w.paragraph(fmt.Sprintf("**Table %d.** %s%s", w.tables, escape(c.Caption), markdownLinks(files)))
	var rows [][]string
	for _, row := range c.Rows {
		v := row.view()
		name := escape(v.Name)
		if v.Unit != "" {
			name += " (" + escape(v.Unit) + ")"
		}
		verdict := v.Verdict
		if v.How != "" {
			verdict = strings.TrimSpace(verdict + " <sub>" + escape(v.How) + "</sub>")
		}
		rows = append(rows, []string{name, escape(v.A.String()), escape(v.B.String()), escape(v.Delta), escape(v.Interval), verdict})
	}
	w.grid([]string{"metric", escape(c.A), escape(c.B), "difference", "95 %", ""}, []bool{false, true, true, true, true, false}, rows)
	return nil
}

// Pair is one figure of two experiments: both in one picture, where there is
// one, and each of its own.
type Pair struct {
	Caption  string  // plain text, may be empty
	A, B     string  // names of the two
	Overlaid *Figure // nil: the two have no picture in common
	FigureA  *Figure // nil: it has none
	FigureB  *Figure
}

func (p Pair) renderHTML(w *htmlWriter) error {
	w.body.WriteString("<div class=\"beside\">\n")
	if p.Caption != "" {
		fmt.Fprintf(&w.body, "<p class=\"caption\">%s</p>\n", template.HTMLEscapeString(p.Caption))
	}
	if p.Overlaid != nil {
		if err := p.Overlaid.renderHTML(w); err != nil {
			return err
		}
	}
	if p.FigureA != nil || p.FigureB != nil {
		folded := p.Overlaid != nil
		if folded {
			w.body.WriteString("<details>\n<summary>Each of its own</summary>\n")
		}
		w.body.WriteString("<div class=\"trials pair\">\n")
		for _, side := range p.sides() {
			fmt.Fprintf(&w.body, "<div class=\"trial\">\n<p class=\"label\">%s</p>\n", template.HTMLEscapeString(side.name))
			if side.figure == nil {
				w.body.WriteString("<p class=\"none\">There is no such figure.</p>\n")
			} else if err := side.figure.renderHTML(w); err != nil {
				return err
			}
			w.body.WriteString("</div>\n")
		}
		w.body.WriteString("</div>\n")
		if folded {
			w.body.WriteString("</details>\n")
		}
	}
	w.body.WriteString("</div>\n")
	return nil
}

type pairSide struct {
	name   string
	figure *Figure
}

func (p Pair) sides() []pairSide { return []pairSide{{p.A, p.FigureA}, {p.B, p.FigureB}} }

func (p Pair) renderMarkdown(w *markdownWriter) error {
	if p.Caption != "" {
		w.paragraph("**" + escape(p.Caption) + "**")
	}
	if p.Overlaid != nil {
		if err := p.Overlaid.renderMarkdown(w); err != nil {
			return err
		}
	}
	if p.FigureA == nil && p.FigureB == nil {
		return nil
	}
	each := func() error {
		for _, side := range p.sides() {
			w.paragraph("**" + escape(side.name) + "**")
			if side.figure == nil {
				w.paragraph("There is no such figure.")
			} else if err := side.figure.renderMarkdown(w); err != nil {
				return err
			}
		}
		return nil
	}
	if p.Overlaid == nil {
		return each()
	}
	return w.fold("Each of its own", false, each)
}
