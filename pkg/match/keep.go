package match

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/uci"
)

// Book is a file of openings; the zero Book is none.
type Book struct {
	File  string
	Plies int // of games; 0: all
}

// read reads the openings.
func (b Book) read(v chess.Variant) ([]Opening, error) {
	if b.File == "" {
		return nil, nil
	}
	f, err := os.Open(b.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	book, err := ReadBook(f, v, b.Plies)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.File, err)
	}
	return book, nil
}

// name names the match by all that decides its games: two matches of one name differ at
// most in how many there are.
func (m *match) name() string {
	cfg := m.cfg
	h := sha256.New()
	fmt.Fprintf(h, "1 %v %q %d %d %d %v", m.variant, cfg.Start, cfg.RandomPlies, cfg.MaxMoves, cfg.Seed, cfg.Judge)
	for i := range m.book {
		o := &m.book[i]
		fmt.Fprint(h, " ", o.Start.FEN(), o.Moves)
	}
	for i := range m.players {
		fmt.Fprintf(h, " %q %q", m.players[i].Name, m.players[i].ID)
	}
	return "match " + hex.EncodeToString(h.Sum(nil))[:16]
}

// files are where a match is kept.
type files struct {
	pgn     string // "": nowhere
	journal *disk.Journal
	had     int  // games of the file, which has those of the lowest numbers
	changed bool // there are games that the file has not
}

// journalHead is that of the journal of any match: its games say which they are of.
const journalHead = "games of a match"

func (f *files) journalPath() string { return f.pgn + ".journal" }

// restore takes up the games that there are.
func (m *match) restore() error {
	f := &m.files
	if f.pgn = m.cfg.File; f.pgn == "" {
		return nil
	}
	if err := m.readGames(); err != nil {
		return err
	}
	f.had = len(m.games)
	if f.had > m.cfg.Games {
		return fmt.Errorf("%s has %d games of this match: want that many, or more", f.pgn, f.had)
	}
	j, err := disk.OpenJournal(f.journalPath(), []byte(journalHead), func(entry []byte) error {
		p, err := chess.NewPGNReader(bytes.NewReader(entry)).Next()
		if err != nil {
			return err
		}
		if err := m.restoreGame(p, string(entry)); err != nil {
			return err
		}
		f.changed = true
		return nil
	})
	if err != nil {
		return err
	}
	f.journal = j
	if m.cfg.Watch != nil {
		m.cfg.Watch.Resumed(len(m.games))
	}
	return nil
}

// readGames reads the file of games, if there is one.
func (m *match) readGames() error {
	in, err := os.Open(m.files.pgn)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	for r := chess.NewPGNReader(in); ; {
		p, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = m.restoreGame(p, "")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.files.pgn, err)
		}
	}
}

// restoreGame takes up a game of the match.
func (m *match) restoreGame(p *chess.PGN, text string) error {
	if p.Tag("Event") != m.event {
		return errors.New("it has games of another match, or of one with other settings or players: move it away, or name another file")
	}
	g, err := FromPGN(p)
	if err != nil {
		return err
	}
	if text == "" {
		if text, err = m.text(g); err != nil {
			return err
		}
	}
	m.games[g.Number] = &kept{g.Number, g.Outcome, text}
	return nil
}

func (m *match) text(g *Game) (string, error) {
	var b strings.Builder
	err := chess.WritePGN(&b, g.PGN(m.event))
	return b.String(), err
}

// keep adds a game to the journal.
func (m *match) keep(g *Game) (*kept, error) {
	k := &kept{number: g.Number, outcome: g.Outcome}
	if m.files.journal == nil {
		return k, nil
	}
	var err error
	if k.pgn, err = m.text(g); err != nil {
		return nil, err
	}
	m.files.changed = true
	return k, m.files.journal.Add([]byte(k.pgn))
}

// finish writes the file of games anew, in their order, unless it has them all. Games
// beyond the end of a test that others were waiting for are left out, so that the file is the
// same whatever ended first; but nothing is taken out of a file.
func (m *match) finish() error {
	f := &m.files
	if f.pgn == "" {
		return nil
	}
	if f.changed {
		end := max(m.end, f.had)
		var numbers []int
		for n := range m.games {
			if n < end {
				numbers = append(numbers, n)
			}
		}
		slices.Sort(numbers)
		err := disk.WriteFile(f.pgn, func(w io.Writer) error {
			for _, n := range numbers {
				if _, err := io.WriteString(w, m.games[n].pgn); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := f.close(); err != nil {
		return err
	}
	return disk.Remove(f.journalPath())
}

func (f *files) close() error {
	j := f.journal
	f.journal = nil
	if j == nil {
		return nil
	}
	return j.Close()
}

// logFault appends the conversation with a player that has lost by its own fault to a
// file beside that of the games, and returns its name; "" where there is none.
func (f *files) logFault(g *Game) (name string, err error) {
	if f.pgn == "" {
		return "", nil
	}
	name = strings.TrimSuffix(f.pgn, ".pgn") + ".faults.log"
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s  %s - %s, game %d: %s: %v\n", time.Now().UTC().Format(time.RFC3339), g.White, g.Black, g.Number+1, g.Outcome, g.Fault)
	var e *uci.Error
	if errors.As(g.Fault, &e) {
		text += e.Transcript()
	}
	_, err = out.WriteString(text + "\n")
	return name, errors.Join(err, out.Close())
}
