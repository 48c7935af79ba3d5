package chess

import (
	"bytes"
	"fmt"
	"io"
)

// maxPGNToken is the largest number of bytes held in memory at once: no tag and no
// comment, even one joined from several, may be longer.
const maxPGNToken = 1 << 16

// pgnScanner is a window on a stream. The bytes yet to be read are
// buf[pos:end]. buf[end] is always 0, so that loops over a token stop there
// without a separate test, and pos > 0, so that buf[pos-1] shows whether a
// line begins.
type pgnScanner struct {
	src     io.Reader
	buf     []byte
	pos     int
	end     int
	line    int   // the number of the line that holds buf[counted]
	counted int   // how far line breaks have been counted
	ended   error // why the source has ended: io.EOF or an error
}

func newPGNScanner(src io.Reader) pgnScanner {
	s := pgnScanner{src: src, buf: make([]byte, maxPGNToken), pos: 1, end: 1, line: 1, counted: 1}
	s.buf[0] = '\n' // as if a line had ended before the first
	return s
}

// more reads more bytes after buf[pos:end], which may move. It returns false if the
// source has ended or the window would exceed its limit.
func (s *pgnScanner) more() bool {
	if s.ended != nil {
		return false
	}
	const back = 4 // bytes kept before pos, to see where a line or paragraph begins
	if first := s.pos - back; s.end+1 == len(s.buf) && first > 0 {
		s.lineAt(first)
		copy(s.buf, s.buf[first:s.end])
		s.pos, s.end, s.counted = back, s.end-first, s.counted-first
	}
	if s.end+1 == len(s.buf) {
		if len(s.buf) > maxPGNToken {
			return false
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 {
		n, err := s.src.Read(s.buf[s.end : len(s.buf)-1])
		s.end += n
		s.buf[s.end] = 0
		s.ended = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.ended = io.ErrNoProgress
	return false
}

// lineAt returns the number of the line that a place of the window is on, at or
// after the last place asked for.
func (s *pgnScanner) lineAt(place int) int {
	if place > s.counted {
		s.line += bytes.Count(s.buf[s.counted:place], newline)
		s.counted = place
	}
	return s.line
}

var newline = []byte("\n")

// lineBegins reports whether pos is the first place of a line.
func (s *pgnScanner) lineBegins() bool { return s.buf[s.pos-1] == '\n' }

// need reads until n bytes are available, or the source ends.
func (s *pgnScanner) need(n int) {
	for s.end-s.pos < n && s.more() {
	}
}

var errTooLong = fmt.Errorf("longer than %d bytes", maxPGNToken)

// until returns everything up to the next stop, which it skips. The bytes are valid until
// the scanner reads more. If there is no stop it consumes nothing and returns
// io.ErrUnexpectedEOF, errTooLong, or the error of the stream.
func (s *pgnScanner) until(stop byte) ([]byte, error) {
	for looked := 0; ; {
		if i := bytes.IndexByte(s.buf[s.pos+looked:s.end], stop); i >= 0 {
			token := s.buf[s.pos : s.pos+looked+i]
			s.pos += looked + i + 1
			return token, nil
		}
		looked = s.end - s.pos
		switch {
		case s.more():
		case s.ended == nil:
			return nil, errTooLong
		case s.ended == io.EOF:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, s.ended
		}
	}
}

// restOfLine returns everything up to the end of the line, which it skips, or of the
// stream.
func (s *pgnScanner) restOfLine() ([]byte, error) {
	b, err := s.until('\n')
	if err == io.ErrUnexpectedEOF {
		b, err = s.buf[s.pos:s.end], nil
		s.pos = s.end
	}
	return b, err
}

// nextGame skips to the next apparent beginning of a game, after a game that could not be
// read: a line that begins with "[Event ", or with a tag after an empty line. It returns
// false at the end of the stream.
func (s *pgnScanner) nextGame() bool {
	for {
		i := bytes.Index(s.buf[s.pos-1:s.end], []byte("\n["))
		if i < 0 {
			if s.pos = s.end; !s.more() {
				return false
			}
			continue
		}
		s.pos += i
		s.need(len(eventTag))
		if s.gameBegins(s.pos) {
			return true
		}
		s.pos++
	}
}

const eventTag = "[Event "

// gameBegins reports whether a line that begins with a bracket looks like the
// first of a game.
func (s *pgnScanner) gameBegins(at int) bool {
	b := s.buf[at:s.end]
	if bytes.HasPrefix(b, []byte(eventTag)) {
		return true
	}
	letter := len(b) > 1 && validTagName(b[1:2])
	before := bytes.TrimSuffix(s.buf[:at-1], []byte("\r"))
	return letter && bytes.HasSuffix(before, newline)
}
