package chess

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// pgnLine is a line being read.
type pgnLine struct {
	Line
	at Position // after its moves
	// before is the position after the first replayed moves. It advances only when a
	// variation needs it, so that a line without variations costs nothing, and a line
	// with many is replayed once.
	before   Position
	replayed int
}

// kinds of bytes that a word in the moves begins with
const (
	pgnOther = iota // a move, or nothing that has a meaning
	pgnSpace        // white space, and dots that stand apart
	pgnDigit        // a move number, or a result, or castling with zeros
	pgnSign         // of a structure: {}()[];$*% and the end of the window
)

var (
	pgnKind = [256]uint8{0: pgnSign}
	pgnStop [256]bool // bytes that cannot be part of a word
)

func init() {
	for c := range 256 {
		switch {
		case c >= '\t' && c <= '\r' || c == ' ' || c == '.':
			pgnKind[c] = pgnSpace
		case c >= '0' && c <= '9':
			pgnKind[c] = pgnDigit
		case bytes.IndexByte([]byte("{}()[];$*%"), byte(c)) >= 0:
			pgnKind[c] = pgnSign
		}
		pgnStop[c] = c <= ' ' || bytes.IndexByte([]byte("{}()[];$"), byte(c)) >= 0
	}
}

// maxPGNWord is longer than any valid word.
const maxPGNWord = 255

// moves reads the moves, with comments, NAGs and variations, up to the result.
func (r *PGNReader) moves(g *PGN) error {
	s := &r.s
	l := &r.lines[0] // the line being read
	for {
		c := s.buf[s.pos]
		kind := pgnKind[c]
		if kind == pgnSpace {
			s.pos++
			continue
		}
		if kind == pgnDigit {
			end := s.pos + 1
			for s.buf[end]-'0' <= 9 {
				end++
			}
			if s.buf[end] == '.' {
				s.pos = end + 1
				continue
			}
		} else if kind == pgnSign {
			done, err := r.sign(g, c)
			if done || err != nil {
				return err
			}
			l = &r.lines[len(r.lines)-1]
			continue
		}

		end := s.pos + 1
		for !pgnStop[s.buf[end]] {
			end++
		}
		if end-s.pos > maxPGNWord {
			return fmt.Errorf("%q...: a word of more than %d characters", s.buf[s.pos:s.pos+20], maxPGNWord)
		}
		if end == s.end && s.more() {
			continue
		}
		word := s.buf[s.pos:end]
		if kind == pgnDigit {
			if result, err := ParseResult(string(word)); err == nil {
				s.pos = end
				if len(r.lines) == 1 {
					g.Result = result
					return nil
				}
				continue
			}
		}
		d, err := decodeSAN(word)
		if err != nil {
			if !l.remark(word) {
				return err
			}
			s.pos = end
			continue
		}
		m := l.at.resolve(d)
		if m == 0 {
			if m, err = search(&l.at, word, d); err != nil {
				return err
			}
		}
		l.at.Play(m)
		l.Moves = append(l.Moves, m)
		if last := word[len(word)-1]; last == '!' || last == '?' {
			l.mark(word[len(bytes.TrimRight(word, "!?")):])
		}
		s.pos = end
	}
}

// sign reads a token that begins with a structural character. done reports the end of the
// game.
func (r *PGNReader) sign(g *PGN, c byte) (done bool, err error) {
	s := &r.s
	l := &r.lines[len(r.lines)-1]
	switch c {
	case 0:
		if s.pos < s.end {
			return false, fmt.Errorf("%q is not a move", c)
		}
		if s.more() {
			return false, nil
		}
		if err := r.endOfStream(); r.err != io.EOF {
			return false, err
		}
		if len(r.lines) > 1 {
			return false, errors.New("the variation is not closed")
		}
		return false, errNoResult
	case '*':
		s.pos++
		if len(r.lines) == 1 {
			g.Result = Unfinished
			return true, nil
		}
	case '{', ';':
		return false, r.comment(c)
	case '(':
		if err := r.open(); err != nil {
			return false, err
		}
		s.pos++
	case ')':
		if len(r.lines) == 1 {
			return false, errors.New("')' without its opening")
		}
		s.pos++
		r.close()
	case '$':
		return false, r.nag(l)
	case '[':
		return false, fmt.Errorf("a tag among the moves: %w", errNoResult)
	case '%':
		if !s.lineBegins() {
			return false, errors.New("'%' is not a move")
		}
		if _, err := s.restOfLine(); err != nil {
			return false, r.broken(err, "the line")
		}
	default:
		return false, fmt.Errorf("%q without its opening", c)
	}
	return false, nil
}

