package chess

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// PGNReader reads games one after another from a stream of any length.
type PGNReader struct {
	r      *bufio.Reader
	line   int   // of the next byte, from 1
	column int   // of the next byte, from 0
	game   int   // number of the game being read, from 1
	lost   bool  // the last game was broken off: look for the next
	err    error // the stream has ended or failed
}

// PGNError is a game that cannot be read.
type PGNError struct {
	Game int    // from 1
	Line int    // from 1
	Move string // such as "12." or "12...": the move to be read; "" in the tags
	Err  error
}

func (e *PGNError) Error() string {
	if e.Move == "" {
		return fmt.Sprintf("pgn: game %d, line %d: %v", e.Game, e.Line, e.Err)
	}
	return fmt.Sprintf("pgn: game %d, line %d, move %s: %v", e.Game, e.Line, e.Move, e.Err)
}

// Unwrap gives the error without its place.
func (e *PGNError) Unwrap() error { return e.Err }

// NewPGNReader reads from r. It buffers, so it may read further than the games
// that were asked for.
func NewPGNReader(r io.Reader) *PGNReader {
	return &PGNReader{r: bufio.NewReader(r), line: 1}
}

// Next reads a game; after the last it gives io.EOF. Comments are kept, with
// their white space made single blanks; variations, annotation glyphs and
// lines escaped with % are skipped.
//
// A game that cannot be read is a [*PGNError]. The next call then goes on with
// the next game, which is looked for as a line that begins with "[Event ".
func (r *PGNReader) Next() (*PGN, error) {
	if r.err == nil && r.lost {
		r.skipGame()
	}
	if r.err != nil {
		return nil, r.err
	}
	r.game++
	s := pgnGame{r: r, g: &PGN{Result: Unfinished}}
	err := s.read()
	if err == nil {
		return s.g, nil
	}
	if r.err != nil && (r.err != io.EOF || !s.begun) {
		return nil, r.err
	}
	r.lost = true
	e := &PGNError{Game: r.game, Line: s.line, Err: err}
	if s.inMoves {
		e.Move = fmt.Sprintf("%d.", s.p.FullMove())
		if s.p.turn == Black {
			e.Move += ".."
		}
	}
	return nil, e
}

// byte reads one byte. At the end of the stream, or when it fails, it gives 0
// and false and sets r.err.
func (r *PGNReader) byte() (byte, bool) {
	b, err := r.r.ReadByte()
	if err != nil {
		r.err = err
		if err != io.EOF {
			r.err = fmt.Errorf("pgn: line %d: %w", r.line, err)
		}
		return 0, false
	}
	r.column++
	if b == '\n' {
		r.line++
		r.column = 0
	}
	return b, true
}

// peek looks at the next byte; 0 at the end.
func (r *PGNReader) peek() byte {
	b, err := r.r.Peek(1)
	if err != nil {
		return 0
	}
	return b[0]
}

// restOfLine reads up to and with the line's end.
func (r *PGNReader) restOfLine() string {
	var b strings.Builder
	for {
		c, ok := r.byte()
		if !ok || c == '\n' {
			return b.String()
		}
		b.WriteByte(c)
	}
}

func (r *PGNReader) skipGame() {
	const tag = "[Event "
	for {
		if r.column == 0 {
			if b, _ := r.r.Peek(len(tag)); string(b) == tag {
				r.lost = false
				return
			}
		}
		if _, ok := r.byte(); !ok {
			return
		}
	}
}

// pgnGame is the reading of one game.
type pgnGame struct {
	r       *PGNReader
	g       *PGN
	p       Position // after the moves so far
	begun   bool     // something of the game has been seen
	inMoves bool     // the tags are over, p is valid
	line    int      // where the tag, move or comment being read begins
}

var errNoResult = errors.New("the moves end without a result: want 1-0, 0-1, 1/2-1/2 or *")

func (s *pgnGame) read() error {
	r := s.r
	if bom, _ := r.r.Peek(3); r.line == 1 && r.column == 0 && string(bom) == "\ufeff" {
		_, _ = r.r.Discard(3) // just peeked at
	}
	for {
		first := r.column == 0
		s.line = r.line
		c, ok := r.byte()
		if !ok {
			if r.err != io.EOF {
				return r.err
			}
			return errNoResult
		}
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f':
			continue
		case c == '%' && first:
			r.restOfLine()
			continue
		case c == '[' && s.inMoves:
			return fmt.Errorf("a tag among the moves: %w", errNoResult)
		case c == '[':
			s.begun = true
			if err := s.tag(); err != nil {
				return err
			}
			continue
		case c == ';':
			s.comment(r.restOfLine())
			continue
		case c == '{':
			text, err := r.braces()
			if err != nil {
				s.begun = true
				return err
			}
			s.comment(text)
			continue
		}
		s.begun = true
		if err := s.endTags(); err != nil {
			return err
		}
		switch c {
		case '(':
			if err := r.variation(); err != nil {
				return err
			}
		case ')', '}', ']':
			return fmt.Errorf("%q without its opening", c)
		case '$':
			r.word(c)
		default:
			done, err := s.word(r.word(c))
			if done || err != nil {
				return err
			}
		}
	}
}

