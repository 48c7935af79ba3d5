package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/report"
)

// Games of random players come to an end in all variants; what a page hears of them,
// bit by bit, is what the file says.
func TestGamesEnd(t *testing.T) {
	h := open(t, PlayConfig{})
	for _, v := range chess.Variants() {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			h := &house{t, h.server, h.url}
			body := fmt.Sprintf(`{"variant": %q, %s}`, v, chance)
			if v != chess.Horde && v != chess.RacingKings {
				body = fmt.Sprintf(`{"variant": %q, "chess960": -1, %s}`, v, chance)
			}
			game := h.begin(body)
			know := h.over(game)
			file := h.pgn(game)
			if file.Variant != v || file.Result.String() != know.Outcome.Result {
				t.Errorf("%s %s, heard of %s", file.Variant, file.Result, know.Outcome.Result)
			}
			if len(file.Moves) != len(know.Positions)-1 {
				t.Fatalf("%d moves, heard of %d positions", len(file.Moves), len(know.Positions))
			}
			p := file.Start
			for i, seen := range know.Positions {
				if seen.FEN != p.FEN() {
					t.Fatalf("position %d is %s, heard of %s", i, p.FEN(), seen.FEN)
				}
				if i < len(file.Moves) {
					if san := know.Positions[i+1].Move.SAN; san != p.SAN(file.Moves[i]) {
						t.Fatalf("move %d: heard of %s", i+1, san)
					}
					p.Play(file.Moves[i])
				}
			}
			o := file.Game().Outcome(legalMoves(&p))
			if !o.Over() {
				o = chess.Outcome{Result: chess.Draw, Reason: chess.MoveLimit}
			}
			if want := report.Ending(o); know.Outcome.Text != want || know.Outcome.Reason != o.Reason.String() || !strings.HasSuffix(file.Comment(len(file.Moves)), want) {
				t.Errorf("%+v, want %s %q", know.Outcome, o, want)
			}
			if o.Reason == chess.MoveLimit && len(file.Moves) != mostPlies {
				t.Errorf("ended after %d moves", len(file.Moves))
			}
		})
	}
}

func legalMoves(p *chess.Position) *chess.MoveList {
	l := new(chess.MoveList)
	p.LegalMoves(l)
	return l
}

func TestHumanGame(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "chess", ` + people + `}`)
	refuse := func(what, body string, status int, words string) {
		t.Helper()
		if have, v := h.ask(game+what, body); have != status || !strings.Contains(v["error"], words) {
			t.Errorf("%s %s: %d %q, want %d %q", what, body, have, v["error"], status, words)
		}
	}
	refuse("/back", `{}`, 409, "There is no move to take back.")
	for i, m := range []string{"f2f3", "e5", "g4", "d8h4"} {
		refuse("/move", move(i, "a1a5"), 400, "a1a5")
		refuse("/move", move(i+1, m), 409, "gone on since")
		refuse("/move", fmt.Sprintf(`{"ply": %d, "fen": "8/8/8/8/8/8/8/8 w - - 0 1", "move": %q}`, i, m), 409, "gone on since") // another page's line
		h.must(game+"/move", move(i, m))
	}
	know := h.over(game)
	if know.Outcome.Text != "Black wins by checkmate." || know.Positions[4].Check != "e1" || know.Positions[4].Move.SAN != "Qh4#" || len(know.Legal) != 0 {
		t.Errorf("%+v, %+v", know.Outcome, know.Positions[4])
	}
	refuse("/move", move(4, "a2a3"), 409, "The game is over. Black wins")
	refuse("/resign", `{}`, 409, "The game is over")
	refuse("/back", `{"ply": 5}`, 400, "want 0 to 4")
	refuse("/back", `{"ply": -1}`, 400, "want 0 to 4")
	refuse("/hurry", `{}`, 409, "No engine")
	refuse("/analyze", `{"player": "human"}`, 400, "cannot analyze")
	refuse("/analyze", `{"player": "nobody"}`, 400, "there is no player")
	refuse("/analyze", `{"player": "uniform", "ply": 9}`, 400, "want 0 to 4")

	h.must(game+"/back", `{}`)
	if know := h.at(game, 3); know.Outcome != nil || len(know.Legal) == 0 {
		t.Errorf("taken back: %+v", know.update)
	}
	h.must(game+"/back", `{"ply": 1}`)
	h.must(game+"/move", move(1, "e7e6"))
	if know := h.at(game, 2); know.Positions[2].Move.SAN != "e6" {
		t.Errorf("%+v", know.Positions[2].Move)
	}
	h.must(game+"/resign", `{}`)
	if know := h.over(game); know.Outcome.Text != "Black wins: White has resigned." || know.Outcome.Result != "0-1" {
		t.Errorf("%+v", know.Outcome)
	}
	if f := h.pgn(game); f.Result != chess.BlackWins || len(f.Moves) != 2 {
		t.Errorf("%s after %d moves", f.Result, len(f.Moves))
	}
	h.must(game+"/back", `{}`)
	if know := h.at(game, 1); know.Outcome != nil {
		t.Error("who takes a move back has still resigned")
	}
}

// Against an engine, a take-back goes to one's own move; players change; engines wait.
func TestEngineGame(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "atomic", "white": "human", "black": "random"}`)
	h.must(game+"/move", move(0, "e4"))
	h.at(game, 2)
	h.must(game+"/move", move(2, "d4"))
	h.at(game, 4)
	h.must(game+"/back", `{}`)
	if know := h.at(game, 2); know.Positions[1].Move.SAN != "e4" {
		t.Errorf("%+v", know.Positions[1].Move)
	}
	h.must(game+"/pause", `{"paused": true}`)
	h.must(game+"/move", move(2, "d4"))
	reply := h.at(game, 3).Legal[0].UCI
	if status, v := h.ask(game+"/move", move(3, reply)); status != 409 || v["error"] != "It is the turn of random moves." {
		t.Errorf("a move for the engine: %d %v", status, v)
	}
	h.must(game+"/seats", `{"white": "human", "black": "human"}`)
	h.must(game+"/move", move(3, reply))
	h.must(game+"/seats", `{"white": "random", "black": "human"}`)
	if know := h.at(game, 4); !know.Paused || know.Thinking != "" {
		t.Errorf("%+v", know.update)
	}
	h.must(game+"/pause", `{"paused": false}`)
	h.at(game, 5)
	h.must(game+"/resign", `{}`)
	if know := h.over(game); know.Outcome.Result != "1-0" {
		t.Errorf("%+v", know.Outcome)
	}
	// Where both are engines, a take-back lets them wait.
	two := h.begin(`{"variant": "chess", ` + chance + `}`)
	h.over(two)
	h.must(two+"/back", `{"ply": 3}`)
	if know := h.at(two, 3); !know.Paused {
		t.Error("the engines go on")
	}
}

