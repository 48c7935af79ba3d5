package chess

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	oracleGames    = flag.Int("oracle.games", 0, "follow so many random games of each variant with Fairy-Stockfish (see make oracle)")
	oracleRules    = flag.Int("oracle.rules", 0, "and games of so many rules composed at random")
	oracleSeed     = flag.Uint64("oracle.seed", 1, "of the random games")
	oracleVariants = flag.String("oracle.variants", "", "separated by commas; all if empty")
	oracleFFish    = flag.String("oracle.ffish", "../../.opponents/oracle/node_modules/ffish-es6", "directory of the npm package")
)

const (
	oracleNodes   = 2 // node processes
	oracleWorkers = 4 // that play and compare while the processes follow
	oraclePlies   = 300
	oracleShown   = 5  // disagreements printed for a variant
	oraclePGN     = 10 // one game of this number is written as PGN and read there
)

// TestOracle plays random games and has Fairy-Stockfish follow them, in every
// position of which both must agree on the legal moves, the FEN, whether there
// is a check, whether and how the game is over, and the SAN of the move played.
// Where rules differ by definition, knownDifference says so; such differences
// are counted, not failed.
func TestOracle(t *testing.T) {
	if *oracleGames == 0 {
		t.Skip("needs node and the npm package ffish-es6, and minutes: run `make oracle`")
	}
	variants := Variants()
	if *oracleVariants != "" {
		variants = variants[:0]
		for name := range strings.SplitSeq(*oracleVariants, ",") {
			v, err := ParseVariant(name)
			if err != nil {
				t.Fatal(err)
			}
			variants = append(variants, v)
		}
	}
	pool := make(chan *follower, oracleNodes)
	for range oracleNodes {
		f, err := startFollower()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.stop)
		pool <- f
	}
	tally := &oracleProgress{start: time.Now(), games: *oracleGames * len(variants)}
	for _, v := range variants {
		t.Run(v.String(), func(t *testing.T) {
			o := &oracle{variant: v, openings: openings(t, v), pool: pool, progress: tally}
			o.run()
			t.Log(o.summary())
			for _, text := range o.shown {
				t.Error(text)
			}
			if more := o.disagreements - len(o.shown); more > 0 {
				t.Errorf("and %d more disagreements", more)
			}
		})
	}
}

// oracle follows the games of one variant.
type oracle struct {
	variant  Variant
	openings []opening
	pool     chan *follower
	progress *oracleProgress

	mu            sync.Mutex
	games         int
	positions     int
	moves         int
	pgns          int
	disagreements int
	shown         []string
	known         map[string]int // differences by definition
	ends          map[string]int // outcomes, to show what was covered
}

// opening is a position to begin a game with.
type opening struct {
	p        Position
	chess960 bool
}

// openings gives the positions of a variant's perft suites.
func openings(t *testing.T, v Variant) (list []opening) {
	for _, s := range suites {
		if s.variant == v {
			for _, e := range readSuite(t, v, s.name) {
				list = append(list, opening{e.Position, strings.Contains(s.name, "960")})
			}
		}
	}
	return list
}

func (o *oracle) run() {
	o.known, o.ends = map[string]int{}, map[string]int{}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range oracleWorkers {
		workers.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= *oracleGames {
					return
				}
				o.game(n)
				o.progress.add(o.variant)
			}
		})
	}
	workers.Wait()
}

// game plays game n, has it followed and compares.
func (o *oracle) game(n int) {
	r := rand.New(rand.NewPCG(*oracleSeed, uint64(o.variant)<<32|uint64(n)))
	g := o.play(r, n)
	records, err := o.ask("game", o.variant.String(), boolDigit(g.chess960), g.Start().fenFor(g.chess960), strings.Join(g.uci, " "))
	c := comparison{known: map[string]int{}}
	if err != nil {
		c.differ(0, "following the game", "a whole game", err.Error())
	} else {
		c.compare(g, records)
	}
	pgn := n%oraclePGN == 0 && !g.chess960 && !o.variant.Defined() // which its reader does not support
	if pgn {
		if err := o.readPGN(g); err != nil {
			c.differ(g.Ply(), "reading the PGN", "the moves", err.Error())
		}
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	o.games++
	o.positions += c.positions
	o.moves += c.moves
	o.ends[g.outcome.Reason.String()]++
	if pgn {
		o.pgns++
	}
	for why, times := range c.known {
		o.known[why] += times
	}
	o.disagreements += len(c.found)
	for _, d := range c.found {
		if len(o.shown) < oracleShown {
			o.shown = append(o.shown, fmt.Sprintf("%v game %d of seed %d, from %s\nmoves: %s\nply %d, %s: %s\n  here   %s\n  oracle %s",
				o.variant, n, *oracleSeed, g.Start().FEN(), strings.Join(g.uci[:d.ply], " "), d.ply, g.Back(g.Ply()-d.ply).FEN(), d.what, d.here, d.there))
		}
	}
}

// ask has one of the processes answer a request.
func (o *oracle) ask(fields ...string) ([]string, error) {
	f := <-o.pool
	defer func() { o.pool <- f }()
	return f.ask(strings.Join(fields, "\t"))
}

func (o *oracle) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d games, %d positions, %d moves, %d games read as PGN: %d disagreements", o.games, o.positions, o.moves, o.pgns, o.disagreements)
	for _, part := range []struct {
		title  string
		counts map[string]int
	}{{"known difference", o.known}, {"end", o.ends}} {
		for _, key := range slices.Sorted(maps.Keys(part.counts)) {
			fmt.Fprintf(&b, "\n  %s: %s: %d", part.title, key, part.counts[key])
		}
	}
	return b.String()
}

