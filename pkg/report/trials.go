package report

import (
	"fmt"
	"html/template"
	"reflect"
)

// SideBySide sets the cells of several trials beside one another, as many as
// there is room for. Many trials are folded, a fold each, so that a page of a
// hundred is no longer to read than one of ten.
type SideBySide struct {
	Caption string // plain text, may be empty
	Trials  []Trial
}

// Trial is one column of a [SideBySide].
type Trial struct {
	// Label is plain text: what makes the trial differ. The first trial of its
	// label is what the rows of an [Overview] lead to.
	Label string
	Cells []Cell // any but SideBySide
}

// Fold hides cells until they are asked for.
type Fold struct {
	Title string // plain text
	Cells []Cell // any, and no deeper than maxDepth
	Open  bool
}

const (
	// shownTrials is how many trials stand side by side; more are folded.
	shownTrials = 6
	// listedTrials is how many folds of trials are shown; more are within a
	// fold together.
	listedTrials = 24
	// maxDepth is how deeply folds may lie within one another.
	maxDepth = 4
)

// children are the cells within a cell.
func children(c Cell) []Cell {
	var all []Cell
	switch c := c.(type) {
	case Fold:
		return c.Cells
	case *Fold:
		return c.Cells
	case *SideBySide:
		return children(*c)
	case SideBySide:
		for _, t := range c.Trials {
			all = append(all, t.Cells...)
		}
	}
	return all
}

// check refuses cells that are not there, trials within trials, and folds that
// are nested too deeply.
func check(place string, cells []Cell, depth int, within bool) error {
	if depth > maxDepth && len(cells) > 0 {
		return fmt.Errorf("notebook: %s: cells lie more than %d deep within others: %w", place, maxDepth, ErrShape)
	}
	for i, c := range cells {
		if v := reflect.ValueOf(c); c == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			return fmt.Errorf("notebook: %s: cell %d is nil: %w", place, i+1, ErrShape)
		}
		inner := within
		switch c.(type) {
		case SideBySide, *SideBySide:
			if within {
				return fmt.Errorf("notebook: %s: cell %d is side by side within a trial: %w", place, i+1, ErrShape)
			}
			inner = true
		}
		if err := check(fmt.Sprintf("cell %d of %s", i+1, place), children(c), depth+1, inner); err != nil {
			return err
		}
	}
	return nil
}

// anchors are the ids of the trials of a page, each given to the first trial
// of its label.
type anchors struct {
	ids    map[string]string // by label
	placed map[string]bool
}

func newAnchors(cells []Cell) anchors {
	a := anchors{map[string]string{}, map[string]bool{}}
	used := map[string]bool{}
	var walk func(cells []Cell)
	walk = func(cells []Cell) {
		for _, c := range cells {
			if p, ok := c.(*SideBySide); ok {
				c = *p
			}
			if s, ok := c.(SideBySide); ok {
				for _, t := range s.Trials {
					if _, ok := a.ids[t.Label]; !ok {
						a.ids[t.Label] = unique(used, "trial-"+slug(t.Label))
					}
				}
			}
			walk(children(c))
		}
	}
	walk(cells)
	return a
}

// place returns the id of a trial the first time that it is asked for, and ""
// after that.
func (a anchors) place(label string) string {
	if a.placed[label] {
		return ""
	}
	a.placed[label] = true
	return a.ids[label]
}

// idAttribute writes an id, or nothing where there is none.
func idAttribute(id string) string {
	if id == "" {
		return ""
	}
	return ` id="` + template.HTMLEscapeString(id) + `"`
}

// cells renders cells within another; their headings are no sections of the
// page.
func (w *htmlWriter) cells(cells []Cell) error {
	w.sections.depth++
	defer func() { w.sections.depth-- }()
	for _, c := range cells {
		if err := c.renderHTML(w); err != nil {
			return err
		}
	}
	return nil
}

func (s SideBySide) renderHTML(w *htmlWriter) error {
	w.body.WriteString("<div class=\"beside\">\n")
	if s.Caption != "" {
		fmt.Fprintf(&w.body, "<p class=\"caption\">%s</p>\n", template.HTMLEscapeString(s.Caption))
	}
	folded, listed := len(s.Trials) > shownTrials, len(s.Trials) <= listedTrials
	if folded && !listed {
		fmt.Fprintf(&w.body, "<details class=\"all\">\n<summary>Each of %d trials</summary>\n", len(s.Trials))
	}
	if folded {
		w.body.WriteString("<div class=\"folds\">\n")
	} else {
		w.body.WriteString("<div class=\"trials\">\n")
	}
	for _, t := range s.Trials {
		// The id is within the fold: whoever follows a link to it has the fold
		// opened by the browser.
		start, end := "<div class=\"trial\"%s>\n<p class=\"label\">%s</p>\n", "</div>\n"
		id, label := idAttribute(w.anchors.place(t.Label)), template.HTMLEscapeString(t.Label)
		if folded {
			start, end = "<details class=\"trial\">\n<summary>%[2]s</summary>\n<div class=\"content\"%[1]s>\n", "</div>\n</details>\n"
		}
		fmt.Fprintf(&w.body, start, id, label)
		if folded {
			w.folded++
		}
		err := w.cells(t.Cells)
		if folded {
			w.folded--
		}
		if err != nil {
			return err
		}
		w.body.WriteString(end)
	}
	w.body.WriteString("</div>\n")
	if folded && !listed {
		w.body.WriteString("</details>\n")
	}
	w.body.WriteString("</div>\n")
	return nil
}

func (s SideBySide) renderMarkdown(w *markdownWriter) error {
	if s.Caption != "" {
		w.paragraph("**" + escape(s.Caption) + "**")
	}
	for _, t := range s.Trials {
		id := w.anchors.place(t.Label)
		cells := func() error { return w.cells(t.Cells) }
		if len(s.Trials) > shownTrials {
			if err := w.foldAt(id, t.Label, false, cells); err != nil {
				return err
			}
			continue
		}
		anchor := ""
		if id != "" {
			anchor = "<a" + idAttribute(id) + "></a>"
		}
		w.paragraph(anchor + "**Trial " + escape(t.Label) + "**")
		if err := cells(); err != nil {
			return err
		}
	}
	return nil
}

func (f Fold) renderHTML(w *htmlWriter) error {
	open := ""
	if f.Open {
		open = " open"
	}
	fmt.Fprintf(&w.body, "<details%s>\n<summary>%s</summary>\n<div class=\"content\">\n", open, template.HTMLEscapeString(f.Title))
	if err := w.cells(f.Cells); err != nil {
		return err
	}
	w.body.WriteString("</div>\n</details>\n")
	return nil
}

func (f Fold) renderMarkdown(w *markdownWriter) error {
	return w.fold(f.Title, f.Open, func() error { return w.cells(f.Cells) })
}
