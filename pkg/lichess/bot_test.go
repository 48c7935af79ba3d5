package lichess

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// hasty has no time to wait.
var hasty = pauses{retry: time.Millisecond, most: 10 * time.Millisecond, limited: 2 * time.Millisecond, answer: 20 * time.Second, silence: 300 * time.Millisecond}

// server behaves as lichess does, in good moods and in bad ones.
type server struct {
	t      *testing.T
	moody  bool // every request fails at first, and streams break
	worse  bool // moody, and any request may fail later, or be answered slowly or in part
	mute   bool // no event says that an accepted game has begun
	events chan string

	mu       sync.Mutex
	open     map[string]string // events of challenges without an answer, which a new stream repeats
	requests map[string]int    // by method and path
	declined map[string]string
	games    map[string]*served
}

// served is a game at the server. The opponent plays the first legal move, and gives
// up after so many plies.
type served struct {
	game    *chess.Game
	start   string // initialFen
	variant string
	us      chess.Color
	plies   int
	status  string
	changed chan struct{} // closed and replaced at every change (see change)
	streams int
	since   time.Time
	wrong   []string
}

func newServer(t *testing.T, moody bool) (*server, string) {
	s := &server{t: t, moody: moody, events: make(chan string, 100), open: map[string]string{}, requests: map[string]int{}, declined: map[string]string{}, games: map[string]*served{}}
	h := httptest.NewServer(s)
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return s, h.URL
}

func (s *server) challenge(id string, change func(*challenge)) {
	c := challenge{ID: id, Challenger: user{ID: "anna", Name: "Anna"}, Variant: variantKey{"atomic"}, TimeControl: timeControl{Type: "clock", Limit: 60}}
	if change != nil {
		change(&c)
	}
	b, _ := json.Marshal(map[string]any{"type": "challenge", "challenge": c, "compat": map[string]bool{"bot": true}})
	s.mu.Lock()
	s.open[id] = string(b)
	s.mu.Unlock()
	s.events <- string(b)
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		http.Error(w, `{"error":"No such token"}`, http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	s.requests[r.Method+" "+r.URL.Path]++
	first := s.requests[r.Method+" "+r.URL.Path] == 1
	s.mu.Unlock()
	mood := -1
	switch {
	case s.worse && r.URL.Path != "/api/account":
		mood = rand.IntN(30)
	case s.moody && first:
		mood = len(r.URL.Path) % 3
	}
	switch mood {
	case 0:
		http.Error(w, "down for maintenance", http.StatusBadGateway)
		return
	case 1:
		http.Error(w, `{"error":"Too many requests"}`, http.StatusTooManyRequests)
		return
	case 2:
		panic(http.ErrAbortHandler) // the connection breaks
	case 3:
		fmt.Fprint(w, `{"type":"gameFull","id":"ga`)
		flush(w)
		panic(http.ErrAbortHandler)
	case 4:
		time.Sleep(time.Duration(rand.IntN(500)) * time.Millisecond)
	case 5:
		defer panic(http.ErrAbortHandler) // the connection breaks after the request has worked
	case 6: // a line that may be too long
		if r.URL.Path == "/api/stream/event" {
			fmt.Fprintln(w, strings.Repeat(" ", rand.IntN(2<<20))) // lines end at 1 MiB
		}
	}
	part := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/api/account":
		fmt.Fprint(w, `{"id":"bot","username":"Bot","title":"BOT","perfs":{}}`)
	case r.URL.Path == "/api/stream/event":
		s.streamEvents(w, r)
	case len(part) == 4 && part[1] == "challenge":
		s.answered(w, r, part[2], part[3])
	case len(part) == 5 && part[2] == "game" && part[3] == "stream":
		s.streamGame(w, r, part[4])
	case len(part) >= 5 && part[2] == "game":
		s.act(w, part[3], strings.Join(part[4:], "/"))
	default:
		http.NotFound(w, r)
	}
}

