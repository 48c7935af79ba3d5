package report

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// LaTeX returns the figures and the captioned tables of the page for \input in a document that
// loads graphicx and booktabs. Figures have their own size, or that of the text if they are
// larger. Their paths begin with \alamosdir, which is empty unless the document defines it, and
// labels are as in fig:score and tab:trials.
func (p *Page) LaTeX() []byte {
	w := &latexWriter{taken: map[string]int{}}
	w.line("%% Figures and tables of %s, by alamos. The document needs \\usepackage{graphicx,booktabs}.", strings.Join(strings.Fields(p.Title), " "))
	w.WriteString(`\providecommand{\alamosdir}{}
\makeatletter
\providecommand{\alamoswidth}{\ifdim\Gin@nat@width>\linewidth\linewidth\else\Gin@nat@width\fi}
\providecommand{\alamosheight}{\ifdim\Gin@nat@height>0.8\textheight0.8\textheight\else\Gin@nat@height\fi}
\makeatother
`)
	w.blocks("", p.Blocks)
	return []byte(w.String())
}

type latexWriter struct {
	strings.Builder
	taken  map[string]int // labels, with the number of their uses
	floats int
}

// mostFloats is the number of figures and tables after which a page begins: without text
// between them, LaTeX can hold only some before it places them.
const mostFloats = 12

// end ends a figure or a table.
func (w *latexWriter) end(kind string) {
	w.line(`\end{%s}`, kind)
	if w.floats++; w.floats%mostFloats == 0 {
		w.line(`\clearpage`)
	}
}

func (w *latexWriter) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// blocks writes figures and tables, whose captions begin with whose they are.
func (w *latexWriter) blocks(whose string, blocks []Block) {
	for _, b := range blocks {
		switch b := b.(type) {
		case Figure:
			b.Caption = whose + b.Caption
			w.figure(b)
		case Table:
			if b.Caption != "" {
				b.Caption = whose + b.Caption
				w.table(b)
			}
		case Fold:
			w.blocks(whose, b.Blocks)
		case SideBySide:
			for _, trial := range b {
				w.blocks(trial.Label+": ", trial.Blocks)
			}
		}
	}
}

func (w *latexWriter) figure(f Figure) {
	i := slices.IndexFunc(f.Files, func(file string) bool { return path.Ext(file) == ".pdf" })
	if i < 0 {
		return
	}
	name := strings.TrimSuffix(f.Files[i], ".pdf") // includegraphics takes other dots for extensions
	w.line("\n\\begin{figure}[htbp]\n\\centering\n\\includegraphics[width=\\alamoswidth,height=\\alamosheight,keepaspectratio]{\\alamosdir %s.pdf}", name)
	w.caption(f.Caption, "fig", path.Base(name))
	w.end("figure")
}

// A table of more than widestTable columns is scaled to the width of the text. One of more than
// longestTable rows becomes several, since LaTeX cuts off what is longer than a page.
const widestTable, longestTable = 6, 40

func (w *latexWriter) table(t Table) {
	words := slices.DeleteFunc(strings.Fields(t.Caption), func(w string) bool { return slices.Contains([]string{"a", "of", "the"}, w) })
	name := strings.Join(words[:min(2, len(words))], "-")
	if len(t.Files) > 0 {
		name = strings.TrimSuffix(path.Base(t.Files[0]), path.Ext(t.Files[0]))
	}
	caption := t.Caption
	for rows := range slices.Chunk(t.Rows, longestTable) {
		w.line("\n\\begin{table}[htbp]\n\\centering")
		w.caption(caption, "tab", name)
		w.rows(t.Columns, rows)
		if t.Legend != "" {
			w.line("\\par\\smallskip{\\footnotesize %s\\par}", latexEscape(t.Legend))
		}
		w.end("table")
		caption = strings.TrimSuffix(t.Caption, ".") + ", continued."
	}
}

func (w *latexWriter) rows(columns []Column, rows [][]Cell) {
	if len(columns) > widestTable {
		w.line(`\resizebox{\textwidth}{!}{%%`)
	}
	spec, heads := "", make([]string, len(columns))
	for i, c := range columns {
		heads[i] = latexEscape(c.head())
		if spec += "l"; c.Numeric {
			spec = spec[:i] + "r"
		}
	}
	w.line("\\begin{tabular}{%s}\n\\toprule\n%s \\\\\n\\midrule", spec, strings.Join(heads, " & "))
	for _, row := range rows {
		cells := make([]string, len(columns))
		for i, c := range row {
			if cells[i] = latexEscape(c.Text); c.Class == Best {
				cells[i] = `\textbf{` + cells[i] + `}`
			}
			if c.Mark != "" {
				cells[i] += ` ` + latexEscape(c.Mark)
			}
		}
		w.line(`%s \\`, strings.Join(cells, " & "))
	}
	w.line("\\bottomrule\n\\end{tabular}")
	if len(columns) > widestTable {
		w.line("}")
	}
}

// notInLabel matches what a label does not have.
var notInLabel = regexp.MustCompile(`[^a-z0-9-]+`)

func (w *latexWriter) caption(text, kind, name string) {
	label := kind + ":" + strings.Trim(notInLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if w.taken[label]++; w.taken[label] > 1 {
		label += fmt.Sprintf("-%d", w.taken[label])
	}
	w.line("\\caption{%s}\n\\label{%s}", latexEscape(text), label)
}

var latexReplacer = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `%`, `\%`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `"`, `''`,
	"−", "$-$", "±", `$\pm$`, "×", `$\times$`, "·", `$\cdot$`, "…", `\dots{}`, "–", "--", "—", "---",
	"≤", `$\leq$`, "≥", `$\geq$`, "≈", `$\approx$`, "∞", `$\infty$`, "→", `$\to$`, "★", `$\star$`,
)

// latexEscape returns a line of text as LaTeX shows it verbatim.
func latexEscape(s string) string {
	return latexReplacer.Replace(Visible(strings.Join(strings.Fields(s), " ")))
}