// oracleGame is a game with what the oracle needs to follow it.
type oracleGame struct {
	*Game
	chess960 bool
	uci      []string
	outcome  Outcome
}

// play makes game n: in turn from the start, from a start position of chess960,
// from a position of the perft suites and from a board of few pieces, the moves
// being random, or in some games rather those that force things.
func (o *oracle) play(r *rand.Rand, n int) *oracleGame {
	start := opening{p: StartPosition(o.variant)}
	tries := 1 // of random moves, to find one that forces things
	kind := n % 10
	if o.variant.Defined() {
		kind %= 6 // no positions beside the start
	}
	switch kind {
	case 0, 1, 2, 3:
	case 4, 5:
		tries = 4
	case 6, 7:
		if p, err := Chess960(o.variant, r.IntN(chess960Count)); err == nil { // not for horde and racing kings
			start = opening{p, true}
		}
		tries = 1 + 2*r.IntN(2)
	case 8:
		start = o.openings[r.IntN(len(o.openings))]
	case 9:
		start.p = sparsePosition(r, o.variant)
	}
	g := &oracleGame{Game: NewGame(start.p), chess960: start.chess960}
	var l MoveList
	for {
		p := g.Position()
		p.LegalMoves(&l)
		if g.outcome = g.Outcome(&l); g.outcome.Over() || l.Len() == 0 || g.Ply() == oraclePlies {
			return g
		}
		m := l.At(r.IntN(l.Len()))
		for i := 1; i < tries && !forcing(p, m); i++ {
			m = l.At(r.IntN(l.Len()))
		}
		g.uci = append(g.uci, uciFor(p, m, g.chess960))
		g.Play(m)
	}
}

// forcing reports whether a move captures, promotes, drops or gives check.
func forcing(p *Position, m Move) bool {
	q := *p
	q.Play(m)
	return q.rule50 == 0 && p.typeAt(m.From()) != Pawn || m.Promotion() != NoPieceType || m.IsDrop() || q.InCheck()
}

// sparsePosition puts few pieces anywhere, as random games seldom do.
func sparsePosition(r *rand.Rand, v Variant) Position {
	const pieces = "PPNBRQppnbrq"
	for {
		var board [64]byte
		put := func(piece byte) { board[r.IntN(64)] = piece }
		for range 1 + r.IntN(5) {
			put(pieces[r.IntN(len(pieces))])
		}
		if v != Horde {
			put('K')
		} else {
			put('P')
		}
		put('k')
		var fen strings.Builder
		for i, piece := range board {
			if i > 0 && i%8 == 0 {
				fen.WriteByte('/')
			}
			if piece == 0 {
				piece = '1'
			}
			fen.WriteByte(piece)
		}
		placement := fen.String()
		for n := 8; n > 1; n-- { // one digit for neighboring empty squares
			placement = strings.ReplaceAll(placement, strings.Repeat("1", n), string(rune('0'+n)))
		}
		if v == Crazyhouse {
			placement += "["
			for range r.IntN(4) {
				placement += string(pieces[r.IntN(len(pieces))])
			}
			placement += "]"
		}
		turn := string("wb"[r.IntN(2)])
		p, err := ParseFEN(v, placement+" "+turn+" - - 0 1")
		if err == nil && (v != RacingKings || p.kind[King]&rank8 == 0) { // no game continues from a finished race
			return p
		}
	}
}

// uciFor writes a move as the oracle does: in a chess960 game castling is the
// king taking its rook, wherever they stand.
func uciFor(p *Position, m Move, chess960 bool) string {
	if chess960 {
		return m.String()
	}
	return p.UCI(m)
}

