package report

import (
	"regexp"
	"strconv"
	"strings"
)

// sortable is a cell's text and what it is sorted by.
type sortable struct {
	Text string
	// Key is the number that the text begins with, as scripts write it, where
	// the text itself does not read so.
	Key string
	// Keyed says that Key stands for the text, an empty Key for none: such
	// cells come last in both directions.
	Keyed bool
}

var (
	// leading is a number and what may follow it: a percent sign, or an
	// interval.
	leading = regexp.MustCompile(`^[~≈<>≤≥]?\s*([+-]?(?:(?:[0-9]{1,3}(?:[,\x{00a0}\x{202f}\x{2009}][0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+|∞|Inf)(?:[eE][+-]?[0-9]+)?)\s*(%|±.*|\(.*|\[.*|-[0-9.]+/\+.*|(\.\.|…).*|[★~])?$`)
	// bare is a number that a script reads as it stands.
	bare      = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	separator = strings.NewReplacer(",", "", "\u00a0", "", "\u202f", "", "\u2009", "")
)

// number returns the number that a cell begins with.
func notebookNumber(text string) (x float64, ok bool) {
	text = strings.ReplaceAll(strings.TrimSpace(text), "−", "-")
	m := leading.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.Replace(separator.Replace(m[1]), "∞", "Inf", 1), 64)
	return x, err == nil
}

// blank reports whether a cell says that there is nothing.
func notebookBlank(text string) bool {
	switch strings.TrimSpace(text) {
	case "", "-", "–", "—", "−", "n/a", "NaN":
		return true
	}
	return false
}

// sortKeys makes the cells of a column sortable. They are numbers if all that
// are not blank begin with one, and text otherwise.
func sortKeys(texts []string) (cells []sortable, numbers bool) {
	cells = make([]sortable, len(texts))
	for i, text := range texts {
		cells[i].Text = text
		if notebookBlank(text) {
			cells[i].Keyed = text != ""
			continue
		}
		x, ok := notebookNumber(text)
		if !ok {
			return textKeys(texts), false
		}
		numbers = true
		if !bare.MatchString(text) {
			cells[i].Key, cells[i].Keyed = jsNumber(x), true
		}
	}
	return cells, numbers
}

func textKeys(texts []string) []sortable {
	cells := make([]sortable, len(texts))
	for i, text := range texts {
		cells[i] = sortable{Text: text, Keyed: notebookBlank(text) && text != ""}
	}
	return cells
}