// comment reads a comment in braces or up to the end of the line.
func (r *PGNReader) comment(c byte) error {
	s := &r.s
	s.pos++
	var text []byte
	var err error
	if c == ';' {
		text, err = s.restOfLine()
	} else if text, err = s.until('}'); err == nil {
		if i := bytes.Index(text, []byte("\n"+eventTag)); i >= 0 {
			s.pos -= len(text) + 1
			err = io.ErrUnexpectedEOF // another game has begun
		}
	}
	if err != nil {
		return r.broken(err, "the comment")
	}
	l := &r.lines[len(r.lines)-1]
	ply := len(l.Moves)
	r.words = r.words[:0]
	if old := l.Comment(ply); old != "" {
		r.words = append(append(r.words, old...), ' ')
	}
	r.words = bytes.TrimRight(appendWords(r.words, text), " ")
	switch n := len(r.words); {
	case n > maxPGNToken:
		return r.broken(errTooLong, "the comment")
	case n > 0:
		l.SetComment(ply, string(r.words))
	}
	return nil
}

// open begins a variation, an alternative to the last move.
func (r *PGNReader) open() error {
	l := &r.lines[len(r.lines)-1]
	ply := len(l.Moves) - 1
	switch {
	case ply < 0:
		return errors.New("a variation before the first move")
	case len(r.lines) > maxPGNDepth:
		return fmt.Errorf("variations are nested deeper than %d", maxPGNDepth)
	}
	for ; l.replayed < ply; l.replayed++ {
		l.before.Play(l.Moves[l.replayed])
	}
	r.lines = append(r.lines, pgnLine{Line: Line{Ply: ply}, at: l.before, before: l.before})
	return nil
}

// close ends a variation. Empty variations are dropped.
func (r *PGNReader) close() {
	last := len(r.lines) - 1
	v := &r.lines[last].Line
	if len(v.Moves)+len(v.Comments)+len(v.NAGs) > 0 {
		parent := &r.lines[last-1].Line
		parent.Variations = append(parent.Variations, *v)
	}
	r.lines = r.lines[:last]
}

// nag reads a numeric glyph.
func (r *PGNReader) nag(l *pgnLine) error {
	s := &r.s
	s.need(5)
	code, end := 0, s.pos+1
	for ; end < s.pos+5 && s.buf[end]-'0' <= 9; end++ {
		code = 10*code + int(s.buf[end]-'0')
	}
	if end == s.pos+1 || code > 255 {
		return fmt.Errorf("glyph %q: want $0 to $255", s.buf[s.pos:end])
	}
	s.pos = end
	l.NAGs = append(l.NAGs, NAG{len(l.Moves), uint8(code)})
	return nil
}

// pgnMarks are annotations that are written without a $.
var pgnMarks = map[string]uint8{
	"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "=": 10, "~": 13,
	"+/=": 14, "+=": 14, "=/+": 15, "=+": 15, "+/-": 16, "-/+": 17, "+-": 18, "-+": 19,
}

// mark adds a mark such as !? to the last move, if the mark has a NAG number.
func (l *pgnLine) mark(mark []byte) {
	if code, found := pgnMarks[string(mark)]; found {
		l.NAGs = append(l.NAGs, NAG{len(l.Moves), code})
	}
}

// remark reads a word that is not a move but belongs to the last one, and reports whether
// it was one: a mark after a blank, known or not, a move number without a dot, or "e.p.".
func (l *pgnLine) remark(word []byte) bool {
	digits := len(bytes.TrimLeft(word, "0123456789")) == 0
	signs := len(bytes.Trim(word, "!?+-=/~")) == 0 && string(word) != "--"
	if signs {
		l.mark(word)
	}
	return digits || signs || string(word) == "e.p."
}
