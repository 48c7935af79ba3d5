package chess

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// PGNReader reads games one after another from a stream of any length.
type PGNReader struct {
	s       pgnScanner
	variant *Variant // what all games are, whatever their tags say; nil: what they say
	lost    bool     // the last game was broken off: look for the next
	err     error    // the stream is over or broken

	// The game being read. Its memory is kept for the next one.
	game    int       // its number, from 1
	first   int       // the line on which it begins
	begun   bool      // something of it has been seen
	inMoves bool      // its tags are over
	text    []byte    // names and values of its tags, one after another
	ends    []int     // where they end in text, two numbers a tag
	words   []byte    // a comment
	lines   []pgnLine // the main line, and the variations that are open
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

// Unwrap returns the error without its place.
func (e *PGNError) Unwrap() error { return e.Err }

// NewPGNReader reads from r. It buffers, so it may read beyond the last game
// that it returned.
func NewPGNReader(r io.Reader) *PGNReader {
	return &PGNReader{s: newPGNScanner(r), lines: make([]pgnLine, 1)}
}

// SetVariant makes the reader read all games by the rules of v, whatever their
// Variant tags say.
func (r *PGNReader) SetVariant(v Variant) { r.variant = &v }

// Place returns the number of the last game read, from 1, and the line on which it
// begins.
func (r *PGNReader) Place() (game, line int) { return r.game, r.first }

// Ahead is how many bytes of the stream were read ahead of the game that was read last.
func (r *PGNReader) Ahead() int { return r.s.end - r.s.pos }

// End is the position at the end of the main line that was read last, to be read
// only. It is valid until the next game is read.
func (r *PGNReader) End() *Position { return &r.lines[0].at }

// Next reads a game; after the last it returns io.EOF. Comments are kept, with
// their white space made single blanks, as are variations and NAGs, of which
// the marks ! ? !! ?? !? ?! and a few others are a form. Lines escaped with %
// are skipped, and so is a result inside a variation.
//
// A game that cannot be read is a [*PGNError]. The next call then continues with
// the next game, which is looked for as a line that begins with "[Event ", or
// with any tag after an empty line.
func (r *PGNReader) Next() (*PGN, error) {
	g := &PGN{Moves: make([]Move, 0, 128)} // enough for most
	if err := r.NextInto(g); err != nil {
		return nil, err
	}
	return g, nil
}

// NextInto is [PGNReader.Next] into a game whose memory is reused: its slices are
// overwritten, its strings are not. After an error g holds the part that was read.
func (r *PGNReader) NextInto(g *PGN) error {
	if r.err != nil {
		return r.err
	}
	if r.lost && !r.s.nextGame() {
		return r.endOfStream()
	}
	r.lost, r.begun, r.inMoves = false, false, false
	*g = PGN{
		Tags: g.Tags[:0], Moves: g.Moves[:0], Comments: g.Comments[:0],
		NAGs: g.NAGs[:0], Variations: g.Variations[:0], Result: Unfinished,
	}
	err := r.read(g)
	if err == nil {
		return nil
	}
	if r.err != nil && (r.err != io.EOF || !r.begun) {
		return r.err
	}
	r.lost = true
	e := &PGNError{Game: r.game, Line: r.s.lineAt(r.s.pos), Err: err}
	if r.inMoves {
		p := &r.lines[len(r.lines)-1].at
		e.Move = fmt.Sprintf("%d.", p.FullMove())
		if p.turn == Black {
			e.Move += ".."
		}
	}
	return e
}

var errNoResult = errors.New("the moves end without a result: want 1-0, 0-1, 1/2-1/2 or *")

// byteOrderMark begins the text files of some editors.
const byteOrderMark = "\ufeff"

// endOfStream records why there is no more input.
func (r *PGNReader) endOfStream() error {
	if r.err == nil {
		if r.err = r.s.ended; r.err != io.EOF {
			r.err = fmt.Errorf("pgn: line %d: %w", r.s.lineAt(r.s.pos), r.err)
		}
	}
	return r.err
}

// read reads a game. On an error the scanner stays on the line that the error names.
func (r *PGNReader) read(g *PGN) error {
	if s := &r.s; r.game == 0 {
		if s.need(len(byteOrderMark)); bytes.HasPrefix(s.buf[s.pos:s.end], []byte(byteOrderMark)) {
			s.pos += len(byteOrderMark)
			s.buf[s.pos-1] = '\n' // a line begins here too
			s.counted = s.pos
		}
	}
	r.lines = append(r.lines[:0], pgnLine{Line: g.main()})
	err := r.tags()
	text, from := string(r.text), 0
	for i := 0; i+1 < len(r.ends); i += 2 {
		name, value := r.ends[i], r.ends[i+1]
		g.Tags = append(g.Tags, Tag{text[from:name], text[name:value]})
		from = value
	}
	if err != nil {
		return err
	}
	if err := r.start(g); err != nil {
		return err
	}
	err = r.moves(g)
	l := &r.lines[0]
	g.Moves, g.Comments, g.NAGs, g.Variations = l.Moves, l.Comments, l.NAGs, l.Variations
	return err
}

// begin stores that a game begins at the scanner's place.
func (r *PGNReader) begin() {
	if !r.begun {
		r.begun = true
		r.game++
		r.first = r.s.lineAt(r.s.pos)
	}
}

// start sets the game up once its tags are known.
func (r *PGNReader) start(g *PGN) (err error) {
	if r.variant != nil {
		g.Variant = *r.variant
	} else if g.Variant, err = g.TaggedVariant(); err != nil {
		return err
	}
	g.Start = StartPosition(g.Variant)
	if fen := g.Tag("FEN"); fen != "" {
		if g.Start, err = ParseFEN(g.Variant, fen); err != nil {
			return err
		}
	}
	l := &r.lines[0]
	l.at, l.before = g.Start, g.Start
	r.inMoves = true
	return nil
}

// tags reads up to the moves.
func (r *PGNReader) tags() error {
	s := &r.s
	r.text, r.ends = r.text[:0], r.ends[:0]
	for {
		switch c := s.buf[s.pos]; {
		case c == 0 && s.pos == s.end:
			if s.more() {
				continue
			}
			if err := r.endOfStream(); err != io.EOF {
				return err
			}
			return errNoResult
		case c == ' ' || c >= '\t' && c <= '\r':
			s.pos++
		case c == '[':
			r.begin()
			if err := r.tag(); err != nil {
				return err
			}
		case c == '%' && s.lineBegins():
			if _, err := s.restOfLine(); err != nil {
				return r.broken(err, "the line")
			}
		case c == ';' || c == '{':
			if err := r.comment(c); err != nil {
				return err
			}
		default:
			r.begin()
			return nil
		}
	}
}

// broken returns the error for an unterminated token.
func (r *PGNReader) broken(err error, what string) error {
	r.begin()
	switch err {
	case io.ErrUnexpectedEOF:
		return fmt.Errorf("%s is not closed", what)
	case errTooLong:
		return fmt.Errorf("%s is %w", what, err)
	}
	return r.endOfStream()
}
