package uci

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/chess"
)

// Limit ends a search when the first of its limits is reached. A zero field sets no limit.
// The tags define keys of experiment files, see package config.
type Limit struct {
	Depth    int           `key:"depth" range:"1..1000" unit:"plies" absent:"no limit" doc:"Search depth. In a tree search, the length of the principal variation."`
	Nodes    int64         `key:"nodes" range:"1..1e12" unit:"positions" absent:"no limit" doc:"Number of positions to search."` // visits of a tree search
	MoveTime time.Duration `key:"movetime" range:"1..86400000" unit:"ms" absent:"no limit" doc:"Time for each move. Games with a time limit differ between runs and machines."`

	Mate      int              // stop at a forced win in this number of moves or fewer
	Clock     [2]time.Duration // time left, by color
	Increment [2]time.Duration // added to the clock with each move, by color
	MovesToGo int              // moves until the next time control; 0 means the rest of the game
}

// Task is the content of a "go" command.
type Task struct {
	Limit
	SearchMoves []chess.Move // restricts the search to these moves; empty means all legal moves
	WDL         bool         // reports have the probabilities of results, for which they visit the whole tree

	// Infinite disables all limits except the context. Ponder does so until Hit is closed:
	// the opponent has then played the expected move, and the clock starts.
	Infinite, Ponder bool
	Hit              <-chan struct{}
}

// endless reports whether the task may never end by itself: without a limit but perhaps a
// mate that does not exist, or before ponderhit.
func (t *Task) endless() bool {
	limited := t.MoveTime > 0 || t.Depth > 0 || t.Nodes > 0 || t.Clock != [2]time.Duration{}
	return t.Infinite || t.Ponder || !limited
}

// Time returns the time that a search may take, 0 for no limit, and whether it is a share of
// the clock.
func (l *Limit) Time(turn chess.Color, overhead time.Duration) (limit time.Duration, clock bool) {
	switch {
	case l.MoveTime > 0:
		return max(time.Millisecond, l.MoveTime-overhead), false
	case l.Clock[turn] > 0:
		return share(l.Clock[turn], l.Increment[turn], l.MovesToGo, overhead), true
	}
	return 0, false
}

// Await waits for the opponent's move if the task ponders, for searchers that do not search
// in the meantime.
func (t *Task) Await(ctx context.Context) {
	if t.Ponder {
		select {
		case <-t.Hit:
		case <-ctx.Done():
		}
		t.Ponder = false
	}
}

// Within returns the limit of a search that ends at the first of two limits. Clocks are
// those of l.
func (l Limit) Within(o Limit) Limit {
	smaller := func(a, b int64) int64 {
		if a == 0 || 0 < b && b < a {
			return b
		}
		return a
	}
	l.MoveTime = time.Duration(smaller(int64(l.MoveTime), int64(o.MoveTime)))
	l.Depth = int(smaller(int64(l.Depth), int64(o.Depth)))
	l.Nodes = smaller(l.Nodes, o.Nodes)
	return l
}

// ForPlayer returns the limit of a search of a player that has a limit of its own. Its time for a
// move does not count if a clock gives it less.
func (l Limit) ForPlayer(own Limit, turn chess.Color) Limit {
	both := l.Within(own)
	if l.Clock[turn] > 0 && both.MoveTime > share(l.Clock[turn], l.Increment[turn], l.MovesToGo, 0) {
		both.MoveTime = 0
	}
	return both
}

// numberWord is a word with a number, of a "go" command or an info line.
type numberWord struct {
	name  string
	field any   // *int, *int64, or *time.Duration in milliseconds
	least int64 // minimum; smaller numbers are raised to it
}

// words returns the fields of a limit in the order of the command.
func (l *Limit) words() []numberWord {
	return []numberWord{
		{"wtime", &l.Clock[chess.White], 1}, {"btime", &l.Clock[chess.Black], 1},
		{"winc", &l.Increment[chess.White], 0}, {"binc", &l.Increment[chess.Black], 0},
		{"movestogo", &l.MovesToGo, 0}, {"movetime", &l.MoveTime, 1},
		{"depth", &l.Depth, 1}, {"nodes", &l.Nodes, 1}, {"mate", &l.Mate, 1},
	}
}

// maxTime is longer than any game.
const maxTime = 1000 * time.Hour

// set stores a number, clamped to the range of the field.
func (w *numberWord) set(n int64) {
	n = max(n, w.least)
	switch f := w.field.(type) {
	case *int:
		*f = int(min(n, math.MaxInt32))
	case *int64:
		*f = n
	case *time.Duration:
		*f = time.Duration(min(n, maxTime.Milliseconds())) * time.Millisecond
	}
}

// get returns the number. 0 omits the word.
func (w *numberWord) get() int64 {
	switch f := w.field.(type) {
	case *int:
		return int64(*f)
	case *int64:
		return *f
	case *time.Duration:
		if *f > 0 {
			return max(1, f.Milliseconds()) // some engines read "movetime 0" as no limit
		}
		return int64(*f)
	}
	return 0
}

