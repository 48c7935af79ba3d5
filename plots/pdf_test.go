package plots

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

func TestPDFText(t *testing.T) {
	chart := Lines{
		Frame:  Frame{Title: "Größe – “naïve” AVAToYe 100 % ± 1 …"},
		X:      Axis{Label: "position", Unit: "µs²"},
		Y:      Axis{Label: "Elo ≥ −400, ∑λ→π"},
		Series: []Series{{Name: "é è ü ñ ç", X: []float64{-1, 2}, Y: []float64{-3, 4}}},
	}
	f, err := chart.Figure()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := f.PDF()
	if err != nil {
		t.Fatal(err)
	}
	shown := pdfShown(t, doc)
	for _, want := range []string{chart.Title, "position (µs²)", chart.Y.Label, "é è ü ñ ç", "−2"} {
		if !slices.Contains(shown, want) {
			t.Errorf("no %q among %q", want, shown)
		}
	}
}

// A part of a font draws its glyphs as the whole font does.
func TestSubset(t *testing.T) {
	face := handler.Fonts.Lookup(textStyle(10, ink, false).Font, 10)
	c := newPDFCanvas(100, 100)
	c.FillString(face, vg.Point{}, "aé̶ÅÅ i") // é is composed of two glyphs
	if c.err != nil || len(c.fonts) != 1 {
		t.Fatal(c.err, len(c.fonts))
	}
	f := c.fonts[0]
	var source bytes.Buffer
	if _, err := face.Face.WriteSourceTo(nil, &source); err != nil {
		t.Fatal(err)
	}
	whole, err := sfntTables(source.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	shown := len(f.glyphs)
	program, err := f.subset(source.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(f.glyphs) == shown {
		t.Fatal("no glyph was composed; the test wants one")
	}
	if sum := sfntSum(program); sum != 0xB1B0AFBA {
		t.Errorf("the file's sum is %x", sum)
	}
	part, err := sfntTables(program)
	if err != nil {
		t.Fatal(err)
	}
	composed := 0
	for n, g := range f.glyphs {
		have, err := glyphData(part, n)
		if err != nil {
			t.Fatal(err)
		}
		want, err := glyphData(whole, int(g))
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 {
			if len(have) != 0 {
				t.Errorf("glyph %d is blank but has %d bytes", g, len(have))
			}
			continue
		}
		if !bytes.Equal(have[:10], want[:10]) {
			t.Errorf("glyph %d: contours and bounds %v, want %v", g, have[:10], want[:10])
		}
		if contours := int16(binary.BigEndian.Uint16(want)); contours < 0 {
			composed++
			first := sfnt.GlyphIndex(binary.BigEndian.Uint16(want[12:]))
			if at := int(binary.BigEndian.Uint16(have[12:])); f.glyphs[at] != first {
				t.Errorf("glyph %d begins with glyph %d, want %d", g, f.glyphs[at], first)
			}
			continue
		} else {
			ends := 10 + 2*int(contours)
			hints := int(binary.BigEndian.Uint16(want[ends:]))
			rest := want[ends+2+hints:]
			if !bytes.HasPrefix(have[ends+2:], rest) || len(have)-ends-2-len(rest) > 3 {
				t.Errorf("glyph %d has another outline", g)
			}
		}
		if !bytes.Equal(part["hmtx"][4*n:4*n+4], whole["hmtx"][4*int(g):4*int(g)+4]) {
			t.Errorf("glyph %d has another width", g)
		}
	}
	if composed == 0 {
		t.Error("no composed glyph was seen")
	}
}

func TestSubsetOfBadFont(t *testing.T) {
	var source bytes.Buffer
	face := handler.Fonts.Lookup(textStyle(10, ink, false).Font, 10)
	if _, err := face.Face.WriteSourceTo(nil, &source); err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < source.Len(); cut += 1 + cut/20 {
		c := newPDFCanvas(100, 100)
		c.FillString(face, vg.Point{}, "aé")
		if _, err := c.fonts[0].subset(source.Bytes()[:cut]); err == nil {
			t.Fatalf("a font cut off at byte %d of %d gives no error", cut, source.Len())
		}
	}
}

// What cannot be drawn is an error, not a file with NaN in it.
func TestPDFOfNaN(t *testing.T) {
	f := &Figure{title: "bad", width: 100, height: 100, paint: func(c draw.Canvas) {
		c.StrokeLine2(draw.LineStyle{Width: 1}, 0, 0, vg.Length(math.NaN()), 1)
	}}
	if doc, err := f.PDF(); err == nil {
		t.Errorf("have %d bytes", len(doc))
	}
	f.paint = func(c draw.Canvas) { c.DrawImage(vg.Rectangle{}, nil) }
	if _, err := f.PDF(); err == nil {
		t.Error("a bitmap is drawn")
	}
}

func TestPDFArcs(t *testing.T) {
	c := newPDFCanvas(100, 100)
	var p vg.Path
	p.Arc(vg.Point{X: 50, Y: 50}, 10, 0, -math.Pi)
	c.Stroke(p)
	lines := strings.Split(strings.TrimSpace(c.page.String()), "\n")
	// Two quarters below the center, from right to left.
	if len(lines) != 4 || lines[0] != "60 50 m" || !strings.HasSuffix(lines[1], " 50 40 c") || !strings.HasSuffix(lines[2], " 40 50 c") || lines[3] != "S" {
		t.Errorf("have %q", lines)
	}
}
