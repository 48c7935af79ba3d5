package plots

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
