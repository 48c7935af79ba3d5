package plots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
)

// pdfFont is a TrueType font of which a PDF holds the glyphs that it shows,
// numbered anew in the order of their first use.
type pdfFont struct {
	name   string // of the resource
	base   string // PostScript's name
	face   font.Face
	glyphs []sfnt.GlyphIndex       // by new number; 0 is the box for what the font lacks
	number map[sfnt.GlyphIndex]int // its inverse
	runes  map[int]rune            // by new number, for copying text out
	buf    sfnt.Buffer
}

// font returns the font of a face, whatever its size.
func (c *pdfCanvas) font(face font.Face) (*pdfFont, error) {
	for _, f := range c.fonts {
		if f.face.Face == face.Face {
			return f, nil
		}
	}
	n := len(c.fonts)
	if n == 26 {
		return nil, errors.New("more than 26 fonts")
	}
	f := &pdfFont{
		name: fmt.Sprintf("F%d", n+1), face: face,
		glyphs: []sfnt.GlyphIndex{0}, number: map[sfnt.GlyphIndex]int{0: 0}, runes: map[int]rune{},
	}
	// A part of a font is marked by six letters before its name.
	f.base = fmt.Sprintf("AAAAA%c+LiberationSans", 'A'+n)
	if face.Font.Weight == xfont.WeightBold {
		f.base += "-Bold"
	}
	c.fonts = append(c.fonts, f)
	return f, nil
}

// units is the size at which measures come in the font's own units.
func (f *pdfFont) units() fixed.Int26_6 { return fixed.Int26_6(f.face.Face.UnitsPerEm()) }

// thousandths converts the font's units to those of PDF.
func (f *pdfFont) thousandths(v fixed.Int26_6) string {
	return pdfNumber(float64(v) * 1000 / float64(f.units()))
}

// show returns the operand of TJ for a text, kerned as it was measured.
func (f *pdfFont) show(txt string) (string, error) {
	var b strings.Builder
	b.WriteString("[<")
	var last sfnt.GlyphIndex
	for i, r := range txt {
		g, err := f.face.Face.GlyphIndex(&f.buf, r)
		if err != nil {
			return "", err
		}
		if i > 0 {
			kern, err := f.face.Face.Kern(&f.buf, last, g, f.units(), xfont.HintingNone)
			if err != nil && !errors.Is(err, sfnt.ErrNotFound) {
				return "", err
			}
			if err == nil && kern != 0 {
				b.WriteString("> " + f.thousandths(-kern) + " <")
			}
		}
		n, known := f.number[g]
		if !known {
			n = len(f.glyphs)
			f.glyphs = append(f.glyphs, g)
			f.number[g] = n
			f.runes[n] = r
		}
		fmt.Fprintf(&b, "%04X", n)
		last = g
	}
	b.WriteString(">]")
	return b.String(), nil
}

// write adds the font to a file and returns the number of its object.
func (f *pdfFont) write(d *pdfWriter) (int, error) {
	var source bytes.Buffer
	if _, err := f.face.Face.WriteSourceTo(&f.buf, &source); err != nil {
		return 0, err
	}
	shown := len(f.glyphs) // parts of composed glyphs come after
	program, err := f.subset(source.Bytes())
	if err != nil {
		return 0, fmt.Errorf("font %s: %w", f.base, err)
	}
	var widths strings.Builder
	for n := range shown {
		w, err := f.face.Face.GlyphAdvance(&f.buf, f.glyphs[n], f.units(), xfont.HintingNone)
		if err != nil {
			return 0, err
		}
		widths.WriteString(" " + f.thousandths(w))
	}
	bounds, err := f.face.Face.Bounds(&f.buf, f.units(), xfont.HintingNone)
	if err != nil {
		return 0, err
	}
	metrics, err := f.face.Face.Metrics(&f.buf, f.units(), xfont.HintingNone)
	if err != nil {
		return 0, err
	}
	font, cid, descriptor, file, unicode := d.reserve(), d.reserve(), d.reserve(), d.reserve(), d.reserve()
	d.object(font, fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d 0 R] /ToUnicode %d 0 R >>", f.base, cid, unicode))
	d.object(cid, fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor %d 0 R /CIDToGIDMap /Identity /W [0 [%s]] >>",
		f.base, descriptor, strings.TrimSpace(widths.String())))
	// Y grows downward in the library's bounds.
	d.object(descriptor, fmt.Sprintf("<< /Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [%s %s %s %s] /ItalicAngle 0 /Ascent %s /Descent %s /CapHeight %s /StemV 80 /FontFile2 %d 0 R >>",
		f.base, f.thousandths(bounds.Min.X), f.thousandths(-bounds.Max.Y), f.thousandths(bounds.Max.X), f.thousandths(-bounds.Min.Y),
		f.thousandths(metrics.Ascent), f.thousandths(-metrics.Descent), f.thousandths(metrics.CapHeight), file))
	if err := d.stream(file, fmt.Sprintf(" /Length1 %d", len(program)), program); err != nil {
		return 0, err
	}
	return font, d.stream(unicode, "", f.unicode(shown))
}

