package chess

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// PGN is a game in Portable Game Notation: a main line, and variations of its moves.
type PGN struct {
	// Tags in the order of the file. When writing, Result, Variant, SetUp and
	// FEN are made from the fields below and need not be among them.
	Tags    []Tag
	Variant Variant
	Start   Position
	Moves   []Move
	// Comments[i] is the comment after i moves ("" for none), Comments[0] one
	// before the first move. It may be shorter than len(Moves)+1, or nil. Several
	// comments at one place are one, joined by a blank. Clock times are
	// comments, in the form "[%clk 0:03:00]".
	Comments   []string
	NAGs       []NAG  // in the order of their plies
	Variations []Line // in the order of their plies
	Result     Result
}

// Line is a variation: moves that were not played, from a place in its parent line, which
// is the main line or another variation.
type Line struct {
	Ply        int    // moves of the parent line before it: it replaces the parent's Moves[Ply]
	Moves      []Move // the parent's Moves[:Ply] come before
	Comments   []string
	NAGs       []NAG
	Variations []Line
}

// NAG is a numeric annotation glyph: an opinion on a move ("!", "$14").
type NAG struct {
	Ply  int   // moves of the line up to and with the one it is about; 0 for the position before them
	Code uint8 // 1 is "!", 2 "?", 3 "!!", 4 "??", 5 "!?", 6 "?!"
}

var nagMarks = [...]string{1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}

// String returns "!", "?", "!!", "??", "!?" or "?!" for codes 1 to 6, and "$14" and
// the like for all others.
func (n NAG) String() string {
	if n.Code > 0 && int(n.Code) < len(nagMarks) {
		return nagMarks[n.Code]
	}
	return "$" + strconv.Itoa(int(n.Code))
}

// maxPGNDepth is how deep variations may be nested.
const maxPGNDepth = 100

// Tag is a tag pair: [Name "Value"].
type Tag struct{ Name, Value string }

// Tag returns the value of a tag, "" if there is none.
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

// Comment returns the comment after ply moves, "" if there is none.
func (g *PGN) Comment(ply int) string { return commentAt(g.Comments, ply) }

// SetComment sets the comment after ply moves, ply >= 0.
func (g *PGN) SetComment(ply int, text string) { setComment(&g.Comments, ply, text) }

// Comment returns the comment after ply moves of the line, "" if there is none.
func (l *Line) Comment(ply int) string { return commentAt(l.Comments, ply) }

// SetComment sets the comment after ply moves of the line, ply >= 0.
func (l *Line) SetComment(ply int, text string) { setComment(&l.Comments, ply, text) }

func commentAt(comments []string, ply int) string {
	if ply < 0 || ply >= len(comments) {
		return ""
	}
	return comments[ply]
}

func setComment(comments *[]string, ply int, text string) {
	for len(*comments) <= ply {
		*comments = append(*comments, "")
	}
	(*comments)[ply] = text
}

// main shows the main line as a line.
func (g *PGN) main() Line {
	return Line{Moves: g.Moves, Comments: g.Comments, NAGs: g.NAGs, Variations: g.Variations}
}

// Game plays the moves of the main line and gives the game at its end.
func (g *PGN) Game() *Game {
	game := NewGame(g.Start)
	for _, m := range g.Moves {
		game.Play(m)
	}
	return game
}

func validTagName[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '_' && c-'0' > 9 && c-'A' > 25 && c-'a' > 25 {
			return false
		}
	}
	return len(s) > 0
}

// TaggedVariant returns the variant that the tags name: that of the tag Rules, which has what
// [Variant.Spec] returns for rules made by [Define], or else that of the tag Variant.
func (g *PGN) TaggedVariant() (Variant, error) {
	if rules := g.Tag("Rules"); strings.HasPrefix(rules, "{") {
		return ParseVariant(rules)
	}
	return parseVariantTag(g.Tag("Variant"))
}

// Of reports whether the tags, if there are any, name a variant.
func (g *PGN) Of(v Variant) bool {
	tag := g.Tag("Variant")
	if tag == "" || tag == v.String() && g.Tag("Rules") == "" {
		return true
	}
	tagged, err := g.TaggedVariant()
	return err == nil && tagged == v
}

// parseVariantTag reads the value of a Variant tag: as lichess writes it
// ("Three-check", "From Position", "Chess960"), as UCI engines name the variant
// ("3check"), and in other common spellings. Case, blanks, hyphens and
// underscores are ignored. Chess960 is chess, as is the empty tag.
func parseVariantTag(tag string) (Variant, error) {
	for v := range variantFacts {
		if variantFacts[v].tag == tag {
			return Variant(v), nil
		}
	}
	name := normalizeTag(tag)
	switch name {
	case "", "standard", "chess", "normal", "fromposition",
		"chess960", "fischerandom", "fischerrandom", "fischerrandomchess", "freestyle":
		return Standard, nil
	case "koth":
		return KingOfTheHill, nil
	}
	for _, v := range Variants() {
		if name == v.String() || name == normalizeTag(v.Tag()) {
			return v, nil
		}
	}
	names := make([]string, variantCount)
	for i, v := range Variants() {
		names[i] = v.Tag()
	}
	return Standard, fmt.Errorf("variant %q: want one of %s, Chess960, From Position", tag, strings.Join(names, ", "))
}

var tagNormalizer = strings.NewReplacer(" ", "", "-", "", "_", "")

func normalizeTag(tag string) string { return strings.ToLower(tagNormalizer.Replace(tag)) }

// variantTag is the value of the Variant tag of a game.
func (g *PGN) variantTag() string {
	if g.Variant == Standard && g.Start.CastlesAs960() {
		return "Chess960"
	}
	return g.Variant.Tag()
}

// tag reads a tag pair.
func (r *PGNReader) tag() error {
	s := &r.s
	old := len(r.text)
	for {
		nameEnd, n, ok := r.parseTag(s.buf[s.pos : s.end+1])
		if ok {
			at := s.pos
			s.pos += n
			err := r.addTag(old, nameEnd)
			if err != nil && s.buf[at-1] == '\n' && bytes.HasPrefix(s.buf[at:s.end], []byte(eventTag)) {
				s.pos = at // the next game begins here
			}
			return err
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

// maxPGNTags is more than any real game has.
const maxPGNTags = 500

// addTag stores the tag whose name begins in text at from and ends at nameEnd.
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
// adds name and value to text. It returns the index in text where the name ends,
// and the index in b after the pair or, if ok is false, of the first unexpected byte.
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
