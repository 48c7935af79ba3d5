package web

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/match"
	"alamos/pkg/store"
)

// gameFile is a file of games of a run.
type gameFile struct {
	Title string `json:"title"`
	File  string `json:"file"` // names it in requests: its path below the folder of results
}

// files returns the files of games that the runs have.
func (s *Play) files() ([]gameFile, error) {
	list := []gameFile{}
	if s.cfg.Results == "" {
		return list, nil
	}
	runs, err := store.List(s.cfg.Results)
	if err != nil {
		return nil, err
	}
	add := func(trial, what, path string) {
		if _, err := disk.StampOf(path); err == nil { // games may be deleted to save space
			file, _ := filepath.Rel(s.cfg.Results, path) // it is below
			list = append(list, gameFile{trial + ": " + what, filepath.ToSlash(file)})
		}
	}
	for _, run := range runs {
		add(run.Name, "final tournament", filepath.Join(run.Dir, store.FinalGames))
		for _, t := range run.Opened {
			t.Declared.Settings.Name = run.Name // the folder may have another name than the experiment
			add(store.Title(&t.Declared), "tournament", t.Path(store.TournamentGames))
			for g := t.Done(); g > 0; g-- {
				add(store.Title(&t.Declared), fmt.Sprintf("self-play, generation %d", g), t.Path(store.GamesFile(g)))
			}
		}
	}
	return list, nil
}

// isRun reports whether a folder holds an experiment's results.
func isRun(dir string) bool {
	_, err := disk.StampOf(filepath.Join(dir, store.ExperimentName))
	return err == nil
}

// read reads the games of a request one after another until f returns false. A game that
// cannot be read is a fault.
func (s *Play) read(q *request, f func(number int, g *chess.PGN, fault *chess.PGNError) bool) error {
	var in io.Reader = strings.NewReader(q.PGN)
	if q.File != "" {
		missing := invalid("There is no file of games %.200q.", q.File)
		if filepath.Ext(q.File) != ".pgn" {
			return missing
		}
		run, rest, _ := strings.Cut(filepath.FromSlash(q.File), string(filepath.Separator)) // the folder of a run may be a link
		if !filepath.IsLocal(run) || !isRun(filepath.Join(s.cfg.Results, run)) {
			return missing
		}
		file, err := os.OpenInRoot(filepath.Join(s.cfg.Results, run), rest)
		if err != nil {
			return missing
		}
		defer file.Close()
		in = file
	}
	for r := chess.NewPGNReader(in); ; {
		g, err := r.Next()
		var fault *chess.PGNError
		if err != nil && !errors.As(err, &fault) {
			if err == io.EOF {
				err = nil
			}
			return err
		}
		if number, _ := r.Place(); !f(number, g, fault) {
			return nil
		}
	}
}

// gameList is what a file contains.
type gameList struct {
	Games  []listedGame `json:"games"`
	Faults []string     `json:"faults"` // of games that cannot be read
	More   int          `json:"more"`   // games beyond those
}

type listedGame struct {
	Number int    `json:"number"`
	White  string `json:"white"`
	Black  string `json:"black"`
	Round  string `json:"round"`
	Result string `json:"result"`
	Plies  int    `json:"plies"`
}

const (
	mostListed = 2000
	mostFaults = 5
)

func (s *Play) list(q *request) (*gameList, error) {
	l := &gameList{Games: []listedGame{}, Faults: []string{}}
	err := s.read(q, func(number int, g *chess.PGN, fault *chess.PGNError) bool {
		switch {
		case fault != nil && len(l.Faults) < mostFaults:
			l.Faults = append(l.Faults, faultText(fault))
		case fault != nil:
		case len(l.Games) == mostListed:
			l.More++
		default:
			l.Games = append(l.Games, listedGame{number, g.Tag("White"), g.Tag("Black"), g.Tag("Round"), g.Result.String(), len(g.Moves)})
		}
		return true
	})
	if err == nil && len(l.Games)+len(l.Faults) == 0 {
		err = invalid("There is no game in this text.")
	}
	return l, err
}

func faultText(f *chess.PGNError) string {
	if f.Move == "" {
		return fmt.Sprintf("Line %d, game %d: %v.", f.Line, f.Game, f.Err)
	}
	return fmt.Sprintf("Line %d, game %d, move %s: %v.", f.Line, f.Game, f.Move, f.Err)
}

// loaded returns the game that a request names.
func (s *Play) loaded(q *request) (found *chess.PGN, err error) {
	number := max(1, q.Number)
	why := fmt.Sprintf("There is no game %d.", number)
	err = s.read(q, func(n int, g *chess.PGN, fault *chess.PGNError) bool {
		if n == number && fault != nil {
			why = faultText(fault)
		} else if n == number {
			found = g
		}
		return n < number
	})
	if err == nil && found == nil {
		err = invalid("%s", why)
	}
	return found, err
}