func (s *server) streamEvents(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	for _, e := range s.open { // as lichess does
		fmt.Fprintln(w, e)
	}
	for id, g := range s.games { // those under way
		if g.status == "started" {
			fmt.Fprintf(w, `{"type":"gameStart","game":{"gameId":%q,"id":%q}}`+"\n", id, id)
		}
	}
	s.mu.Unlock()
	fmt.Fprint(w, "\n{\"type\":\"news\",\"of\":1}\nnot json\n")
	flush(w)
	for n := 0; ; n++ {
		select {
		case e := <-s.events:
			fmt.Fprintln(w, e)
		case <-time.After(50 * time.Millisecond):
			fmt.Fprintln(w)
		case <-r.Context().Done():
			return
		}
		flush(w)
		if s.moody && n == 2 {
			panic(http.ErrAbortHandler)
		}
	}
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

func (s *server) answered(w http.ResponseWriter, r *http.Request, id, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	if how == "decline" {
		s.declined[id] = r.FormValue("reason")
		fmt.Fprint(w, `{"ok":true}`)
		return
	}
	if s.games[id] == nil {
		http.Error(w, `{"error":"Not found"}`, http.StatusNotFound)
		return
	}
	s.games[id].status = "started"
	if !s.mute {
		s.events <- fmt.Sprintf(`{"type":"gameStart","game":{"gameId":%q}}`, id)
	}
	fmt.Fprint(w, `{"ok":true}`)
}

// prepare makes the game that begins when challenge id is accepted.
func (s *server) prepare(id, variant, fen string, us chess.Color, plies int) {
	v := variants[variant]
	p := chess.StartPosition(v)
	if fen != "startpos" {
		var err error
		if p, err = chess.ParseFEN(v, fen); err != nil {
			s.t.Fatal(err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := &served{game: chess.NewGame(p), start: fen, variant: variant, us: us, plies: plies, status: "created", changed: make(chan struct{}), since: time.Now()}
	s.games[id] = g
	if us != p.Turn() {
		g.reply()
	}
}

// reply lets the opponent move.
func (g *served) reply() {
	var l chess.MoveList
	if g.game.Position().LegalMoves(&l); l.Len() == 0 {
		g.status = "mate"
	} else if g.game.Ply() >= g.plies {
		g.status = "resign"
	} else {
		g.game.Play(l.At(0))
		if g.game.Position().LegalMoves(&l); l.Len() == 0 {
			g.status = "mate"
		}
	}
	g.change()
}

func (g *served) change() {
	close(g.changed)
	g.changed = make(chan struct{})
}

func (g *served) state() string {
	var words []string
	for _, m := range g.game.Moves() {
		words = append(words, m.String())
	}
	return fmt.Sprintf(`{"type":"gameState","moves":%q,"wtime":60000,"btime":60000,"winc":0,"binc":0,"status":%q}`, strings.Join(words, " "), g.status)
}

func (s *server) streamGame(w http.ResponseWriter, r *http.Request, id string) {
	s.mu.Lock()
	g := s.games[id]
	if g == nil {
		s.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	g.streams++
	white, black := `{"id":"anna","name":"Anna"}`, `{"id":"bot","name":"Bot","title":"BOT"}`
	if g.us == chess.White {
		white, black = black, white
	}
	fmt.Fprintf(w, `{"type":"gameFull","id":%q,"variant":{"key":%q},"white":%s,"black":%s,"initialFen":%q,"state":%s}`+"\n", id, g.variant, white, black, g.start, g.state())
	changed, status := g.changed, g.status
	s.mu.Unlock()
	fmt.Fprint(w, `{"type":"chatLine","text":"hi"}`+"\n")
	flush(w)
	for n := 0; !over(status); n++ {
		select {
		case <-changed:
			s.mu.Lock()
			fmt.Fprintln(w, g.state())
			changed, status = g.changed, g.status
			s.mu.Unlock()
		case <-time.After(50 * time.Millisecond):
			fmt.Fprintln(w)
		case <-r.Context().Done():
			return
		}
		flush(w)
		if s.moody && n%3 == 2 {
			if n%2 == 0 {
				panic(http.ErrAbortHandler)
			}
			<-r.Context().Done() // silence
			return
		}
	}
}

func (s *server) act(w http.ResponseWriter, id, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.games[id]
	if g == nil {
		http.Error(w, "no such game", http.StatusNotFound)
		return
	}
	fail := func(why string) {
		g.wrong = append(g.wrong, what+": "+why)
		http.Error(w, fmt.Sprintf(`{"error":%q}`, why), http.StatusBadRequest)
	}
	word, moves := strings.CutPrefix(what, "move/")
	switch {
	case over(g.status):
		fail("the game is over")
	case !moves:
		g.status = what
		g.change()
	case g.game.Position().Turn() != g.us:
		fail("not your turn")
	default:
		m, err := g.game.Position().ParseUCI(word)
		if err != nil {
			fail(err.Error())
			return
		}
		g.game.Play(m)
		g.reply()
		fmt.Fprint(w, `{"ok":true}`)
	}
}

// quick is an engine that thinks little.
func quick(chess.Variant) (uci.Searcher, error) {
	e := uci.New(uci.Blank(chess.Variants()...))
	return e, e.Set("Hash", "1") // which is soon full
}

// config is a bot that takes everything.
func config(url string) Config {
	return Config{
		URL: url, Token: "secret", Engine: quick, pause: hasty,
		Policy: Policy{Variants: chess.Variants(), Chess960: true, Rated: true, Casual: true, Humans: true, Bots: true, Untimed: true, AtOnce: 10},
	}
}

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// during runs the bot while f waits for what is to happen, until the log has what is wanted.
func during(t *testing.T, cfg Config, f func(), want string) {
	t.Helper()
	var log logged
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	ctx, stop := context.WithCancel(t.Context())
	end, kill := context.WithTimeout(t.Context(), 2*time.Minute)
	defer kill()
	done := make(chan error, 1)
	go func() { done <- Run(ctx, end, cfg) }()
	f()
	eventually(t, "the log says "+want, func() bool { return strings.Contains(log.String(), want) })
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.Log(log.String())
	}
}

func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for range 12000 {
		if cond() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("never: %s", what)
}

// Games of every variant, several at once, of both colors, are played to the end,
// whatever befalls the connection, and every move is made once and legal.
func TestGames(t *testing.T) {
	for _, moody := range []bool{false, true} {
		t.Run(fmt.Sprintf("moody=%v", moody), func(t *testing.T) {
			t.Parallel()
			s, url := newServer(t, moody)
			type wanted struct{ variant, fen string }
			var all []wanted
			for v := range variants {
				fen := "startpos"
				if v == "chess960" || v == "fromPosition" {
					p, err := chess.Chess960(chess.Standard, 100)
					if err != nil {
						t.Fatal(err)
					}
					fen = p.FEN()
				}
				all = append(all, wanted{v, fen})
			}
			during(t, config(url), func() {
				for i, w := range all {
					id := fmt.Sprintf("game%d", i)
					s.prepare(id, w.variant, w.fen, chess.Color(i%2), 12)
					s.challenge(id, func(c *challenge) { c.Variant.Key, c.InitialFEN = w.variant, w.fen })
				}
				eventually(t, "all games are over", func() bool {
					s.mu.Lock()
					defer s.mu.Unlock()
					for _, g := range s.games {
						if !over(g.status) {
							return false
						}
					}
					return true
				})
			}, "game over")
			for id, g := range s.games {
				if len(g.wrong) > 0 || g.status != "resign" && g.status != "mate" || g.game.Ply() < 4 {
					t.Errorf("%s, %s: %s after %d plies, wrong: %q", id, g.variant, g.status, g.game.Ply(), g.wrong)
				}
				if moody && g.game.Ply() > 8 && g.streams < 2 {
					t.Errorf("%s: its stream never broke", id)
				}
			}
		})
	}
}

// A bot that is stopped when it has accepted a challenge plays that game, though no event says
// any more that it has begun.
func TestStopsAfterAccepting(t *testing.T) {
	s, url := newServer(t, false)
	s.mute = true
	s.prepare("game", "atomic", "startpos", chess.White, 12)
	s.challenge("game", nil)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, t.Context(), config(url)) }()
	eventually(t, "the game is accepted", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.games["game"].status != "created" // it may be over already
	})
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if g := s.games["game"]; !over(g.status) || g.game.Ply() < 4 || len(g.wrong) > 0 {
		t.Errorf("%s after %d plies, wrong: %q", g.status, g.game.Ply(), g.wrong)
	}
}

// Challenges are declined with lichess' reasons.
func TestPolicy(t *testing.T) {
	p := Policy{
		Variants: []chess.Variant{chess.Atomic, chess.Standard}, Casual: true, Humans: true, Shortest: 30 * time.Second, Longest: 10 * time.Minute,
		Never: []string{"Mallory"}, AtOnce: 2,
	}
	for name, c := range map[string]struct {
		change func(*challenge)
		games  int
		want   string
	}{
		"taken":       {func(*challenge) {}, 0, ""},
		"chess":       {func(c *challenge) { c.Variant.Key = "standard" }, 0, ""},
		"variant":     {func(c *challenge) { c.Variant.Key = "horde" }, 0, "variant"},
		"unknown":     {func(c *challenge) { c.Variant.Key = "go" }, 0, "variant"},
		"chess960":    {func(c *challenge) { c.Variant.Key = "chess960" }, 0, "variant"},
		"bot":         {func(c *challenge) { c.Challenger.Title = "BOT" }, 0, "noBot"},
		"rated":       {func(c *challenge) { c.Rated = true }, 0, "casual"},
		"fast":        {func(c *challenge) { c.TimeControl = timeControl{"clock", 15, 0} }, 0, "tooFast"},
		"increment":   {func(c *challenge) { c.TimeControl = timeControl{"clock", 0, 1} }, 0, ""},
		"slow":        {func(c *challenge) { c.TimeControl.Limit = 3600 }, 0, "tooSlow"},
		"no clock":    {func(c *challenge) { c.TimeControl.Type = "unlimited" }, 0, "timeControl"},
		"busy":        {func(*challenge) {}, 2, "later"},
		"not wanted":  {func(c *challenge) { c.Challenger = user{ID: "mallory", Name: "Mallory"} }, 0, "generic"},
		"others only": {func(c *challenge) { c.Challenger = user{ID: "eve", Name: "Eve"} }, 0, ""},
	} {
		ch := challenge{Challenger: user{ID: "anna", Name: "Anna"}, Variant: variantKey{"atomic"}, TimeControl: timeControl{"clock", 180, 2}}
		c.change(&ch)
		if have := p.refuses(&ch, c.games); have != c.want {
			t.Errorf("%s: %q, want %q", name, have, c.want)
		}
	}
	only := Policy{Variants: p.Variants, Casual: true, Bots: true, Only: []string{"Eve"}, AtOnce: 1}
	if have := only.refuses(&challenge{Challenger: user{Name: "Anna"}}, 0); have != "generic" {
		t.Errorf("Anna: %q", have)
	}
	if have := only.refuses(&challenge{Challenger: user{Name: "eve"}, Variant: variantKey{"atomic"}}, 0); have != "onlyBot" {
		t.Errorf("Eve: %q", have)
	}
}

func TestDeclines(t *testing.T) {
	s, url := newServer(t, true)
	cfg := config(url)
	cfg.Policy.Rated = false
	during(t, cfg, func() {
		s.challenge("a", func(c *challenge) { c.Rated = true })
		s.challenge("own", func(c *challenge) { c.Challenger.ID = "bot"; c.Rated = true })
		s.challenge("gone", nil)
		s.challenge("b", func(c *challenge) { c.Variant.Key = "shogi" })
		eventually(t, "both declined", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.declined) == 2
		})
	}, "challenge is gone")
	if s.declined["a"] != "casual" || s.declined["b"] != "variant" {
		t.Errorf("%v", s.declined)
	}
}

