package plots_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alamos/plots"
)

// pdfObjects reads a file by its table of objects and unpacks streams.
func pdfObjects(t *testing.T, doc []byte) map[int][]byte {
	t.Helper()
	m := regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(doc)
	if m == nil {
		t.Fatalf("no end: %q", doc[max(0, len(doc)-80):])
	}
	at, _ := strconv.Atoi(string(m[1]))
	lines := strings.SplitAfter(string(doc[at:]), "\n")
	var count int
	if _, err := fmt.Sscanf(lines[0]+lines[1], "xref\n0 %d", &count); err != nil {
		t.Fatal(err)
	}
	objects := map[int][]byte{}
	for n := 1; n < count; n++ {
		var offset int
		if _, err := fmt.Sscanf(lines[2+n], "%d 00000 n", &offset); err != nil || len(lines[2+n]) != 20 {
			t.Fatalf("entry %q: %v", lines[2+n], err)
		}
		body, ok := bytes.CutPrefix(doc[offset:], fmt.Appendf(nil, "%d 0 obj\n", n))
		if !ok {
			t.Fatalf("object %d is not at byte %d", n, offset)
		}
		if m := regexp.MustCompile(`^<< /Length (\d+) /Filter /FlateDecode[^\n]*\nstream\n`).FindSubmatch(body); m != nil {
			size, _ := strconv.Atoi(string(m[1]))
			packed := body[len(m[0]) : len(m[0])+size]
			if !bytes.HasPrefix(body[len(m[0])+size:], []byte("\nendstream\nendobj\n")) {
				t.Fatalf("stream %d does not end at its length", n)
			}
			r, err := zlib.NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			if objects[n], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			continue
		}
		body, _, ok = bytes.Cut(body, []byte("\nendobj\n"))
		if !ok {
			t.Fatalf("object %d has no end", n)
		}
		objects[n] = body
	}
	return objects
}

// pdfShown returns the texts of a page, read back through the maps from
// glyphs to characters.
func pdfShown(t *testing.T, doc []byte) (texts []string) {
	t.Helper()
	objects := pdfObjects(t, doc)
	characters := map[string]map[string]string{} // by font, by glyph
	contents := []byte{}
	for _, body := range objects {
		m := regexp.MustCompile(`/Type /Page /Parent .*/Contents (\d+) 0 R`).FindSubmatch(body)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(string(m[1]))
		contents = objects[n]
		for _, f := range regexp.MustCompile(`/(F\d+) (\d+) 0 R`).FindAllSubmatch(body, -1) {
			n, _ := strconv.Atoi(string(f[2]))
			m := regexp.MustCompile(`/ToUnicode (\d+) 0 R`).FindSubmatch(objects[n])
			n, _ = strconv.Atoi(string(m[1]))
			characters[string(f[1])] = map[string]string{}
			for _, e := range regexp.MustCompile(`(?m)^<([0-9A-F]{4})> <([0-9A-F]+)>$`).FindAllSubmatch(objects[n], -1) {
				code, _ := strconv.ParseUint(string(e[2]), 16, 32)
				characters[string(f[1])][string(e[1])] = string(rune(code))
			}
		}
	}
	if opens, closes := len(regexp.MustCompile(`(?m)^q$`).FindAll(contents, -1)), len(regexp.MustCompile(`(?m)^Q$`).FindAll(contents, -1)); opens != closes {
		t.Errorf("%d states saved, %d restored", opens, closes)
	}
	for _, m := range regexp.MustCompile(`(?m)^BT /(F\d+) .* \[(.*)\] TJ ET$`).FindAllSubmatch(contents, -1) {
		text := ""
		for _, part := range regexp.MustCompile(`<([0-9A-F]*)>`).FindAllSubmatch(m[2], -1) {
			for code := part[1]; len(code) >= 4; code = code[4:] {
				text += characters[string(m[1])][string(code[:4])]
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// A PDF shows the same texts as the SVG, and they can be copied out of it.
func TestPDFText(t *testing.T) {
	charts := []plots.Chart{plots.Lines{
		Frame:  plots.Frame{Title: "Größe – “naïve” AVAToYe 100 % ± 1 …"},
		X:      plots.Axis{Label: "position", Unit: "µs²"},
		Y:      plots.Axis{Label: "Elo ≥ −400, ∑λ→π"},
		Series: []plots.Series{{Name: "é è ü ñ ç", X: []float64{-1, 2}, Y: []float64{-3, 4}}},
	}}
	for _, g := range gallery {
		charts = append(charts, g.chart())
	}
	for _, c := range charts {
		f := figure(t, c)
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, text := range checkSVG(t, svg) {
			if strings.TrimSpace(text) != "" {
				want = append(want, text)
			}
		}
		pdf, err := f.PDF()
		if err != nil {
			t.Fatal(err)
		}
		if have := pdfShown(t, pdf); len(have) == 0 || !slices.Equal(have, want) {
			t.Errorf("%s: PDF shows %q, SVG %q", f.Title(), have, want)
		}
	}
}
