package plots_test

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"alamos/plots"
)

var (
	pdfStream = regexp.MustCompile(`/Length (\d+)>>\nstream\n`)
	pdfText   = regexp.MustCompile(`BT [\d.-]+ [\d.-]+ Td \(((?s:\\.|[^\\)])*)\) Tj ET`)
	pdfEscape = strings.NewReplacer(`\\`, `\`, `\(`, "(", `\)`, ")", `\r`, "\r")
)

// pdfShown returns the texts of the page. fpdf writes them in UTF-16.
func pdfShown(t *testing.T, doc []byte) (texts []string) {
	t.Helper()
	at := pdfStream.FindIndex(doc)
	if at == nil {
		t.Fatal("the PDF has no stream")
	}
	r, err := zlib.NewReader(bytes.NewReader(doc[at[1]:]))
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if opens, closes := len(regexp.MustCompile(`(?m)^q$`).FindAll(page, -1)), len(regexp.MustCompile(`(?m)^Q$`).FindAll(page, -1)); opens != closes {
		t.Errorf("%d states saved, %d restored", opens, closes)
	}
	for _, m := range pdfText.FindAllSubmatch(page, -1) {
		units := []uint16{}
		for raw := pdfEscape.Replace(string(m[1])); len(raw) >= 2; raw = raw[2:] {
			units = append(units, uint16(raw[0])<<8|uint16(raw[1]))
		}
		texts = append(texts, string(utf16.Decode(units)))
	}
	return texts
}

// A PDF shows the same texts as the SVG, and they can be copied out of it.
func TestPDFText(t *testing.T) {
	charts := []plots.Chart{plots.Lines{
		Frame:  plots.Frame{Title: "Größe – “naïve” AVAToYe 100 % ± 1 … (a\\b)"},
		X:      plots.Axis{Label: "position", Unit: "µs²"},
		Y:      plots.Axis{Label: "Elo ≥ −400, ∑λ→π"},
		Series: []plots.Series{line("é è ü ñ ç", []float64{-1, 2}, []float64{-3, 4})},
	}}
	for _, g := range gallery {
		charts = append(charts, g.chart())
	}
	for _, c := range charts {
		f := figure(t, c)
		svg, err := f.Render(".svg")
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, text := range checkSVG(t, svg) {
			if strings.TrimSpace(text) != "" {
				want = append(want, text)
			}
		}
		pdf, err := f.Render(".pdf")
		if err != nil {
			t.Fatal(err)
		}
		if have := pdfShown(t, pdf); len(have) == 0 || !slices.Equal(have, want) {
			t.Errorf("%s: PDF shows %q, SVG %q", f.Description(), have, want)
		}
		if !bytes.Contains(pdf, []byte("/ToUnicode")) {
			t.Errorf("%s: text cannot be copied out of the PDF", f.Description())
		}
	}
}
