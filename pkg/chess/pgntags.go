package chess

import (
	"bytes"
	"fmt"
)

// tag reads a tag pair.
func (r *PGNReader) tag() error {
	s := &r.s
	old := len(r.text)
	for {
		nameEnd, n, ok := r.parseTag(s.buf[s.pos : s.end+1])
		if ok {
			s.pos += n
			return r.addTag(old, nameEnd)
		}
		r.text = r.text[:old]
		if s.pos+n < s.end || !s.more() {
			break
		}
	}
	at := s.buf[s.pos:s.end]
	if i := bytes.IndexByte(at, '\n'); i >= 0 {
		at = at[:i]
	}
	at = bytes.TrimRight(at[:min(len(at), 100)], "\r")
	err := fmt.Errorf("tag %q: want [Name \"Value\"]", at)
	s.pos++ // so that the search for the next game does not find this one
	return err
}

// maxPGNTags is more than any honest game has.
const maxPGNTags = 500

// addTag takes the tag whose name begins in text at from and ends at nameEnd.
func (r *PGNReader) addTag(from, nameEnd int) error {
	name := r.text[from:nameEnd]
	begin := 0
	for i := 0; i < len(r.ends); i += 2 {
		if bytes.Equal(r.text[begin:r.ends[i]], name) {
			return fmt.Errorf("tag %s twice", name)
		}
		begin = r.ends[i+1]
	}
	if len(r.ends) == 2*maxPGNTags {
		return fmt.Errorf("more than %d tags", maxPGNTags)
	}
	r.ends = append(r.ends, nameEnd, len(r.text))
	return nil
}

// parseTag reads a tag pair at the beginning of b, whose last byte is 0, and
// adds name and value to text. It gives the place in text where the name ends,
// and the place in b behind the pair or, when it is not ok, of the byte that does
// not fit.
func (r *PGNReader) parseTag(b []byte) (nameEnd, n int, ok bool) {
	blanks := func(i int) int {
		for b[i] == ' ' || b[i] == '\t' {
			i++
		}
		return i
	}
	first := blanks(1)
	i := first
	for validTagName(b[i : i+1]) {
		i++
	}
	if i == first {
		return 0, i, false
	}
	r.text = append(r.text, b[first:i]...)
	nameEnd = len(r.text)
	if i = blanks(i); b[i] != '"' {
		return 0, i, false
	}
	i++
	for first = i; ; i++ {
		switch c := b[i]; {
		case c == '"':
			r.text = append(r.text, b[first:i]...)
			if i = blanks(i + 1); b[i] != ']' {
				return 0, i, false
			}
			return nameEnd, i + 1, true
		case c == '\n' || c == '\r' || i == len(b)-1:
			return 0, i, false
		case c == '\\':
			r.text = append(r.text, b[first:i]...)
			i++
			if first = i; b[i] == '\n' || b[i] == '\r' || i == len(b)-1 {
				return 0, i, false
			}
		}
	}
}
