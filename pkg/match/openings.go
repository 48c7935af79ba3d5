package match

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/stats"
)

// Opening is the start of a game: a position and the moves played before the players
// choose.
type Opening struct {
	Start chess.Position
	Moves []chess.Move
}

// game plays the opening. It returns an error if a move is illegal or the opening ends the
// game.
func (o *Opening) game() (*chess.Game, error) {
	g := chess.NewGame(o.Start)
	var l chess.MoveList
	for i, m := range o.Moves {
		if g.Position().LegalMoves(&l); !l.Contains(m) {
			return nil, fmt.Errorf("move %d, %v, is not legal", i+1, m)
		}
		g.Play(m)
	}
	g.Position().LegalMoves(&l)
	if out := g.Outcome(&l); out.Over() {
		return nil, fmt.Errorf("the game is over (%s)", out)
	}
	return g, nil
}

// ReadBook reads openings for a variant. The file holds either PGN games, of which the
// first plies moves are used (0: all), or one EPD or FEN position per line; the rest of
// such a line is ignored. Errors name the line or the game.
func ReadBook(r io.Reader, v chess.Variant, plies int) ([]Opening, error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("match: openings: %w", err)
	}
	read := readEPD
	for _, line := range bytes.Split(head, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			if line[0] == '[' || bytes.HasPrefix(line, []byte("1.")) {
				read = readGames
			}
			break
		}
	}
	book, err := read(b, v, plies)
	if err == nil && len(book) == 0 {
		err = errors.New("the file has none")
	}
	if err != nil {
		return nil, fmt.Errorf("match: openings: %w", err)
	}
	return book, nil
}

func readGames(r *bufio.Reader, v chess.Variant, plies int) (book []Opening, err error) {
	games := chess.NewPGNReader(r)
	games.SetVariant(v) // default for games without a variant tag
	for {
		g, err := games.Next()
		if err == io.EOF {
			return book, nil
		}
		if err != nil {
			return nil, err
		}
		number, _ := games.Place()
		if tag := g.Tag("Variant"); tag != "" {
			if of, err := chess.ParseVariantTag(tag); err != nil || of != v {
				return nil, fmt.Errorf("game %d is one of %s, want %s", number, tag, v)
			}
		}
		o := Opening{g.Start, g.Moves}
		if plies > 0 && len(o.Moves) > plies {
			o.Moves = o.Moves[:plies]
		}
		if _, err := o.game(); err != nil {
			return nil, fmt.Errorf("game %d: %w", number, err)
		}
		book = append(book, o)
	}
}

func readEPD(r *bufio.Reader, v chess.Variant, _ int) (book []Opening, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		p, err := parseEPD(v, line)
		if err == nil {
			err = chess.CheckOngoing(&p)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		book = append(book, Opening{Start: p})
	}
	return book, lines.Err()
}

// parseEPD parses the longest position at the beginning of a line. EPD has operations where
// FEN has clocks.
func parseEPD(v chess.Variant, line string) (p chess.Position, err error) {
	line, _, _ = strings.Cut(line, ";")
	words := strings.Fields(line)
	for n := min(7, len(words)); n >= 4; n-- { // three-check adds a seventh field
		if p, err = chess.ParseFEN(v, strings.Join(words[:n], " ")); err == nil {
			return p, nil
		}
	}
	if err == nil { // fewer than four fields
		_, err = chess.ParseFEN(v, line)
	}
	return p, err
}

// opening returns opening n of a tournament. It draws an order of the book from the seed,
// and another order each time the book is exhausted. All pairs have the same openings.
func opening(book []Opening, number int, seed uint64) *Opening {
	round, at := number/len(book), number%len(book)
	order := stats.NewRand(derive(seed, round, "book")).Perm(len(book))
	return &book[order[at]]
}

// derive returns a seed that depends on a seed, a number and texts.
func derive(seed uint64, number int, texts ...string) uint64 {
	buf := binary.LittleEndian.AppendUint64(nil, seed)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(number))
	for _, s := range texts {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(len(s)))
		buf = append(buf, s...)
	}
	sum := sha256.Sum256(buf)
	return binary.LittleEndian.Uint64(sum[:])
}