// fenFor writes a position as the oracle does: in a chess960 game rooks that may
// castle are identified by their files.
func (p *Position) fenFor(chess960 bool) string {
	if !chess960 || p.castle == 0 {
		return p.FEN()
	}
	rights := ""
	for c := White; c <= Black; c++ {
		side := ""
		for s := range p.CastlingRooks(c).Squares {
			side = string(rune('A'+s.File()+int(c)*0x20)) + side // from the h-file to the a-file
		}
		rights += side
	}
	fields := strings.Fields(p.FEN())
	fields[2] = rights
	return strings.Join(fields, " ")
}

func boolDigit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// comparison is what came of one game.
type comparison struct {
	positions, moves int
	known            map[string]int
	found            []oracleDifference
}

type oracleDifference struct {
	ply               int
	what, here, there string
}

func (c *comparison) differ(ply int, what, here, there string) {
	c.found = append(c.found, oracleDifference{ply, what, here, there})
}

// compare holds every position of a game against the oracle's records.
func (c *comparison) compare(g *oracleGame, records []string) {
	var l MoveList
	game := NewGame(*g.Start())
	clock := 0 // the oracle's plies without a capture, a pawn move or a drop
	for ply := 0; ply <= g.Ply(); ply++ {
		if ply >= len(records) {
			c.differ(ply-1, "the move "+g.uci[ply-1], "legal", "illegal")
			return
		}
		fields := strings.Split(records[ply], "\t")
		if len(fields) != 6 {
			c.differ(ply, "the record", "6 fields", records[ply])
			return
		}
		p := game.Position()
		p.LegalMoves(&l)
		c.positions++
		c.moves += l.Len()
		here := oracleRecord{p.fenFor(g.chess960), boolDigit(p.InCheck()), game.Outcome(&l).Result.String(), moveTexts(p, &l, g.chess960), "", false}
		there := oracleRecord{fields[0], fields[1], fields[2], strings.Fields(fields[3]), fields[4], fields[5] == "1"}
		if ply < g.Ply() {
			m := g.Moves()[ply]
			here.san = p.SAN(m)
			if read, err := p.ParseUCI(g.uci[ply]); err != nil || read != m {
				c.differ(ply, "the UCI read here", g.uci[ply], fmt.Sprintf("read as %v: %v", read, err))
			}
			if read, err := p.ParseSAN(there.san); there.san != "" && !(p.variant.Defined() && p.typeAt(m.From()) == Pawn) && (err != nil || read != m) {
				c.differ(ply, "the SAN read here", here.san, fmt.Sprintf("%s, read as %v: %v", there.san, read, err))
			}
		}
		slices.Sort(there.moves)
		if ply == 0 {
			clock = p.Rule50()
		} else if clock++; p.Rule50() == 0 || g.Moves()[ply-1].IsDrop() {
			clock = 0
		}
		c.record(g, ply, clock, here, there)
		if ply < g.Ply() {
			game.Play(g.Moves()[ply])
		}
	}
}

// oracleRecord is what both say of a position.
type oracleRecord struct {
	fen, check, result string
	moves              []string // sorted
	san                string   // of the move played
	insufficient       bool     // material, for the oracle
}

func (c *comparison) record(g *oracleGame, ply, clock int, here, there oracleRecord) {
	for _, d := range []oracleDifference{
		{ply, "FEN", here.fen, there.fen},
		{ply, "check", here.check, there.check},
		{ply, "result", here.result, there.result},
		{ply, "SAN", here.san, there.san},
	} {
		if d.here == d.there {
			continue
		}
		if p := g.Back(g.Ply() - ply); p.variant.Defined() && ruleDifference(g, p, d, there) {
			c.known[d.what+" by rules"]++
			continue
		}
		if why := knownDifference(g, ply, clock, d); why != "" {
			c.known[why]++
			continue
		}
		c.found = append(c.found, d)
	}
	if !slices.Equal(here.moves, there.moves) {
		lacks := func(x, y []string) string {
			only := slices.DeleteFunc(slices.Clone(x), func(s string) bool { return slices.Contains(y, s) })
			return fmt.Sprintf("%d moves, of them only here: %s", len(x), strings.Join(only, " "))
		}
		c.differ(ply, "legal moves", lacks(here.moves, there.moves), lacks(there.moves, here.moves))
	}
}

// moveTexts gives the legal moves in order.
func moveTexts(p *Position, l *MoveList, chess960 bool) []string {
	texts := make([]string, l.Len())
	for i, m := range l.Slice() {
		texts[i] = uciFor(p, m, chess960)
	}
	slices.Sort(texts)
	return texts
}

