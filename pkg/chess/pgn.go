package chess

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// PGN is a game as it is kept in portable game notation.
type PGN struct {
	// Tags in the order of the file. When writing, Result, Variant, SetUp and
	// FEN are made from the fields below and need not be among them.
	Tags    []Tag
	Variant Variant
	Start   Position
	Moves   []Move
	// Comments[i] is the comment after i moves ("" for none), Comments[0] one
	// before the first move. It may be shorter than len(Moves)+1, or nil. Clock
	// times are comments, in the form "[%clk 0:03:00]".
	Comments []string
	Result   Result
}

// Tag is a tag pair: [Name "Value"].
type Tag struct{ Name, Value string }

// Tag gives the value of a tag, "" when there is none.
func (g *PGN) Tag(name string) string {
	for _, t := range g.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// SetTag changes a tag's value, or adds the tag at the end.
func (g *PGN) SetTag(name, value string) {
	for i := range g.Tags {
		if g.Tags[i].Name == name {
			g.Tags[i].Value = value
			return
		}
	}
	g.Tags = append(g.Tags, Tag{name, value})
}

// Comment gives the comment after ply moves, "" when there is none.
func (g *PGN) Comment(ply int) string {
	if ply < 0 || ply >= len(g.Comments) {
		return ""
	}
	return g.Comments[ply]
}

// SetComment sets the comment after ply moves, ply >= 0.
func (g *PGN) SetComment(ply int, text string) {
	for len(g.Comments) <= ply {
		g.Comments = append(g.Comments, "")
	}
	g.Comments[ply] = text
}

// Game plays the moves and gives the game at its end.
func (g *PGN) Game() *Game {
	game := NewGame(g.Start)
	for _, m := range g.Moves {
		game.Play(m)
	}
	return game
}

const pgnWidth = 80

// WritePGN writes a game and an empty line after it: the seven tags of the
// roster ("?" where unknown), Variant unless it is chess, SetUp and FEN unless
// the game begins at the start, the other tags in their order, and the moves
// in lines of at most 80 characters; only a longer comment makes a longer line.
// It fails on an illegal move, and on text that PGN cannot hold: a closing brace
// in a comment, a line break in a tag.
func WritePGN(w io.Writer, g *PGN) error {
	var b strings.Builder
	if err := g.writeTags(&b); err != nil {
		return err
	}
	if err := g.writeMoves(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (g *PGN) writeTags(b *strings.Builder) error {
	if g.Start.variant != g.Variant {
		return fmt.Errorf("pgn: the game is %v, but its start position is %v", g.Variant, g.Start.variant)
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
	if g.Variant != Standard {
		put("Variant", g.Variant.Tag())
	}
	if g.Start != StartPosition(g.Variant) {
		put("SetUp", "1")
		put("FEN", g.Start.FEN())
	}
	for _, name := range [...]string{"Variant", "SetUp", "FEN"} {
		made[name] = true // a stale one must not contradict the game
	}
	for _, t := range g.Tags {
		if !made[t.Name] {
			put(t.Name, t.Value)
		}
	}
	for _, t := range tags {
		if !validTagName(t.Name) {
			return fmt.Errorf("pgn: tag name %q: want letters, digits and underscores", t.Name)
		}
		if strings.ContainsAny(t.Value, "\r\n") {
			return fmt.Errorf("pgn: tag %s: the value %q holds a line break", t.Name, t.Value)
		}
		fmt.Fprintf(b, "[%s \"%s\"]\n", t.Name, tagEscape.Replace(t.Value))
	}
	b.WriteByte('\n')
	return nil
}

var tagEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func validTagName(s string) bool {
	for _, r := range s {
		if r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return s != ""
}

func (g *PGN) writeMoves(b *strings.Builder) error {
	column := 0
	word := func(s string) {
		switch {
		case column == 0:
		case column+1+len(s) > pgnWidth:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(s)
		column += len(s)
	}
	comment := func(ply int) (bool, error) {
		text := strings.Join(strings.Fields(g.Comment(ply)), " ")
		if text == "" {
			return false, nil
		}
		if strings.Contains(text, "}") {
			return false, fmt.Errorf("pgn: comment after ply %d: %q holds a closing brace", ply, text)
		}
		// Unbroken: Fairy-Stockfish's reader gives up on a comment of two lines.
		word("{" + text + "}")
		return true, nil
	}

	p := g.Start
	if _, err := comment(0); err != nil {
		return err
	}
	number := true // the next move needs its number even if it is Black's
	var l MoveList
	for i, m := range g.Moves {
		if p.LegalMoves(&l); !l.Contains(m) {
			return fmt.Errorf("pgn: move %d (%v) is not legal in %s", i+1, m, p.FEN())
		}
		if p.turn == White {
			word(strconv.Itoa(p.FullMove()) + ".")
		} else if number {
			word(strconv.Itoa(p.FullMove()) + "...")
		}
		word(p.SAN(m))
		p.Play(m)
		var err error
		if number, err = comment(i + 1); err != nil {
			return err
		}
	}
	word(g.Result.String())
	b.WriteString("\n\n")
	return nil
}
