package notebook

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// drawingElements are the elements of SVG that draw and do nothing else.
// Script, style sheets (they would reach the whole page), foreign objects and
// animation are not among them.
var drawingElements = set("svg g a defs symbol use title desc " +
	"path rect circle ellipse line polyline polygon text tspan textPath image " +
	"linearGradient radialGradient stop clipPath mask pattern marker")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// inlineSVG rewrites a drawing for a place within a page: prolog, comments and
// document type are dropped, ids get a prefix that no other drawing has, and
// whatever is not a drawing is refused. alt becomes the drawing's name if it
// has none.
func inlineSVG(doc []byte, prefix, alt string) (string, error) {
	bad := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrPicture)
	}
	var out strings.Builder
	// RawToken keeps prefixes as they are written and checks no end tags;
	// both are done here.
	dec := xml.NewDecoder(bytes.NewReader(doc))
	var open []string
	rooted := false
	for {
		token, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bad("%v", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Space != "" || !drawingElements[t.Name.Local] {
				return bad("element <%s> at byte %d", qualified(t.Name), dec.InputOffset())
			}
			if len(open) == 0 && (rooted || t.Name.Local != "svg") {
				return bad("the root is not a single svg element")
			}
			attrs, err := drawingAttrs(t, prefix)
			if err != nil {
				return "", err
			}
			if len(open) == 0 {
				attrs = rootAttrs(attrs, alt)
			}
			rooted = true
			open = append(open, t.Name.Local)
			out.WriteString("<" + t.Name.Local)
			for _, a := range attrs {
				out.WriteString(" " + qualified(a.Name) + `="` + escapeXML(a.Value) + `"`)
			}
			out.WriteString(">")
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != qualified(t.Name) {
				return bad("end tag </%s> at byte %d matches no start", qualified(t.Name), dec.InputOffset())
			}
			open = open[:len(open)-1]
			out.WriteString("</" + t.Name.Local + ">")
		case xml.CharData:
			if len(open) > 0 {
				out.WriteString(escapeXML(string(t)))
			}
		}
	}
	if !rooted || len(open) > 0 {
		return bad("the svg element is missing or has no end")
	}
	return out.String(), nil
}

func qualified(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// drawingAttrs returns an element's attributes with their ids prefixed, and
// refuses those that load or run something.
func drawingAttrs(e xml.StartElement, prefix string) ([]xml.Attr, error) {
	var attrs []xml.Attr
	seen := map[string]bool{}
	for _, a := range e.Attr {
		name := qualified(a.Name)
		bad := func(why string) ([]xml.Attr, error) {
			return nil, fmt.Errorf("attribute %s=%q of <%s>: %s: %w", name, a.Value, e.Name.Local, why, ErrPicture)
		}
		if seen[name] {
			return bad("given twice")
		}
		seen[name] = true
		lower := strings.ToLower(name)
		switch {
		case strings.HasPrefix(lower, "on"):
			return bad("runs a script")
		case name == "id":
			a.Value = prefix + a.Value
		case name == "aria-labelledby" || name == "aria-describedby":
			ids := strings.Fields(a.Value)
			for i := range ids {
				ids[i] = prefix + ids[i]
			}
			a.Value = strings.Join(ids, " ")
		case a.Name.Local == "href":
			switch {
			case strings.HasPrefix(a.Value, "#"):
				a.Value = "#" + prefix + a.Value[1:]
			case e.Name.Local == "image" && strings.HasPrefix(a.Value, "data:image/png;"),
				e.Name.Local == "image" && strings.HasPrefix(a.Value, "data:image/jpeg;"),
				// The library that draws plots calls its PNGs jpg.
				e.Name.Local == "image" && strings.HasPrefix(a.Value, "data:image/jpg;"),
				e.Name.Local == "a" && strings.HasPrefix(a.Value, "https://"):
			default:
				return bad("leads out of the page")
			}
		case strings.Contains(strings.ToLower(a.Value), "url("):
			local := strings.ReplaceAll(a.Value, "url(#", "")
			if strings.Contains(strings.ToLower(local), "url(") {
				return bad("loads something")
			}
			a.Value = strings.ReplaceAll(a.Value, "url(#", "url(#"+prefix)
		}
		attrs = append(attrs, a)
	}
	return attrs, nil
}

// rootAttrs gives the root a role and a name, and lets it shrink with its
// place: a fixed size becomes a largest size. The root's own style is dropped
// but for that size; it is the one style that could reach beyond the drawing.
func rootAttrs(attrs []xml.Attr, alt string) []xml.Attr {
	values := map[string]string{}
	for _, a := range attrs {
		values[qualified(a.Name)] = a.Value
	}
	widest := cssLength(values["width"])
	for _, declaration := range strings.Split(values["style"], ";") {
		if length, ok := strings.CutPrefix(declaration, "max-width:"); ok {
			widest = cssLength(length)
		}
	}
	scalable := values["viewBox"] != "" && widest != ""
	var kept []xml.Attr
	for _, a := range attrs {
		switch name := qualified(a.Name); name {
		case "style", "role", "aria-label", "class":
			continue
		case "width", "height":
			if scalable {
				continue
			}
		}
		kept = append(kept, a)
	}
	add := func(name, value string) { kept = append(kept, xml.Attr{Name: xml.Name{Local: name}, Value: value}) }
	if scalable {
		add("width", "100%")
		add("style", "max-width:"+widest+";height:auto")
	}
	add("role", "img")
	if alt != "" {
		add("aria-label", alt)
	}
	return kept
}

// cssLength returns an absolute length as CSS writes it, "" if s is none.
func cssLength(s string) string {
	number := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz")
	if number == "" || strings.Trim(number, "0123456789.") != "" {
		return ""
	}
	switch s[len(number):] {
	case "":
		return number + "px"
	case "px", "pt", "pc", "mm", "cm", "in":
		return s
	}
	return ""
}

// escapeXML escapes text for content and for attributes.
func escapeXML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
	return b.String()
}