// unicode returns the map from glyphs to characters.
func (f *pdfFont) unicode(shown int) []byte {
	var b bytes.Buffer
	b.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n" +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n" +
		"/CMapName /Adobe-Identity-UCS def /CMapType 2 def\n" +
		"1 begincodespacerange <0000> <FFFF> endcodespacerange\n")
	const most = 100 // entries of one list
	for from := 1; from < shown; from += most {
		to := min(from+most, shown)
		fmt.Fprintf(&b, "%d beginbfchar\n", to-from)
		for n := from; n < to; n++ {
			fmt.Fprintf(&b, "<%04X> <%s>\n", n, utf16Hex(string(f.runes[n])))
		}
		b.WriteString("endbfchar\n")
	}
	b.WriteString("endcmap CMapName currentdict /CMap defineresource pop end end\n")
	return b.Bytes()
}

// subset returns a TrueType font with the numbered glyphs alone and, after
// them, the parts of which some are composed. Hints are left out: they are for
// screens of few pixels, and would need the whole font's programs.
func (f *pdfFont) subset(source []byte) ([]byte, error) {
	tables, err := sfntTables(source)
	if err != nil {
		return nil, err
	}
	for _, want := range []string{"head", "hhea", "maxp", "hmtx", "loca", "glyf"} {
		if tables[want] == nil {
			return nil, fmt.Errorf("no table %q", want)
		}
	}
	var glyf, loca, hmtx []byte
	metrics := int(binary.BigEndian.Uint16(tables["hhea"][34:]))
	for n := 0; n < len(f.glyphs); n++ { // grows while composed glyphs are read
		g := int(f.glyphs[n])
		outline, err := glyphData(tables, g)
		if err != nil {
			return nil, fmt.Errorf("glyph %d: %w", g, err)
		}
		if outline, err = f.unhinted(outline); err != nil {
			return nil, fmt.Errorf("glyph %d: %w", g, err)
		}
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		glyf = append(glyf, outline...)
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
		// Glyphs beyond the list of full metrics have its last advance.
		at := 4 * min(g, metrics-1)
		if at+4 > len(tables["hmtx"]) {
			return nil, errors.New("table hmtx is too short")
		}
		hmtx = append(hmtx, tables["hmtx"][at:at+4]...)
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))

	head := bytes.Clone(tables["head"])
	binary.BigEndian.PutUint32(head[8:], 0)  // the checksum, filled in last
	binary.BigEndian.PutUint16(head[50:], 1) // offsets of glyphs have 32 bits
	hhea := bytes.Clone(tables["hhea"])
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(f.glyphs)))
	maxp := bytes.Clone(tables["maxp"])
	binary.BigEndian.PutUint16(maxp[4:], uint16(len(f.glyphs)))
	return sfntFile([]sfntTable{{"glyf", glyf}, {"head", head}, {"hhea", hhea}, {"hmtx", hmtx}, {"loca", loca}, {"maxp", maxp}}), nil
}

// glyphData returns a glyph's outline; a blank has none.
func glyphData(tables map[string][]byte, g int) ([]byte, error) {
	loca, glyf := tables["loca"], tables["glyf"]
	var from, to int
	if binary.BigEndian.Uint16(tables["head"][50:]) == 0 {
		if 2*g+4 > len(loca) {
			return nil, errors.New("no such glyph")
		}
		from, to = 2*int(binary.BigEndian.Uint16(loca[2*g:])), 2*int(binary.BigEndian.Uint16(loca[2*g+2:]))
	} else {
		if 4*g+8 > len(loca) {
			return nil, errors.New("no such glyph")
		}
		from, to = int(binary.BigEndian.Uint32(loca[4*g:])), int(binary.BigEndian.Uint32(loca[4*g+4:]))
	}
	if from > to || to > len(glyf) {
		return nil, errors.New("outline lies outside of its table")
	}
	return glyf[from:to], nil
}