// command returns the "go" command of a task in a position. Without a limit the search is
// infinite.
func (t *Task) command(p *chess.Position, chess960 bool) string {
	words := []string{"go"}
	if t.Limit != (Limit{}) {
		words = append(words, t.Limit.String())
	}
	if t.Infinite || t.Limit == (Limit{}) {
		words = append(words, "infinite")
	}
	for i, m := range t.SearchMoves {
		if i == 0 {
			words = append(words, "searchmoves")
		}
		words = append(words, moveText(p, m, chess960))
	}
	return strings.Join(words, " ")
}

// check returns an error for a limit that is missing or negative.
func (l Limit) check() error {
	if l == (Limit{}) || slices.ContainsFunc(l.words(), func(w numberWord) bool { return w.get() < 0 }) {
		return fmt.Errorf("uci: a search needs a limit (time, depth or nodes) above 0, have %q", l)
	}
	return nil
}

// String returns the limit as in a "go" command.
func (l Limit) String() string {
	var words []string
	for _, w := range l.words() {
		if n := w.get(); n != 0 {
			words = append(words, w.name, strconv.FormatInt(n, 10))
		}
	}
	return strings.Join(words, " ")
}

// parseTask reads the words after "go". p is the position to search.
func parseTask(p *chess.Position, words []string) (Task, error) {
	var t Task
	limits := t.Limit.words()
	for i := 0; i < len(words); i++ {
		switch word := words[i]; word {
		case "infinite":
			t.Infinite = true
		case "ponder":
			t.Ponder = true
		case "searchmoves":
			for ; i+1 < len(words) && isMove(words[i+1]); i++ {
				m, err := p.ParseUCI(words[i+1])
				if err != nil {
					return t, fmt.Errorf("searchmoves: %w", err)
				}
				t.SearchMoves = append(t.SearchMoves, m)
			}
			if len(t.SearchMoves) == 0 {
				return t, fmt.Errorf("nothing after searchmoves")
			}
		default:
			at := slices.IndexFunc(limits, func(w numberWord) bool { return w.name == word })
			if at < 0 {
				return t, fmt.Errorf("unknown word %q", clip(word))
			}
			if i++; i == len(words) {
				return t, fmt.Errorf("nothing after %s", word)
			}
			n, err := strconv.ParseInt(words[i], 10, 64)
			if err != nil {
				return t, fmt.Errorf("%s: want a whole number, have %q", word, clip(words[i]))
			}
			limits[at].set(n)
		}
	}
	return t, nil
}

// positionCommand returns the "position" command of a game: "startpos" or the FEN of its
// start, then the moves.
func positionCommand(g *chess.Game) string {
	p := *g.Start()
	var b strings.Builder
	b.WriteString("position ")
	if p == chess.StartPosition(p.Variant()) {
		b.WriteString("startpos")
	} else {
		b.WriteString("fen " + p.FEN())
	}
	chess960 := p.CastlesAs960()
	for i, m := range g.Moves() {
		if i == 0 {
			b.WriteString(" moves")
		}
		b.WriteString(" " + moveText(&p, m, chess960))
		p.Play(m)
	}
	return b.String()
}

// parsePosition reads the words after "position".
func parsePosition(v chess.Variant, words []string) (*chess.Game, error) {
	head, moves := words, []string(nil)
	if at := slices.Index(words, "moves"); at >= 0 {
		head, moves = words[:at], words[at+1:]
	}
	if len(head) == 0 {
		return nil, fmt.Errorf("want startpos or fen")
	}
	start := chess.StartPosition(v)
	switch head[0] {
	case "startpos":
		if len(head) > 1 {
			return nil, fmt.Errorf("unknown word %q", clip(head[1]))
		}
	case "fen":
		var err error
		if start, err = chess.ParseFEN(v, strings.Join(head[1:], " ")); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("want startpos or fen, have %q", clip(head[0]))
	}
	g := chess.NewGame(start)
	for i, word := range moves {
		m, err := g.Position().ParseUCI(word)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		g.Play(m)
	}
	return g, nil
}

// moveText formats a legal move of p. In chess960, castling is written as king takes own
// rook.
func moveText(p *chess.Position, m chess.Move, chess960 bool) string {
	if chess960 && m.IsCastle() {
		return m.String()
	}
	return p.UCI(m)
}

// isMove reports whether a word has the form of a move: "e2e4", "e7e8q", or a drop such as
// "P@e4" or "N@f3". Rules of a file may have pieces of any letter.
var isMove = regexp.MustCompile(`^(?:[A-Z]@|[a-h][1-8])[a-h][1-8]$|^(?:[a-h][1-8]){2}[a-z]$`).MatchString

// clip shortens text of an engine or a user for an error message.
func clip(s string) string {
	const width = 120
	if len(s) <= width {
		return s
	}
	return strings.ToValidUTF8(s[:width], "") + "..."
}