func TestRequestsAreChecked(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "chess", ` + people + `}`)
	for _, c := range []struct {
		path, body string
		status     int
		words      string
	}{
		{"/api/games", ``, 400, "not the expected JSON"},
		{"/api/games", `{"variant": "chess"`, 400, "not the expected JSON"},
		{"/api/games", `[]`, 400, "not the expected JSON"},
		{"/api/games", `{} {}`, 400, "more than one"},
		{"/api/games", `{"rules": "chess"}`, 400, `unknown field "rules"`},
		{game + "/move", `{"move": "` + strings.Repeat("x", mostBytes) + `"}`, 413, "more than"},
		{"/api/games", `{"variant": "checkers", ` + people + `}`, 400, "want one of chess, atomic"},
		{"/api/games", `{"variant": "chess", "fen": "8/8/8/8/8/8/8/8 w - - 0 1", ` + people + `}`, 400, "king"},
		{"/api/games", `{"variant": "horde", "chess960": 5, ` + people + `}`, 400, "horde"},
		{"/api/games", `{"variant": "chess", "chess960": 960, ` + people + `}`, 400, "960"},
		{"/api/games", `{"variant": "chess", "chess960": 1, "fen": "x", ` + people + `}`, 400, "not both"},
		{"/api/games", `{"variant": "chess", "white": "human"}`, 400, "black: there is no player"},
		{"/api/games", `{"variant": "chess", "white": "uniform,visits=-1", "black": "human"}`, 400, "white: visits: want a whole number from 1"},
		{"/api/games", `{"variant": "chess", "white": "uniform,visits=1e9", "black": "human"}`, 400, "visits"},
		{"/api/games", `{"variant": "chess", "white": "material,depth=0", "black": "human"}`, 400, "depth: want a whole number from 1 to 100"},
		{"/api/games", `{"variant": "chess", "white": "uniform,temperature=1", "black": "human"}`, 400, "needs a limit"},
		{"/api/games", `{"variant": "chess", "white": "uniform,movetime=-500", "black": "human"}`, 400, "movetime: want"},
		{"/api/games", `{"variant": "chess", "white": "human", "black": "uniform,visits=1,temperature=101"}`, 400, "black: temperature: want"},
		{"/api/games", `{"variant": "chess", "white": "uniform,Log File=x", "black": "human"}`, 400, `no setting "Log File"`},
		{"/api/games", `{"variant": "chess", "white": "human,depth=3", "black": "human"}`, 400, "no settings here"},
		{game + "/seats", `{"white": "human", "black": "player-1"}`, 400, `black: there is no player "player-1"`},
		{game + "/move", `{"ply": 0, "move": ""}`, 400, "move"},
		{game + "/move", `{"ply": 0, "move": "` + strings.Repeat("e", 1000) + `"}`, 400, "That is no move"},
		{game + "/nonsense", `{}`, 404, "there is no"},
		{"/api/games/none/move", move(0, "e4"), 404, "no game"},
		{"/api/nonsense", `{}`, 404, "there is no"},
	} {
		if status, v := h.ask(c.path, c.body); status != c.status || !strings.Contains(v["error"], c.words) {
			t.Errorf("%s %.80s: %d %q, want %d with %q", c.path, c.body, status, v["error"], c.status, c.words)
		}
	}
}

// Pages of other hosts are kept out, whatever they try.
func TestGuard(t *testing.T) {
	s, err := NewPlay(PlayConfig{Host: "lab.example"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	begin := `{"variant": "chess", ` + people + `}`
	for _, c := range []struct {
		name, method, path, host string
		header                   map[string]string
		status                   int
	}{
		{"a browser's page", "GET", "/", "localhost:8080", map[string]string{"Sec-Fetch-Site": "none"}, 200},
		{"by address", "GET", "/", "127.0.0.1:8080", nil, 200},
		{"by address of six", "GET", "/", "[::1]:8080", nil, 200},
		{"without a port", "GET", "/", "LOCALHOST", nil, 200},
		{"by its name", "GET", "/", "lab.example:80", nil, 200},
		{"a script of ours", "GET", "/main.js", "localhost:8080", map[string]string{"Sec-Fetch-Site": "same-origin"}, 200},
		{"a game", "POST", "/api/games", "localhost:8080", map[string]string{"Origin": "http://localhost:8080", "Sec-Fetch-Site": "same-origin"}, 201},
		{"a game without a browser", "POST", "/api/games", "localhost:8080", nil, 201},
		{"a link elsewhere", "GET", "/", "localhost:8080", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200},

		{"another name (DNS rebinding)", "GET", "/api/setup", "evil.example:8080", nil, 421},
		{"a name that begins alike", "GET", "/", "localhost.evil.example", nil, 421},
		{"a name that ends alike", "GET", "/", "notlab.example", nil, 421},
		{"no name", "GET", "/", "", nil, 421},
		{"another origin", "POST", "/api/games", "localhost:8080", map[string]string{"Origin": "http://evil.example"}, 403},
		{"another port", "POST", "/api/games", "localhost:8080", map[string]string{"Origin": "http://localhost:9090"}, 403},
		{"no origin (a file, a sandbox)", "POST", "/api/games", "localhost:8080", map[string]string{"Origin": "null"}, 403},
		{"another site", "GET", "/api/setup", "localhost:8080", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"another port of this host", "GET", "/api/setup", "localhost:8080", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"in a frame", "GET", "/", "localhost:8080", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		{"a form", "POST", "/api/games", "localhost:8080", map[string]string{"Content-Type": "text/plain"}, 415},
		{"a form without a type", "POST", "/api/games", "localhost:8080", map[string]string{"Content-Type": ""}, 415},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader(begin))
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		for k, v := range c.header {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s, want %d", c.name, w.Code, w.Body, c.status)
		}
		if got := w.Header().Get("Content-Security-Policy"); got != policy {
			t.Errorf("%s: policy %q", c.name, got)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: others may read the answer", c.name)
		}
	}
}

// The end of the context ends the server, with streams of events open.
func TestServeEnds(t *testing.T) {
	s, err := NewPlay(PlayConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- Serve(ctx, s, l, slog.New(slog.DiscardHandler)) }()
	h := &house{t, s, "http://" + l.Addr().String()}
	game := h.begin(`{"variant": "chess", "white": "uniform,visits=10000000", "black": "human"}`)
	r, err := http.Get(h.url + game + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := Serve(t.Context(), s, l, slog.New(slog.DiscardHandler)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed address: %v", err)
	}
}

// Where there are too many games, those that nobody looks at are forgotten.
func TestManyGames(t *testing.T) {
	h := open(t, PlayConfig{})
	first := h.begin(`{"variant": "chess", ` + people + `}`)
	g := h.server.games[strings.TrimPrefix(first, "/api/games/")]
	g.touch(1)
	var others []string
	for range mostGames {
		others = append(others, h.begin(`{"variant": "chess", `+people+`}`))
	}
	if n := len(h.server.games); n != mostGames {
		t.Errorf("%d games", n)
	}
	if status, _ := h.ask(first+"/here", `{}`); status != 200 {
		t.Error("a game that is looked at was forgotten")
	}
	if status, _ := h.ask(others[0]+"/here", `{}`); status != 404 {
		t.Error("the game that nobody has looked at for longest is still there")
	}
	for _, g := range h.server.games {
		g.touch(1)
	}
	if status, v := h.ask("/api/games", `{"variant": "chess", `+people+`}`); status != 503 || !strings.Contains(v["error"], "close some") {
		t.Errorf("%d %v", status, v)
	}
}

// Two pages that play at once do not play twice.
func TestOneMoveOnly(t *testing.T) {
	h := open(t, PlayConfig{})
	game := h.begin(`{"variant": "chess", ` + people + `}`)
	var wait sync.WaitGroup
	var mu sync.Mutex
	counts := map[int]int{}
	for range 20 {
		wait.Go(func() {
			status, _ := h.ask(game+"/move", move(0, "e4"))
			mu.Lock()
			counts[status]++
			mu.Unlock()
		})
	}
	wait.Wait()
	if counts[200] != 1 || counts[409] != 19 {
		t.Errorf("%v", counts)
	}
}

// The description of legal moves names each of them: a square to come from or a piece
// to drop, a square to go to, and a promotion where these leave a choice.
func TestLegalMovesAreTold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rules := chess.RulesOf(chess.Atomic)
	rules.Name = "mine"
	mine, err := chess.Define(rules)
	if err != nil {
		t.Fatal(err)
	}
	castles, drops, promotions := 0, 0, 0
	for _, v := range append(chess.Variants(), mine) {
		for n := range 30 {
			p := chess.StartPosition(v)
			if n%2 == 1 && v != mine && v != chess.Horde && v != chess.RacingKings {
				p, _ = chess.Chess960(v, rng.IntN(960))
			}
			g := chess.NewGame(p)
			for range 120 {
				l := legalMoves(g.Position())
				if g.Outcome(l).Over() {
					break
				}
				type way struct{ from, drop, to, promotion string }
				ways := map[way]string{}
				for i, m := range legalOf(g.Position(), l) {
					parsed, err := g.Position().ParseUCI(m.UCI)
					if err != nil || parsed != l.At(i) {
						t.Fatalf("%s in %s: %v", m.UCI, g.Position().FEN(), err)
					}
					for _, to := range m.To {
						w := way{m.From, m.Drop, to, m.Promotion}
						if other, taken := ways[w]; taken {
							t.Fatalf("%s and %s are alike in %s", other, m.UCI, g.Position().FEN())
						}
						ways[w] = m.UCI
						if plain := (way{m.From, m.Drop, to, ""}); m.Promotion != "" && ways[plain] != "" {
							t.Fatalf("%s and %s are alike in %s", ways[plain], m.UCI, g.Position().FEN())
						}
					}
					if l.At(i).IsCastle() {
						castles++
					}
				}
				m := l.At(rng.IntN(l.Len()))
				before := *g.Position()
				g.Play(m)
				checkView(t, &before, m, g.Position())
				if m.IsDrop() {
					drops++
				}
				if m.Promotion() != chess.NoPieceType {
					promotions++
				}
			}
		}
	}
	if castles == 0 || drops == 0 || promotions == 0 {
		t.Errorf("%d castling moves, %d drops, %d promotions were met", castles, drops, promotions)
	}
}

// checkView compares the description of a move with its effect.
func checkView(t *testing.T, before *chess.Position, m chess.Move, after *chess.Position) {
	t.Helper()
	v := viewOf(after)
	for i := range 64 {
		s := chess.NewSquare(i%8, 7-i/8)
		want := byte('.')
		if piece, c := after.PieceAt(s); piece != chess.NoPieceType {
			want = piece.Letter(c)
		}
		if v.Board[i] != want {
			t.Fatalf("%s on %s in %s", v.Board[i:i+1], s, after.FEN())
		}
	}
	told := report.PlayedOf(before, m)
	exploded := chess.RulesOf(before.Variant()).Explosion > 0 && before.Occupied().Count()-after.Occupied().Count() > 0
	if exploded != told.Explodes {
		t.Fatalf("%s in %s: explodes: %v", told.SAN, before.FEN(), told.Explodes)
	}
	to, err := chess.ParseSquare(told.To)
	if err != nil {
		t.Fatal(err)
	}
	if piece, c := after.PieceAt(to); !exploded && (piece == chess.NoPieceType || c != before.Turn()) || exploded && piece != chess.NoPieceType {
		t.Fatalf("%s in %s: comes to %s", told.SAN, before.FEN(), told.To)
	}
}