// tag reads a tag pair after its opening bracket.
func (s *pgnGame) tag() error {
	line := s.r.restOfLine()
	bad := fmt.Errorf("tag %q: want [Name \"Value\"]", "["+strings.TrimRight(line, "\r"))
	inside, closed := strings.CutSuffix(strings.TrimSpace(line), "]")
	name, rest, quoted := strings.Cut(inside, "\"")
	name = strings.TrimSpace(name)
	if !closed || !quoted || !validTagName(name) {
		return bad
	}
	rest = strings.TrimRight(rest, " \t")
	var value strings.Builder
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			if i != len(rest)-1 {
				return bad
			}
			if s.g.hasTag(name) {
				return fmt.Errorf("tag %s twice", name)
			}
			s.g.Tags = append(s.g.Tags, Tag{name, value.String()})
			return nil
		case '\\':
			if i++; i == len(rest) {
				return bad
			}
		}
		value.WriteByte(rest[i])
	}
	return bad
}

func (g *PGN) hasTag(name string) bool {
	for _, t := range g.Tags {
		if t.Name == name {
			return true
		}
	}
	return false
}

// endTags sets the game up once the tags are known.
func (s *pgnGame) endTags() error {
	if s.inMoves {
		return nil
	}
	switch name := strings.ToLower(s.g.Tag("Variant")); name {
	case "", "standard", "chess", "from position":
		s.g.Variant = Standard
	case "atomic":
		s.g.Variant = Atomic
	default:
		return fmt.Errorf("variant %q: want Standard or Atomic", s.g.Tag("Variant"))
	}
	s.g.Start = StartPosition(s.g.Variant)
	if fen := s.g.Tag("FEN"); fen != "" {
		p, err := ParseFEN(s.g.Variant, fen)
		if err != nil {
			return err
		}
		s.g.Start = p
	}
	s.p = s.g.Start
	s.inMoves = true
	return nil
}

// comment adds a comment where the game stands.
func (s *pgnGame) comment(text string) {
	text = strings.Join(strings.Fields(text), " ")
	ply := len(s.g.Moves)
	if old := s.g.Comment(ply); old != "" && text != "" {
		text = old + " " + text
	}
	if text != "" {
		s.g.SetComment(ply, text)
	}
}

// word takes a move, a move number, or the result, which ends the game.
func (s *pgnGame) word(w string) (done bool, err error) {
	for result := BlackWins; result <= Unfinished; result++ {
		if w == result.String() {
			s.g.Result = result
			return true, nil
		}
	}
	number := strings.TrimLeft(w, "0123456789")
	if number == "" || number[0] == '.' {
		w = strings.TrimLeft(number, ".")
	}
	if strings.Trim(w, "!?+-=/") == "" && w != "--" {
		return false, nil // nothing, or an annotation that stands apart
	}
	m, err := s.p.ParseSAN(w)
	if err != nil {
		return false, err
	}
	s.g.Moves = append(s.g.Moves, m)
	s.p.Play(m)
	return false, nil
}

// word reads on to white space or a sign that cannot be part of a move.
func (r *PGNReader) word(first byte) string {
	b := []byte{first}
	for {
		c := r.peek()
		if c <= ' ' || strings.IndexByte("{}()[];$", c) >= 0 {
			return string(b)
		}
		r.byte()
		b = append(b, c)
	}
}

// braces reads a comment after its opening brace.
func (r *PGNReader) braces() (string, error) {
	var b strings.Builder
	for {
		c, ok := r.byte()
		switch {
		case !ok:
			return "", errors.New("the comment is not closed")
		case c == '}':
			return b.String(), nil
		}
		b.WriteByte(c)
	}
}

// variation skips a variation, with those inside it, after its opening.
func (r *PGNReader) variation() error {
	for depth := 1; depth > 0; {
		c, ok := r.byte()
		switch {
		case !ok:
			return errors.New("the variation is not closed")
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ';':
			r.restOfLine()
		case c == '{':
			if _, err := r.braces(); err != nil {
				return err
			}
		}
	}
	return nil
}
