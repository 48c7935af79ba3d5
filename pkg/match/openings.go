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

// Opening is where a game begins: a position, and moves that are played before the
// players choose.
type Opening struct {
	Start chess.Position
	Moves []chess.Move
}

// game returns the opening played, or an error where a move is not legal or the game is
// over.
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

// ReadBook reads openings for a variant: games in PGN, of which the first plies
// moves are taken (0: all), or positions in EPD or FEN, a line each, of which what
// follows the position is not read. Errors name the line, or the game.
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
	games.SetVariant(v) // where no tag says it
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

// parseEPD reads the longest position at the beginning of a line. EPD has operations where
// FEN has clocks.
func parseEPD(v chess.Variant, line string) (p chess.Position, err error) {
	line, _, _ = strings.Cut(line, ";")
	words := strings.Fields(line)
	for n := min(7, len(words)); n >= 4; n-- { // seven with the counters of three-check
		if p, err = chess.ParseFEN(v, strings.Join(words[:n], " ")); err == nil {
			return p, nil
		}
	}
	if err == nil { // fewer than four fields
		_, err = chess.ParseFEN(v, line)
	}
	return p, err
}

// opening returns the number-th opening of a tournament: the book in an order drawn by
// the seed, then in another order, and so on. All pairs have the same openings.
func opening(book []Opening, number int, seed uint64) *Opening {
	round, at := number/len(book), number%len(book)
	order := stats.NewRand(derive(seed, round, "book")).Perm(len(book))
	return &book[order[at]]
}

// derive returns a seed that is a function of a seed, a number and texts.
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
