package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
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

// styles are the style attributes of a page's drawings, each a class: charts
// repeat a dozen of them a hundred times.
type styles struct {
	class map[string]string
	rules strings.Builder
}

// plainStyle is a list of declarations that needs no escaping in a style
// sheet and loads nothing.
var plainStyle = regexp.MustCompile(`^ *(?:[a-z-]+ *: *[#a-zA-Z0-9., %-]+ *(?:;|$) *)+$`)

// add returns the class that stands for a style, "" if the style is to stay
// where it is.
func (s *styles) add(style string) string {
	if len(style) > 300 || !plainStyle.MatchString(style) {
		return ""
	}
	if s.class == nil {
		s.class = map[string]string{}
	}
	class, ok := s.class[style]
	if !ok {
		class = "d" + strconv.Itoa(len(s.class))
		s.class[style] = class
		s.rules.WriteString("." + class + " { " + style + " }\n")
	}
	return class
}

// inlineSVG rewrites a drawing for a place within a page: prolog, comments,
// document type and metadata are dropped, ids get a prefix that no other
// drawing has, styles become classes, and whatever is not a drawing is
// refused. alt becomes the drawing's name.
func inlineSVG(doc []byte, prefix, alt string, styles *styles) (string, error) {
	bad := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrPicture)
	}
	var out strings.Builder
	// RawToken keeps prefixes as they are written and checks no end tags;
	// both are done here.
	dec := xml.NewDecoder(bytes.NewReader(doc))
	var open []string
	var words, hidden int // how many of the open elements are within text, or metadata
	pending := false      // the last start tag lacks its end: it may be an empty element
	write := func(parts ...string) {
		if pending {
			out.WriteString(">")
			pending = false
		}
		for _, p := range parts {
			out.WriteString(p)
		}
	}
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
			if hidden > 0 || t.Name.Local == "metadata" && len(open) > 0 {
				hidden++
				open = append(open, qualified(t.Name))
				continue
			}
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
			} else {
				attrs = styleClass(attrs, styles)
			}
			rooted = true
			open = append(open, t.Name.Local)
			if words > 0 || wordElements[t.Name.Local] {
				words++
			}
			write("<" + t.Name.Local)
			for _, a := range attrs {
				write(" " + qualified(a.Name) + `="` + escapeAttribute(a.Value) + `"`)
			}
			pending = true
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != qualified(t.Name) {
				return bad("end tag </%s> at byte %d matches no start", qualified(t.Name), dec.InputOffset())
			}
			open = open[:len(open)-1]
			if hidden > 0 {
				hidden--
				continue
			}
			words = max(0, words-1)
			if pending {
				pending = false
				out.WriteString("/>")
				continue
			}
			write("</" + t.Name.Local + ">")
		case xml.CharData:
			text := string(t)
			switch { // text in other places is not drawn
			case len(open) == 0 || hidden > 0:
			case words > 0:
				write(escapeText(text))
			case strings.Contains(text, "\n") && len(open) == 1:
				write("\n") // a line for each part of the drawing
			}
		}
	}
	if !rooted || len(open) > 0 {
		return bad("the svg element is missing or has no end")
	}
	return out.String(), nil
}

// wordElements are those whose white space is shown.
var wordElements = set("text title desc")

// styleClass puts a class in the place of a style. The drawing's own classes
// mean nothing here: it brings no style sheet, and the page's is not for it.
func styleClass(attrs []xml.Attr, styles *styles) []xml.Attr {
	kept := attrs[:0]
	for _, a := range attrs {
		switch qualified(a.Name) {
		case "class":
			continue
		case "style":
			if class := styles.add(a.Value); class != "" {
				a = xml.Attr{Name: xml.Name{Local: "class"}, Value: class}
			}
		}
		kept = append(kept, a)
	}
	return kept
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

// escapeText escapes the text of an element and leaves its lines as they are.
func escapeText(s string) string { return textEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) }

// escapeAttribute escapes an attribute's value; its lines become spaces, as
// readers of XML take them.
func escapeAttribute(s string) string {
	return attributeEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD"))
}

var (
	textEscapes      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\x00", "\uFFFD")
	attributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "\n", " ", "\t", " ", "\r", " ", "\x00", "\uFFFD")
)