// loadedGame returns a finished game to step through. Its evaluations are those of its
// comments.
func loadedGame(id string, pgn *chess.PGN, players func(seat) *player) *game {
	g := newGameAt(id, pgn.Start, [2]seat{human, human}, players, clock{})
	for _, m := range pgn.Moves[:min(len(pgn.Moves), mostPlies)] {
		g.push(m)
	}
	g.annotate(pgn)
	annotator := pgn.Tag("Annotator") // else the players' own evaluations
	g.names, g.tags = [2]string{cmp.Or(pgn.Tag("White"), "White"), cmp.Or(pgn.Tag("Black"), "Black")}, pgn.Tags
	for i := range g.positions {
		p := &g.positions[i]
		side := p.turn
		if in := match.ParseComment(pgn.Comment(i), side); in.Score != nil {
			p.report = &Report{By: cmp.Or(annotator, g.names[side]), Depth: in.Depth, Nodes: in.Visits, Tree: in.Visits > 0, Moves: []Candidate{}}
			p.report.setValue(side, *in.Score, in.Mate)
		}
	}
	if pgn.Result != chess.Unfinished && !g.line.Position().Ended(&g.legal).Over() { // repetitions and quiet moves end a game only if they are claimed
		reason, err := chess.ParseReason(pgn.Tag("Termination"))
		if err != nil || reason == chess.NoReason {
			reason = chess.Adjudication // the file does not say why
		}
		g.ended = chess.Outcome{Result: pgn.Result, Reason: reason}
	}
	return g
}

// annotate adds the comments, marks and variations of a file to the positions of its game.
func (g *game) annotate(pgn *chess.PGN) {
	signs := glyphsOf(pgn.NAGs)
	for i := range g.positions {
		p := &g.positions[i]
		p.comment = strings.TrimSpace(evaluations.ReplaceAllString(pgn.Comment(i), ""))
		p.Note, p.Glyphs = noteOf(p.comment), signs[i]
	}
	for _, n := range pgn.NAGs {
		if n.Ply <= g.ply() {
			g.positions[n.Ply].nags = append(g.positions[n.Ply].nags, n)
		}
	}
	at, played := pgn.Start, 0
	for i := range pgn.Variations { // in the order of their plies
		v := &pgn.Variations[i]
		if v.Ply >= g.ply() {
			return
		}
		for ; played < v.Ply; played++ {
			at.Play(pgn.Moves[played])
		}
		var b strings.Builder
		writeLine(&b, at, v)
		p := &g.positions[v.Ply+1]
		p.Lines, p.variations = append(p.Lines, b.String()), append(p.variations, *v)
	}
}

// writeLine writes a variation as text, with its comments and its own variations. at is the
// position where it begins.
func writeLine(b *strings.Builder, at chess.Position, l *chess.Line) {
	word := func(text string) {
		if text == "" {
			return
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "(") {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	word(noteOf(l.Comment(0)))
	signs, numbered, next := glyphsOf(l.NAGs), false, 0 // the next variation of the line
	for i, m := range l.Moves {
		before := at
		switch {
		case at.Turn() == chess.White:
			word(fmt.Sprintf("%d.", at.FullMove()))
		case !numbered:
			word(fmt.Sprintf("%d…", at.FullMove()))
		}
		numbered = true
		word(at.SAN(m) + signs[i+1])
		at.Play(m)
		if note := noteOf(l.Comment(i + 1)); note != "" {
			word(note)
			numbered = false
		}
		for ; next < len(l.Variations) && l.Variations[next].Ply == i; next++ {
			word("(")
			writeLine(b, before, &l.Variations[next])
			b.WriteByte(')')
			numbered = false
		}
	}
}

// evaluations are what [match.Info] writes in comments, and commands all parts that are for
// programs.
var (
	evaluations = regexp.MustCompile(`\[%eval[^\]]*\](?: (?:depth|visits) \d+)*|^\s*(?:(?:depth|visits) \d+\s*)+$`)
	commands    = regexp.MustCompile(evaluations.String() + `|\[%[^\]]*\]`)
)

// noteOf returns what a comment says to readers.
func noteOf(comment string) string {
	return strings.Join(strings.Fields(commands.ReplaceAllString(comment, " ")), " ")
}

// glyphs are the signs of the codes that have one, beside those of [chess.NAG]. Few fonts have
// the usual ones of 14 and 15.
var glyphs = map[uint8]string{7: " □", 10: " =", 13: " ∞", 14: " +/=", 15: " =/+", 16: " ±", 17: " ∓", 18: " +−", 19: " −+"}

// glyphsOf returns the signs of the moves of a line, by the number of moves up to and with them.
func glyphsOf(all []chess.NAG) map[int]string {
	signs := map[int]string{}
	for _, n := range all {
		sign := glyphs[n.Code]
		if n.Code >= 1 && n.Code <= 6 {
			sign = n.String()
		}
		if len(signs[n.Ply]) < mostGlyphs {
			signs[n.Ply] += sign
		}
	}
	return signs
}

const mostGlyphs = 8 // bytes of the signs of a move, about