// Games that we cannot play are not left hanging.
func TestLeavesGames(t *testing.T) {
	s, url := newServer(t, false)
	cfg := config(url)
	cfg.Engine = func(v chess.Variant) (uci.Searcher, error) {
		if v == chess.Horde {
			return nil, errors.New("no network for horde")
		}
		return quick(v)
	}
	during(t, cfg, func() {
		s.prepare("none", "horde", "startpos", chess.White, 10)
		s.prepare("bad", "atomic", "startpos", chess.White, 10)
		s.mu.Lock()
		s.games["bad"].start = "nonsense"
		s.mu.Unlock()
		s.challenge("none", nil)
		s.challenge("bad", nil)
		eventually(t, "both left", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return over(s.games["none"].status) && over(s.games["bad"].status)
		})
	}, "no network for horde")
	for id, g := range s.games {
		if !slices.Contains([]string{"abort", "resign"}, g.status) {
			t.Errorf("%s: %s", id, g.status)
		}
	}
}

// What cannot work is an error at once, that says what to do.
func TestRefused(t *testing.T) {
	_, url := newServer(t, false)
	cfg := config(url)
	cfg.Token = "wrong"
	err := Run(t.Context(), t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "401") || !strings.Contains(err.Error(), "No such token") || !strings.Contains(err.Error(), "bot:play") {
		t.Errorf("wrong token: %v", err)
	}
	for what, answer := range map[string]string{"is not a bot account": `{"id":"anna","username":"Anna"}`, "not a lichess server": `<html>`} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, answer) }))
		cfg := config(h.URL)
		if err := Run(t.Context(), t.Context(), cfg); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		h.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	cfg = config("http://127.0.0.1:1")
	if err := Run(ctx, ctx, cfg); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nobody there: %v", err)
	}
}

