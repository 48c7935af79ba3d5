package plots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/url"
	"regexp"
	"strings"
)

// A Stamp identifies the sources of a picture, normally by hashes of the experiment, of the
// code that drew it, and of its data. A picture is stale if its stamp differs from today's.
type Stamp struct{ Experiment, Code, Data string }

// Errors of [ParseStamp].
var (
	// ErrStamp: the file is not a picture of this package or is truncated, or the stamp is
	// too long.
	ErrStamp = errors.New("not a stamped picture")
	// ErrNoStamp: the picture is complete but has no stamp.
	ErrNoStamp = errors.New("picture without a stamp")
)

const longestStamp = 4096 // bytes of an encoded stamp

// text writes a stamp in ASCII without anything that SVG, PNG or PDF escapes.
func (s Stamp) text() string {
	fields := url.Values{"experiment": {s.Experiment}, "code": {s.Code}, "data": {s.Data}}
	return strings.ReplaceAll(fields.Encode(), "&", " ") + ";"
}

// stampFormats describes the beginning and end of the files of each format, and the key
// before the stamp. The text of a figure cannot imitate the key: SVG escapes "<", PDF
// escapes "(" and PNG compresses its pixels.
var stampFormats = []struct{ begin, end, key string }{
	{"<?xml ", "</svg>\n", "<metadata>"},
	{pngSignature, "IEND\xAE\x42\x60\x82", "tEXt" + pngKeyword},
	{"%PDF-", "%%EOF\n", "/Keywords ("},
}

var stampText = regexp.MustCompile(`^([\w.~+%= -]*);`)

// ParseStamp returns the stamp of an SVG, PNG or PDF that [Figure.Render]
// wrote.
func ParseStamp(doc []byte) (Stamp, error) {
	for _, f := range stampFormats {
		if !bytes.HasPrefix(doc, []byte(f.begin)) {
			continue
		}
		if !bytes.HasSuffix(doc, []byte(f.end)) {
			return Stamp{}, fmt.Errorf("the file is cut off: %w", ErrStamp)
		}
		_, after, found := bytes.Cut(doc, []byte(f.key))
		if !found {
			return Stamp{}, ErrNoStamp
		}
		m := stampText.FindSubmatch(after)
		if m == nil {
			return Stamp{}, fmt.Errorf("the text %.80q is not a stamp: %w", after, ErrStamp)
		}
		fields, err := url.ParseQuery(strings.ReplaceAll(string(m[1]), " ", "&"))
		if err != nil {
			return Stamp{}, fmt.Errorf("the text %.80q is not a stamp: %w", after, ErrStamp)
		}
		return Stamp{fields.Get("experiment"), fields.Get("code"), fields.Get("data")}, nil
	}
	return Stamp{}, fmt.Errorf("neither SVG nor PNG nor PDF: %w", ErrStamp)
}

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	pngKeyword   = "alamos\x00"
)

// stampedPNG inserts a text chunk behind a PNG's header.
func stampedPNG(doc []byte, text string) []byte {
	const headerEnd = len(pngSignature) + 4 + 4 + 13 + 4 // length, type, content and checksum of IHDR
	body := "tEXt" + pngKeyword + text
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	chunk = append(chunk, body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE([]byte(body)))
	return bytes.Join([][]byte{doc[:headerEnd], chunk, doc[headerEnd:]}, nil)
}
