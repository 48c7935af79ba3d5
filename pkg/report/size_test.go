package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// chart is a drawing as big as a real one: so many ticks and points.
func chart(points int) []byte {
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 453.54 320.03" width="453.54pt" height="320.03pt">` + "\n")
	for i := range points {
		fmt.Fprintf(&b, `<path d="M%d.467,190.62L%d.217,190.62" style="fill:none;stroke:#888888;stroke-width:0.6" />`+"\n", i, i+2)
		fmt.Fprintf(&b, `<text x="%d.705" y="-36.79" transform="scale(1, -1)" style="font-size:9px;fill:#555555">1.0</text>`+"\n", i)
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// A drawing within the page is smaller than its file, and a page of many
// trials grows by little more than that for each.
func TestPageSize(t *testing.T) {
	size := func(trials int) int {
		html, err := sweepPage(trials, func(int) []byte { return chart(40) }).HTML()
		if err != nil {
			t.Fatal(err)
		}
		return len(html)
	}
	few, many := size(30), size(130)
	drawing := len(chart(40))
	if each := (many - few) / 100; each > drawing*85/100 {
		t.Errorf("a trial with a drawing of %d bytes adds %d to the page", drawing, each)
	}
	if bare := few - 30*drawing; bare > 30<<10 {
		t.Errorf("the page of 30 trials has %d bytes beside its drawings", bare)
	}
}

// Pictures of folded trials that have no more room are links to their files.
func TestFoldedPicturesHaveTheirRoom(t *testing.T) {
	big := chart(1500)
	n := foldedRoom/len(big)*2 + 10
	html, err := sweepPage(n, func(int) []byte { return big }).HTML()
	if err != nil {
		t.Fatal(err)
	}
	if len(html) > foldedRoom+n*2000+60<<10 {
		t.Errorf("the page has %d bytes", len(html))
	}
	drawn, left := bytes.Count(html, []byte("<svg")), bytes.Count(html, []byte("in its file only"))
	if drawn == 0 || left == 0 || drawn+left != n {
		t.Errorf("of %d pictures %d are drawn and %d left to their files", n, drawn, left)
	}
	// A picture that has no file is always drawn.
	p := sweepPage(n, func(int) []byte { return big })
	trials := p.Cells[1].(SideBySide).Trials
	for i := range trials {
		trials[i].Cells = []Cell{Figure{SVG: big}}
	}
	if html, err = p.HTML(); err != nil {
		t.Fatal(err)
	}
	if drawn := bytes.Count(html, []byte("<svg")); drawn != n {
		t.Errorf("of %d pictures without files %d are drawn", n, drawn)
	}
}

// A real chart comes out with all of its strokes and words.
func TestRealDrawing(t *testing.T) {
	doc, err := os.ReadFile("../../plots/testdata/score.svg")
	if err != nil {
		t.Fatal(err)
	}
	var s styles
	out, err := inlineSVG(doc, "f1-", "alt", &s)
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"<path", "<text", "<g", "</g>"} {
		if have, want := strings.Count(out, tag), bytes.Count(doc, []byte(tag)); have != want {
			t.Errorf("%d %s, want %d", have, tag, want)
		}
	}
	if have, want := strings.Count(out, ` class="d`), bytes.Count(doc, []byte(" style=")); have != want || strings.Contains(out[10:], " style=\"fill") {
		t.Errorf("%d classes for %d styles", have, want)
	}
	if len(s.class) == 0 || len(s.class) > 20 {
		t.Errorf("%d styles", len(s.class))
	}
}
