package chess

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const pgnWidth = 80

// WritePGN writes a game and an empty line after it: the seven tags of the
// roster ("?" where unknown), Variant unless it is chess, SetUp and FEN unless
// the game begins at the start, the other tags in their order, and the moves
// with comments, NAGs and variations, in lines of at most 80 characters; only a longer
// comment makes a longer line. The Variant of chess whose castling rights are
// not those of the classical squares is "Chess960".
//
// White space in comments becomes single blanks. It fails on an illegal move, on
// a NAG or a variation without a move, and on text that PGN cannot
// hold: a line break in a tag, a comment of more than 64 KiB.
func WritePGN(w io.Writer, g *PGN) error {
	var b strings.Builder
	if err := g.writeTags(&b); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	t := pgnText{b: &b}
	if err := t.line(g.Start, g.main(), 0); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	t.word(g.Result.String())
	t.newline()
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func (g *PGN) writeTags(b *strings.Builder) error {
	if g.Start.variant != g.Variant {
		return fmt.Errorf("the game is %v, but its start position is %v", g.Variant, g.Start.variant)
	}
	var tags []Tag
	made := map[string]bool{}
	put := func(name, value string) {
		tags = append(tags, Tag{name, value})
		made[name] = true
	}
	for _, t := range [...]Tag{{"Event", "?"}, {"Site", "?"}, {"Date", "????.??.??"}, {"Round", "?"}, {"White", "?"}, {"Black", "?"}} {
		if v := g.Tag(t.Name); v != "" {
			t.Value = v
		}
		put(t.Name, t.Value)
	}
	put("Result", g.Result.String())
	if tag := g.variantTag(); tag != Standard.Tag() {
		put("Variant", tag)
	}
	if g.Variant.Defined() {
		put("Rules", g.Variant.Spec())
	}
	if g.Start != StartPosition(g.Variant) {
		put("SetUp", "1")
		put("FEN", g.Start.FEN())
	}
	for _, name := range [...]string{"Variant", "Rules", "SetUp", "FEN"} {
		made[name] = true // a stale one must not contradict the game
	}
	for _, t := range g.Tags {
		if !made[t.Name] {
			put(t.Name, t.Value)
		}
	}
	for _, t := range tags {
		if !validTagName(t.Name) {
			return fmt.Errorf("tag name %q: want letters, digits and underscores", t.Name)
		}
		if strings.ContainsAny(t.Value, "\r\n") {
			return fmt.Errorf("tag %s: the value %q holds a line break", t.Name, t.Value)
		}
		fmt.Fprintf(b, "[%s \"%s\"]\n", t.Name, tagEscape.Replace(t.Value))
	}
	b.WriteByte('\n')
	return nil
}

var tagEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// pgnText fills lines with words.
type pgnText struct {
	b      *strings.Builder
	column int
	held   string // the last word, which a closing parenthesis may still join
	open   string // parentheses that the next word follows without a blank
	lists  [2]MoveList
}

// word adds a word after a blank, or on a new line where it does not fit.
func (t *pgnText) word(s string) {
	t.flush()
	t.held, t.open = t.open+s, ""
}

func (t *pgnText) flush() {
	switch {
	case t.held == "":
		return
	case t.column == 0:
	case t.column+1+len(t.held) > pgnWidth:
		t.b.WriteByte('\n')
		t.column = 0
	default:
		t.b.WriteByte(' ')
		t.column++
	}
	t.b.WriteString(t.held)
	t.column += len(t.held)
	t.held = ""
}

func (t *pgnText) newline() {
	t.flush()
	t.b.WriteByte('\n')
	t.column = 0
}

// comment writes a comment, and reports whether there was one. It is never
// broken over lines: Fairy-Stockfish's reader fails on a comment of two lines.
func (t *pgnText) comment(text string) (bool, error) {
	text = string(appendWords(nil, text))
	switch {
	case text == "":
		return false, nil
	case len(text) > maxPGNToken:
		return false, fmt.Errorf("a comment of %d bytes: at most %d can be written", len(text), maxPGNToken)
	case strings.Contains(text, "}"):
		t.word("; " + text) // the one form that may hold a brace
		t.newline()
	default:
		t.word("{" + text + "}")
	}
	return true, nil
}

// appendWords adds text with its white space made single blanks, and none at
// its ends. Only ASCII is white space.
func appendWords[T string | []byte](b []byte, text T) []byte {
	first := len(b)
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != ' ' && (c < '\t' || c > '\r') {
			b = append(b, c)
		} else if len(b) > first && b[len(b)-1] != ' ' {
			b = append(b, ' ')
		}
	}
	if len(b) > first && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// line writes the moves of a line that begins at p, with comments, NAGs and variations.
func (t *pgnText) line(p Position, l Line, depth int) error {
	if depth > maxPGNDepth {
		return fmt.Errorf("variations are nested deeper than %d", maxPGNDepth)
	}
	nags := l.NAGs
	if order := func(a, b NAG) int { return a.Ply - b.Ply }; !slices.IsSortedFunc(nags, order) {
		nags = slices.SortedStableFunc(slices.Values(nags), order)
	}
	variations := l.Variations
	if order := func(a, b Line) int { return a.Ply - b.Ply }; !slices.IsSortedFunc(variations, order) {
		variations = slices.SortedStableFunc(slices.Values(variations), order)
	}
	// after writes the NAGs and the comment after ply moves.
	after := func(ply int) (bool, error) {
		for ; len(nags) > 0 && nags[0].Ply == ply; nags = nags[1:] {
			t.word("$" + strconv.Itoa(int(nags[0].Code)))
		}
		return t.comment(l.Comment(ply))
	}
	if _, err := after(0); err != nil {
		return err
	}

	legal, next := &t.lists[0], &t.lists[1]
	p.LegalMoves(legal)
	number := true // the next move needs its number even if it is Black's
	for i, m := range l.Moves {
		if !legal.Contains(m) {
			return fmt.Errorf("move %d (%v) is not legal in %s", i+1, m, p.FEN())
		}
		if p.turn == White {
			t.word(strconv.Itoa(p.FullMove()) + ".")
		} else if number {
			t.word(strconv.Itoa(p.FullMove()) + "...")
		}
		before := p
		san := p.appendSAN(make([]byte, 0, 8), m, legal)
		p.Play(m)
		p.LegalMoves(next)
		t.word(string(p.appendSign(san, next)))
		legal, next = next, legal

		var err error
		if number, err = after(i + 1); err != nil {
			return err
		}
		for ; len(variations) > 0 && variations[0].Ply == i; variations = variations[1:] {
			t.open += "("
			if err := t.line(before, variations[0], depth+1); err != nil {
				return err
			}
			if t.open != "" { // nothing was written
				t.open = ""
				continue
			}
			t.held += ")"
			number = true
			p.LegalMoves(legal)
		}
	}
	if len(nags) > 0 {
		return fmt.Errorf("NAG %v is at ply %d of a line of %d moves", nags[0], nags[0].Ply, len(l.Moves))
	}
	if len(variations) > 0 {
		return fmt.Errorf("a variation replaces move %d of a line of %d moves", variations[0].Ply+1, len(l.Moves))
	}
	return nil
}
