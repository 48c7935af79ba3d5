package report

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestLaTeXEscape(t *testing.T) {
	for text, want := range map[string]string{
		`50 % & a_b #1 {x} $5 \n`: `50 \% \& a\_b \#1 \{x\} \$5 \textbackslash{}n`,
		"−69 ± 53":                `$-$69 $\pm$ 53`,
		"0.5 (0.1 … 0.9) ~ ★":     `0.5 (0.1 \dots{} 0.9) \textasciitilde{} $\star$`,
		"two\nlines\x1b":          "two lines\uFFFD",
	} {
		if have := latexEscape(text); have != want {
			t.Errorf("%q: %s, want %s", text, have, want)
		}
	}
}

// The figures and tables of a page compile in a document, which can refer to them.
func TestLaTeXCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("runs LaTeX")
	}
	latex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex is installed (Debian: texlive-latex-base and texlive-latex-recommended)")
	}
	dir := t.TempDir()
	r := made(t, load(t, sweepFile), 3)
	if err := r.WriteLaTeX(filepath.Join(dir, "figures", "lab.tex")); err != nil {
		t.Fatal(err)
	}
	const document = `\documentclass{article}
\usepackage{graphicx,booktabs}
\newcommand{\alamosdir}{figures/}
\begin{document}
See figure~\ref{fig:score} and table~\ref{tab:trials}.
\input{figures/lab}
\end{document}
`
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time knows the labels
		cmd := exec.CommandContext(t.Context(), latex, "-interaction=nonstopmode", "-halt-on-error", "thesis.tex")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "thesis.log"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(log); strings.Contains(text, "undefined") || strings.Contains(text, "multiply defined") {
		t.Error("a label is undefined, or defined twice")
	}
	tex := string((&Page{Title: "a", Blocks: []Block{Figure{Caption: "One.", Files: []string{"x/a.svg", "x/a.pdf"}}, Figure{Caption: "Two.", Files: []string{"y/a.pdf"}}}}).LaTeX())
	for _, want := range []string{`{\alamosdir x/a.pdf}`, `\label{fig:a}`, `\label{fig:a-2}`} {
		if !strings.Contains(tex, want) {
			t.Errorf("no %s in\n%s", want, tex)
		}
	}
}

// LaTeX cuts off a table that is longer than a page.
func TestLaTeXLongTable(t *testing.T) {
	table := Table{Caption: "Pairs.", Columns: []Column{{Name: "pair"}}, Legend: "The legend."}
	for i := range 2*longestTable + 1 {
		table.Rows = append(table.Rows, Row(fmt.Sprint(i)))
	}
	tex := string((&Page{Title: "a", Blocks: []Block{table}}).LaTeX())
	for want, times := range map[string]int{`\begin{tabular}`: 3, `\toprule`: 3, "The legend.": 3, `\caption{Pairs.}`: 1, `\caption{Pairs, continued.}`: 2, `\label{tab:pairs-3}`: 1, "\n80 ": 1} {
		if have := strings.Count(tex, want); have != times {
			t.Errorf("%s: %d times, want %d", want, have, times)
		}
	}
}
