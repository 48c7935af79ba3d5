package plots

import (
	"gonum.org/v1/plot/vg/draw"
)

// looks gives series of the same name the same look in every panel of a
// figure. Lines there are thin and many, so that dashes, not markers, tell
// them apart besides their colors.
type looks struct {
	names []string
	band  map[string]bool
}

func newLooks(panels ...[]Series) *looks {
	l := &looks{band: map[string]bool{}}
	seen := map[string]bool{}
	for _, series := range panels {
		for _, s := range series {
			if !seen[s.Name] {
				seen[s.Name] = true
				l.names = append(l.names, s.Name)
			}
			l.band[s.Name] = l.band[s.Name] || s.Band
		}
	}
	return l
}

func (l *looks) line(name string) draw.LineStyle {
	i := 0
	for i < len(l.names)-1 && l.names[i] != name {
		i++
	}
	return draw.LineStyle{Color: colorOf(i), Width: lineWidth, Dashes: dashes[i%len(dashes)]}
}

// add puts series on a plot, bands below all lines.
func (l *looks) add(p axes, series []Series) {
	for _, s := range series {
		if s.Band {
			p.Add(band{Series: s, line: l.line(s.Name)})
		}
	}
	for _, s := range series {
		p.Add(curve{Series: s, line: l.line(s.Name)})
	}
}

// legend is empty where the only series has no name.
func (l *looks) legend() []entry {
	var legend []entry
	for _, name := range l.names {
		if name == "" && len(l.names) == 1 {
			break
		}
		e := entry{name: name, line: l.line(name)}
		if l.band[name] {
			e.shade = shade(e.line.Color)
		}
		legend = append(legend, e)
	}
	return legend
}
