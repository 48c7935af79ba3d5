package plots

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// What cannot be drawn is an error, not a file with NaN in it.
func TestPDFErrors(t *testing.T) {
	for name, paint := range map[string]func(draw.Canvas){
		"NaN":    func(c draw.Canvas) { c.StrokeLine2(draw.LineStyle{Width: 1}, 0, 0, vg.Length(math.NaN()), 1) },
		"bitmap": func(c draw.Canvas) { c.DrawImage(vg.Rectangle{}, nil) },
		"quadratic curve": func(c draw.Canvas) {
			var p vg.Path
			p.QuadTo(vg.Point{X: 1}, vg.Point{Y: 1})
			c.Fill(p)
		},
	} {
		f := &Figure{title: "bad", width: 100, height: 100, paint: paint}
		if doc, err := f.Render(".pdf"); err == nil {
			t.Errorf("%s: have %d bytes", name, len(doc))
		}
	}
}
