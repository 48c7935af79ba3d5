package plots

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A Stamp says what a picture was made from: hashes, as a rule, of the
// experiment, of the code that drew it, and of the data that it shows. A
// picture whose stamp differs from those of today is stale.
type Stamp struct{ Experiment, Code, Data string }

const (
	mostStamp = 4096     // bytes of an encoded stamp
	mostFile  = 64 << 20 // bytes of a picture that is searched for a stamp
	pngStamp  = "alamos" // keyword of the text chunk
	pdfStamp  = "AlamosStamp"
)

// text writes a stamp in printable ASCII without anything that XML, PNG or PDF
// would have to escape, so that it looks the same in all three.
func (s Stamp) text() string {
	return "experiment=" + url.QueryEscape(s.Experiment) + " code=" + url.QueryEscape(s.Code) + " data=" + url.QueryEscape(s.Data)
}

var stampText = regexp.MustCompile(`^experiment=(\S*) code=(\S*) data=(\S*)$`)

// parseStamp reads what text wrote, and nothing else.
func parseStamp(text string) (Stamp, error) {
	m := stampText.FindStringSubmatch(text)
	if m == nil || len(text) > mostStamp {
		return Stamp{}, fmt.Errorf("the text %.80q is no stamp: %w", text, ErrStamp)
	}
	var s Stamp
	for i, to := range []*string{&s.Experiment, &s.Code, &s.Data} {
		v, err := url.QueryUnescape(m[i+1])
		if err != nil {
			return Stamp{}, fmt.Errorf("the text %.80q is no stamp: %w", text, ErrStamp)
		}
		*to = v
	}
	if s.text() != text {
		return Stamp{}, fmt.Errorf("the text %.80q is no stamp: %w", text, ErrStamp)
	}
	return s, nil
}

// ReadStamp returns the stamp of an SVG, PNG or PDF that [Figure.WriteFiles]
// wrote. The error wraps [ErrNoStamp] where the picture is whole but has no
// stamp, and [ErrStamp] where the file is no such picture or is damaged.
func ReadStamp(path string) (Stamp, error) {
	f, err := os.Open(path)
	if err != nil {
		return Stamp{}, fmt.Errorf("plots: %w", err)
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err != nil {
		return Stamp{}, fmt.Errorf("plots: %w", err)
	}
	s, err := ParseStamp(doc)
	if err != nil {
		return Stamp{}, fmt.Errorf("plots: stamp of %s: %w", path, err)
	}
	return s, nil
}

// ParseStamp is [ReadStamp] for a picture in memory, of any source.
func ParseStamp(doc []byte) (Stamp, error) {
	if len(doc) > mostFile {
		return Stamp{}, fmt.Errorf("more than %d MiB: %w", mostFile>>20, ErrStamp)
	}
	var text string
	var err error
	switch {
	case bytes.HasPrefix(doc, pngSignature):
		text, err = pngStampText(doc)
	case bytes.HasPrefix(doc, []byte("%PDF-")):
		text, err = pdfStampText(doc)
	case bytes.HasPrefix(bytes.TrimSpace(doc), []byte("<")):
		text, err = svgStampText(doc)
	default:
		err = fmt.Errorf("neither SVG nor PNG nor PDF: %w", ErrStamp)
	}
	if err != nil {
		return Stamp{}, err
	}
	return parseStamp(text)
}

// svgStampText finds the text of the metadata element below the root. The
// whole document is read: half a picture has no valid stamp.
func svgStampText(doc []byte) (string, error) {
	damaged := func(err error) (string, error) { return "", fmt.Errorf("SVG: %w: %w", err, ErrStamp) }
	dec := xml.NewDecoder(bytes.NewReader(doc))
	var open []string
	var text strings.Builder
	rooted, found := false, 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return damaged(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			open = append(open, t.Name.Local)
			if open[0] != "svg" {
				return damaged(fmt.Errorf("the root is <%s>", open[0]))
			}
			rooted = true
			if len(open) == 2 && t.Name.Local == "metadata" {
				found++
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) == 2 && open[1] == "metadata" {
				text.Write(t)
			}
		}
	}
	switch {
	case !rooted:
		return damaged(errors.New("there is no svg element"))
	case found == 0:
		return "", ErrNoStamp
	case found > 1:
		return damaged(errors.New("more than one metadata element"))
	}
	return text.String(), nil
}

var pngSignature = []byte("\x89PNG\r\n\x1a\n")