// unhinted returns an outline without its instructions. Parts of a composed
// glyph get numbers of their own.
func (f *pdfFont) unhinted(outline []byte) ([]byte, error) {
	if len(outline) == 0 {
		return nil, nil
	}
	short := errors.New("outline is too short")
	if len(outline) < 12 {
		return nil, short
	}
	contours := int(int16(binary.BigEndian.Uint16(outline)))
	if contours >= 0 {
		at := 10 + 2*contours // of the number of instruction bytes
		if at+2 > len(outline) {
			return nil, short
		}
		rest := at + 2 + int(binary.BigEndian.Uint16(outline[at:]))
		if rest > len(outline) {
			return nil, short
		}
		out := append([]byte(nil), outline[:at]...)
		return append(append(out, 0, 0), outline[rest:]...), nil
	}
	// Flags of a part (OpenType, "glyf").
	const wordArguments, scaled, more, scaledTwice, matrix, instructed = 0x1, 0x8, 0x20, 0x40, 0x80, 0x100
	out := bytes.Clone(outline)
	for at := 10; ; {
		if at+4 > len(out) {
			return nil, short
		}
		flags := binary.BigEndian.Uint16(out[at:])
		part := sfnt.GlyphIndex(binary.BigEndian.Uint16(out[at+2:]))
		n, known := f.number[part]
		if !known {
			n = len(f.glyphs)
			f.glyphs = append(f.glyphs, part)
			f.number[part] = n
		}
		binary.BigEndian.PutUint16(out[at:], flags&^instructed)
		binary.BigEndian.PutUint16(out[at+2:], uint16(n))
		at += 6
		if flags&wordArguments != 0 {
			at += 2
		}
		switch {
		case flags&scaled != 0:
			at += 2
		case flags&scaledTwice != 0:
			at += 4
		case flags&matrix != 0:
			at += 8
		}
		if flags&more == 0 {
			if at > len(out) {
				return nil, short
			}
			return out[:at], nil
		}
	}
}

type sfntTable struct {
	tag  string
	data []byte
}

// sfntTables finds the tables of a font file.
func sfntTables(file []byte) (map[string][]byte, error) {
	if len(file) < 12 {
		return nil, errors.New("not a font")
	}
	n := int(binary.BigEndian.Uint16(file[4:]))
	if len(file) < 12+16*n {
		return nil, errors.New("table of tables is cut off")
	}
	tables := map[string][]byte{}
	for i := range n {
		entry := file[12+16*i:]
		from, size := int(binary.BigEndian.Uint32(entry[8:])), int(binary.BigEndian.Uint32(entry[12:]))
		if from+size > len(file) {
			return nil, fmt.Errorf("table %q is cut off", entry[:4])
		}
		tables[string(entry[:4])] = file[from : from+size]
	}
	for tag, least := range map[string]int{"head": 54, "hhea": 36, "maxp": 6} {
		if len(tables[tag]) < least {
			return nil, fmt.Errorf("table %q has %d bytes", tag, len(tables[tag]))
		}
	}
	return tables, nil
}

// sfntFile writes a font of tables in the order of their tags.
func sfntFile(tables []sfntTable) []byte {
	n := len(tables)
	power := 1
	for power*2 <= n {
		power *= 2
	}
	log := 0
	for 1<<(log+1) <= n {
		log++
	}
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{n, power * 16, log, (n - power) * 16} { // for bisection by old readers
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	at, head := 12+16*n, 0
	for _, t := range tables {
		out = append(out, t.tag...)
		out = binary.BigEndian.AppendUint32(out, sfntSum(t.data))
		out = binary.BigEndian.AppendUint32(out, uint32(at))
		out = binary.BigEndian.AppendUint32(out, uint32(len(t.data)))
		if t.tag == "head" {
			head = at
		}
		at += (len(t.data) + 3) &^ 3
	}
	for _, t := range tables {
		out = append(out, t.data...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	binary.BigEndian.PutUint32(out[head+8:], 0xB1B0AFBA-sfntSum(out))
	return out
}

// sfntSum adds up the big-endian words of a table.
func sfntSum(data []byte) (sum uint32) {
	for ; len(data) >= 4; data = data[4:] {
		sum += binary.BigEndian.Uint32(data)
	}
	if len(data) > 0 {
		var last [4]byte
		copy(last[:], data)
		sum += binary.BigEndian.Uint32(last[:])
	}
	return sum
}