// knownDifference says by which definition the two differ, "" if they should
// not. Clock is the plies without a capture, a pawn move or a drop.
func knownDifference(g *oracleGame, ply, clock int, d oracleDifference) string {
	p := g.Back(g.Ply() - ply)
	switch d.what {
	case "FEN":
		fields := strings.Fields(d.here)
		fields[4] = strconv.Itoa(clock)
		if p.variant == Crazyhouse && strings.Join(fields, " ") == d.there && g.Moves()[ply-1].Dropped() != Pawn {
			return "in crazyhouse every drop sets the oracle's fifty-move clock back, on lichess only that of a pawn"
		}
	case "SAN":
		next := g.Back(g.Ply() - ply - 1)
		switch {
		case p.variant == Atomic && d.there == strings.TrimRight(d.here, "+#"):
			return "in atomic chess the oracle writes no signs of check"
		case !next.InCheck() && d.there == strings.TrimSuffix(d.here, "#"):
			return "# marks what wins the game without being mate, which the oracle does not mark"
		}
	case "result":
		reason := NoReason
		if ply == g.Ply() {
			reason = g.outcome.Reason
		}
		switch {
		case p.variant == Crazyhouse && clock >= 100 && reason == NoReason:
			return "crazyhouse has a fifty-move rule for the oracle, not on lichess"
		case reason == InsufficientMaterial && d.there == "*" && (p.variant == Atomic || p.variant == Antichess || p.variant == Horde):
			return "lichess sees insufficient material where the oracle looks for less or for none"
		case reason == Threefold && d.there == "*" && earlierKeys(g.Game) < 2:
			return "an en passant square with no legal capture tells positions apart for the oracle, not on lichess"
		}
	}
	return ""
}

// earlierKeys is how often the key of the last position occurred earlier.
func earlierKeys(g *Game) (n int) {
	for i := 1; i <= g.Ply(); i++ {
		if g.Back(i).Key() == g.Position().Key() {
			n++
		}
	}
	return n
}

// readPGN has the oracle read the game as we write it.
func (o *oracle) readPGN(g *oracleGame) error {
	var b strings.Builder
	pgn := &PGN{Variant: o.variant, Start: *g.Start(), Moves: g.Moves(), Result: g.outcome.Result}
	if err := WritePGN(&b, pgn); err != nil {
		return err
	}
	// Its reader knows variants by the names of UCI alone, and moves as it would
	// write them itself (see knownDifference).
	theirs := strings.Replace(b.String(), `[Variant "`+o.variant.Tag()+`"]`, `[Variant "`+o.variant.String()+`"]`, 1)
	if o.variant == Atomic {
		theirs = strings.NewReplacer("+", "", "#", "").Replace(theirs)
	} else if !g.Position().InCheck() {
		theirs = strings.ReplaceAll(theirs, "#", "")
	}
	text, err := json.Marshal(theirs)
	if err != nil {
		return err
	}
	answer, err := o.ask("pgn", string(text))
	if err != nil {
		return err
	}
	if want := strings.Join(g.uci, " "); len(answer) != 1 || answer[0] != want {
		return fmt.Errorf("have %q, want %q, of\n%s", answer, want, theirs)
	}
	return nil
}

// follower is a node process that runs testdata/oracle/follow.mjs.
type follower struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startFollower() (*follower, error) {
	if _, err := os.Stat(filepath.Join(*oracleFFish, "ffish.wasm")); err != nil {
		return nil, fmt.Errorf("the npm package ffish-es6 is not there, run `make oracle`: %w", err)
	}
	cmd := exec.Command("node", filepath.Join("testdata", "oracle", "follow.mjs"), *oracleFFish)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &follower{cmd, in, bufio.NewReaderSize(out, 1<<20)}, nil
}

// ask writes a request and reads the lines of the answer. The process reads the
// whole request before it answers.
func (f *follower) ask(request string) ([]string, error) {
	if _, err := io.WriteString(f.in, request+"\n"); err != nil {
		return nil, err
	}
	var lines []string
	for {
		line, err := f.out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			return lines, nil
		}
		if line[0] == '!' {
			if _, err := f.out.ReadString('\n'); err != nil {
				return nil, err
			}
			return nil, errors.New(line[1:])
		}
		lines = append(lines, line)
	}
}

func (f *follower) stop() {
	f.in.Close()
	f.cmd.Wait()
}

// oracleProgress reports the progress of the games of all variants at intervals.
type oracleProgress struct {
	start time.Time
	games int // in all

	mu   sync.Mutex
	done int
	told time.Time
}

func (o *oracleProgress) add(v Variant) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done++
	now := time.Now()
	if now.Sub(o.told) < 10*time.Second || now.Sub(o.start) < 5*time.Second {
		return
	}
	o.told = now
	left := now.Sub(o.start) * time.Duration(o.games-o.done) / time.Duration(o.done)
	fmt.Fprintf(os.Stderr, "oracle: %d of %d games, now %v, %v left\n", o.done, o.games, v, left.Round(time.Second))
}