// stampedPNG puts a text chunk behind a PNG's header.
func stampedPNG(doc []byte, text string) []byte {
	const headerEnd = 8 + 4 + 4 + 13 + 4 // signature; length, type, content and sum of IHDR
	body := "tEXt" + pngStamp + "\x00" + text
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	chunk = append(chunk, body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE([]byte(body)))
	out := append([]byte(nil), doc[:headerEnd]...)
	return append(append(out, chunk...), doc[headerEnd:]...)
}

// pngStampText walks the chunks to the last.
func pngStampText(doc []byte) (string, error) {
	text, found := "", false
	for at := len(pngSignature); ; {
		if len(doc)-at < 12 {
			return "", fmt.Errorf("PNG ends at byte %d within a chunk: %w", len(doc), ErrStamp)
		}
		size := int64(binary.BigEndian.Uint32(doc[at:]))
		if size > int64(len(doc)-at-12) {
			return "", fmt.Errorf("PNG: the chunk at byte %d reaches beyond the end: %w", at, ErrStamp)
		}
		end := at + 8 + int(size)
		body := doc[at+4 : end]
		if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(doc[end:]) {
			return "", fmt.Errorf("PNG: the chunk at byte %d is damaged: %w", at, ErrStamp)
		}
		if rest, ok := bytes.CutPrefix(body, []byte("tEXt"+pngStamp+"\x00")); ok {
			if found {
				return "", fmt.Errorf("PNG: more than one stamp: %w", ErrStamp)
			}
			text, found = string(rest), true
		}
		if string(body[:4]) == "IEND" {
			break
		}
		at = end + 4
	}
	if !found {
		return "", ErrNoStamp
	}
	return text, nil
}

var (
	pdfStart = regexp.MustCompile(`startxref\s+(\d{1,10})\s+%%EOF\s*$`)
	pdfInfo  = regexp.MustCompile(`/Info (\d{1,7}) 0 R`)
	pdfKey   = regexp.MustCompile(`/` + pdfStamp + ` \(([!-'*-\[\]-~ ]*)\)`)
)

// pdfStampText follows a PDF's own references to its Info dictionary. It
// knows the form that this package writes; a PDF that another program wrote
// anew may keep its stamp in a form that is not found here.
func pdfStampText(doc []byte) (string, error) {
	damaged := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("PDF: %s: %w", fmt.Sprintf(format, args...), ErrStamp)
	}
	tail := doc[max(0, len(doc)-64):]
	start := pdfStart.FindSubmatch(tail)
	if start == nil {
		return damaged("it does not end as a whole one does")
	}
	at, err := strconv.Atoi(string(start[1]))
	if err != nil || at > len(doc) {
		return damaged("the table of objects at byte %s is not there", start[1])
	}
	_, table, ok := bytes.Cut(doc[at:], []byte("\n")) // xref
	head, table, ok2 := bytes.Cut(table, []byte("\n"))
	var first, count int
	if _, err := fmt.Sscanf(string(head[:min(len(head), 32)]), "%d %d", &first, &count); err != nil || !ok || !ok2 || first != 0 {
		return damaged("no table of objects at byte %d", at)
	}
	trailer := bytes.LastIndex(table, []byte("trailer"))
	if trailer < 0 {
		return damaged("no trailer")
	}
	ref := pdfInfo.FindSubmatch(table[trailer:])
	if ref == nil {
		return "", ErrNoStamp
	}
	number, err := strconv.Atoi(string(ref[1]))
	const row = 20 // bytes of an entry of the table
	if err != nil || number >= count || (number+1)*row > trailer {
		return damaged("object %s is not in the table", ref[1])
	}
	offset, err := strconv.Atoi(string(table[number*row : number*row+10]))
	if err != nil || offset < 0 || offset > len(doc) {
		return damaged("object %d is not in the file", number)
	}
	body, ok := bytes.CutPrefix(doc[offset:], fmt.Appendf(nil, "%d 0 obj\n", number))
	if !ok {
		return damaged("object %d is not at byte %d", number, offset)
	}
	body, _, ok = bytes.Cut(body, []byte("\nendobj\n"))
	if !ok {
		return damaged("object %d has no end", number)
	}
	// Titles are texts too, but cannot look like the key: a parenthesis
	// within a text is written with a backslash before it.
	keys := pdfKey.FindAllSubmatch(body, 2)
	switch len(keys) {
	case 0:
		return "", ErrNoStamp
	case 1:
		return string(keys[0][1]), nil
	}
	return damaged("more than one stamp")
}
