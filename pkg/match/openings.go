package match

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"

	"alamos/pkg/chess"
	"alamos/pkg/stats"
	"alamos/pkg/uci"
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

// ReadBook reads openings for a variant from a file. It holds either PGN games, of which the
// first plies moves are used (0: all), or one EPD or FEN position per line, with 0 plies; the
// rest of such a line is ignored. Errors name the file, and the line or the game.
func ReadBook(r io.Reader, file string, v chess.Variant, plies int) (book []Opening, err error) {
	b := bufio.NewReader(r)
	head, err := b.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if pgnStart.Match(head) {
		if book, err = readGames(b, v, plies); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	} else {
		err = chess.ReadEPD(b, file, func(_ int, fen, _ string) error {
			p, err := chess.ParseOngoing(v, fen)
			if err == nil && plies > 0 {
				err = fmt.Errorf("a position, not a game: leave out the number of plies (%d)", plies)
			}
			book = append(book, Opening{Start: p})
			return err
		})
	}
	if err == nil && len(book) == 0 {
		err = fmt.Errorf("%s: no openings in it: want games in PGN, or positions in EPD or FEN", file)
	}
	if err != nil {
		return nil, err
	}
	return book, nil
}

// pgnStart matches the start of a file of games: after comments and empty lines it has a tag
// or the first move. Comments of PGN and a byte order mark are in no file of positions either.
var pgnStart = regexp.MustCompile(`^\x{feff}?(?:\s*(?:#.*)?\n)*[ \t]*(?:[\[%;{]|1\.)`)

func readGames(r io.Reader, v chess.Variant, plies int) (book []Opening, err error) {
	games := chess.NewPGNReader(r)
	games.SetVariant(v) // all games are read by these rules; a tag that names others is an error below
	for {
		g, err := games.Next()
		if err == io.EOF {
			return book, nil
		}
		if err != nil {
			return nil, err
		}
		number, _ := games.Place()
		if !g.Of(v) {
			return nil, fmt.Errorf("game %d is one of %s, want %s", number, g.Tag("Variant"), v)
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

// BookRecipe configures [MakeBook]. The book is a function of the recipe and the engine,
// because the engine is limited by nodes and not by time.
type BookRecipe struct {
	Variant chess.Variant
	Plies   int    // random legal moves from the start
	Count   int    // openings
	Within  int    // greatest score for either side, in centipawns of the engine
	Nodes   int64  // of the engine for each position
	Seed    uint64 // of the random moves
}

// EvenOpening is a position with an engine's score for the side to move, in centipawns.
type EvenOpening struct {
	Position chess.Position
	Score    int
}

// drawsEach limits the search for even positions.
const drawsEach = 200

// MakeBook draws openings of random moves and returns those that an engine calls even. No two
// are equal, nor is one after which the game is over. MakeBook calls progress, unless nil,
// with the number of openings found.
func MakeBook(ctx context.Context, e *uci.Client, r BookRecipe, progress func(done int)) (book []EvenOpening, err error) {
	seen := map[uint64]bool{}
	for n := range drawsEach * r.Count {
		g := chess.NewGame(chess.StartPosition(r.Variant))
		goesOn := g.RandomPlies(r.Plies, stats.NewRand(derive(r.Seed, n, "even openings")))
		at := *g.Position()
		if !goesOn || seen[at.Key()] {
			continue
		}
		seen[at.Key()] = true
		if err := e.NewGame(ctx); err != nil {
			return nil, err
		}
		answer, err := e.Go(ctx, chess.NewGame(at), uci.Limit{Nodes: r.Nodes}) // without the random moves before it
		if err != nil {
			return nil, err
		}
		score := answer.Score
		if score == nil || score.IsMate || max(score.CP, -score.CP) > r.Within {
			continue
		}
		book = append(book, EvenOpening{at, score.CP})
		if progress != nil {
			progress(len(book))
		}
		if len(book) == r.Count {
			return book, nil
		}
	}
	return nil, fmt.Errorf("%d openings of %d random plies have only %d different even ones, want %d: allow more plies or a higher score",
		drawsEach*r.Count, r.Plies, len(book), r.Count)
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