// A server that takes a connection and does not answer is asked again.
func TestServerWithoutAnswer(t *testing.T) {
	var asked atomic.Int32
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%2 == 1 {
			<-r.Context().Done()
			return
		}
		fmt.Fprintln(w, `{"ok":true}`)
	}))
	defer h.Close()
	c := client{url: h.URL, http: http.DefaultClient, pause: hasty}
	c.pause.answer = c.pause.silence
	if text, err := c.requestWithRetry(t.Context(), http.MethodPost, "/move", nil, func(error) {}); err != nil || !strings.Contains(string(text), "true") {
		t.Errorf("%q, %v", text, err)
	}
	if err := c.follow(t.Context(), "/stream", func(error) {}, func([]byte) bool { return false }); err != nil {
		t.Error(err)
	}
	if n := asked.Load(); n < 4 || n%2 != 0 { // a late answer is asked for again
		t.Errorf("%d requests", n)
	}
}

// FuzzMessages: a bot survives whatever the server says.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"type":"gameFull","id":"x","variant":{"key":"atomic"},"white":{"id":"bot"},"black":{"id":"a"},"initialFen":"startpos","state":{"type":"gameState","moves":"e2e4 e7e5","wtime":1,"btime":1,"status":"started"}}`))
	f.Add([]byte(`{"type":"gameState","moves":"e2e5","status":"started"}`))
	f.Add([]byte(`{"type":"challenge","challenge":{"id":"../x","challenger":null,"variant":{"key":""},"timeControl":{"limit":-1}}}`))
	f.Add([]byte(`{"type":"opponentGone","gone":true,"claimWinInSeconds":0}`))
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadRequest) }))
	f.Cleanup(h.Close)
	f.Fuzz(func(t *testing.T, line []byte) {
		cfg := config(h.URL)
		cfg.Log = slog.New(slog.DiscardHandler)
		b := &bot{Config: cfg, me: account{ID: "bot"}, games: map[string]bool{}, accepted: map[string]bool{}, client: client{url: h.URL, http: http.DefaultClient, pause: hasty}}
		b.event(t.Context(), t.Context(), line)
		g := &game{bot: b, id: "x"}
		defer g.close()
		_ = g.message(t.Context(), line)
		_ = g.message(t.Context(), line)
		b.count.Wait()
	})
}

// Challenges that come together get no more games than there may be at once, and do not wait for
// one another's answers.
func TestChallengesTogether(t *testing.T) {
	answers, reply := make(chan string, 3), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/game/") {
			http.NotFound(w, r)
			return
		}
		answers <- r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		<-reply
	}))
	defer s.Close()
	b := &bot{Config: config(s.URL), games: map[string]bool{}, accepted: map[string]bool{}, client: client{url: s.URL, http: &http.Client{}, pause: hasty}}
	b.Log, b.Policy.AtOnce = slog.New(slog.DiscardHandler), 1
	for _, id := range []string{"a", "b", "c", "a"} { // the last one is repeated
		b.challenged(t.Context(), t.Context(), &challenge{ID: id, Challenger: user{ID: "eve"}, Variant: variantKey{Key: "atomic"}})
	}
	counts := map[string]int{}
	for range 3 {
		counts[<-answers]++
	}
	if close(reply); counts["accept"] != 1 || counts["decline"] != 2 {
		t.Errorf("answers %v, want one accepted and two declined", counts)
	}
	b.count.Wait()
	if len(b.accepted) != 0 {
		t.Errorf("challenges %v still wait for their games", b.accepted)
	}
}
