package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/match"
)

// PlayConfig configures [Play].
type PlayConfig struct {
	// Players are engines that the page offers beside random moves, alpha-beta on material
	// and a search without a network.
	Players []*match.Opened

	// Variant is the variant that the page offers first; nil: the first of all.
	Variant *chess.Variant

	// Results is the folder of the runs whose games the page can show; "": none.
	Results string

	// Pace is the least time from an engine's turn to its move; 0: 450 ms.
	Pace time.Duration

	// Host is a name of the server beside localhost and its addresses; "": none.
	Host string

	// Log receives failures. Nil discards them.
	Log *slog.Logger
}

// Play is the server of the page of alamos play: it holds the games and their players.
type Play struct {
	http.Handler // serves the page and answers its requests

	cfg      PlayConfig
	players  []player
	all      []chess.Variant
	variants []chess.Variant // of new games
	first    chess.Variant   // that the page offers first

	ctx   context.Context // of all games
	close context.CancelFunc
	wait  sync.WaitGroup

	mu    sync.Mutex
	games map[string]*game
}

// mostGames is the largest number of games at once.
const mostGames = 200

// NewPlay returns a server. It fails when no network plays the variant.
func NewPlay(cfg PlayConfig) (*Play, error) {
	cfg.Pace = cmp.Or(cfg.Pace, 450*time.Millisecond)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Play{cfg: cfg, games: map[string]*game{}}
	if s.all, s.variants, s.first = variantsOf(&cfg); !slices.Contains(s.variants, s.first) {
		return nil, fmt.Errorf("no network plays %s: the networks play %v", s.first, s.variants)
	}
	s.players = newPlayers(cfg.Players, s.all)
	s.ctx, s.close = context.WithCancel(context.Background())
	s.Handler = guard{host: cfg.Host, next: s.routes()}
	s.wait.Go(s.endUnwatched)
	return s, nil
}

// variantsOf returns all variants, the built-in ones first, those of new games, which are those of
// the networks if there are any, and the one that the page offers first.
func variantsOf(cfg *PlayConfig) (all, offered []chess.Variant, first chess.Variant) {
	all = chess.Variants()
	add := func(v chess.Variant) {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	networks := slices.DeleteFunc(slices.Clone(cfg.Players), func(p *match.Opened) bool { return p.Network() == "" })
	for _, p := range networks {
		for _, v := range p.Variants() {
			add(v)
		}
	}
	if cfg.Variant != nil {
		add(*cfg.Variant)
	}
	for _, v := range all {
		if len(networks) == 0 || slices.ContainsFunc(networks, func(p *match.Opened) bool { return p.Plays(v) }) {
			offered = append(offered, v)
		}
	}
	if cfg.Variant != nil {
		return all, offered, *cfg.Variant
	}
	return all, offered, offered[0]
}

// Close ends all games. The caller closes the networks afterwards.
func (s *Play) Close() {
	s.close()
	s.wait.Wait()
}

// endUnwatched ends searches and engines of games that no page shows.
func (s *Play) endUnwatched() {
	for sleep(s.ctx, 10*time.Second) == nil {
		s.mu.Lock()
		for _, g := range s.games {
			g.endUnwatched()
		}
		s.mu.Unlock()
	}
}

func (s *Play) routes() http.Handler {
	mux := http.NewServeMux()
	servePage(mux, "play")
	handle := func(path string, f func(w http.ResponseWriter, r *http.Request) (any, error)) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			v, err := f(w, r)
			s.answer(w, r, v, err)
		})
	}
	post := func(path string, most int64, f func(w http.ResponseWriter, r *http.Request, q *request) (any, error)) {
		handle("POST "+path, func(w http.ResponseWriter, r *http.Request) (any, error) {
			q, err := read(w, r, most)
			if err != nil {
				return nil, err
			}
			return f(w, r, q)
		})
	}
	handle("GET /api/setup", func(http.ResponseWriter, *http.Request) (any, error) {
		return s.setup(), nil
	})
	handle("GET /api/games/{id}/events", func(w http.ResponseWriter, r *http.Request) (any, error) {
		g, err := s.game(r)
		if err != nil {
			return nil, err
		}
		if err := g.watch(r.Context(), w); err != nil {
			s.cfg.Log.Debug("a page is gone", "game", g.id, "error", err)
		}
		return nil, nil // it is written
	})
	handle("GET /api/games/{id}/pgn", func(w http.ResponseWriter, r *http.Request) (any, error) {
		g, err := s.game(r)
		if err != nil {
			return nil, err
		}
		text, err := g.pgn(time.Now())
		if err != nil {
			return nil, err
		}
		w.Header().Set("Content-Type", "application/x-chess-pgn; charset=utf-8")
		w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="alamos-%s-%s.pgn"`, g.variant, g.id))
		_, err = io.WriteString(w, text)
		if err != nil {
			s.cfg.Log.Debug("a page is gone", "game", g.id, "error", err)
		}
		return nil, nil // it is written
	})
	handle("GET /api/files", func(http.ResponseWriter, *http.Request) (any, error) { return s.files() })
	post("/api/pgn", mostPGN, func(_ http.ResponseWriter, _ *http.Request, q *request) (any, error) { return s.list(q) })
	post("/api/games", mostPGN, func(w http.ResponseWriter, _ *http.Request, q *request) (any, error) {
		g, err := s.begin(q)
		if err != nil {
			return nil, err
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/#"+g.id)
		w.WriteHeader(http.StatusCreated)
		return map[string]string{"id": g.id}, nil
	})
	for name, change := range map[string]func(*game, *request) error{
		"move":    (*game).play,
		"back":    (*game).back,
		"pause":   (*game).pause,
		"hurry":   (*game).hurryUp,
		"resign":  (*game).resign,
		"here":    func(*game, *request) error { return nil }, // the request itself counts
		"seats":   s.setSeats,
		"analyze": s.byAnalyst((*game).analyze),
		"review":  s.byAnalyst((*game).review),
	} {
		post("/api/games/{id}/"+name, mostBytes, func(_ http.ResponseWriter, r *http.Request, q *request) (any, error) {
			g, err := s.game(r)
			if err == nil {
				err = g.change(change, q)
			}
			return struct{}{}, err
		})
	}
	return mux
}

// setSeats changes the players of a game and their strength.
func (s *Play) setSeats(g *game, q *request) error {
	err := s.check(q.seats(), g.variant)
	if err == nil {
		g.setSeats(q.seats())
	}
	return err
}

// byAnalyst checks the player of a request that lets one analyze a game. Without a player the
// request ends the analysis.
func (s *Play) byAnalyst(change func(*game, *request) error) func(*game, *request) error {
	return func(g *game, q *request) error {
		if q.Player != "" {
			p, err := s.find(q.Player, g.variant)
			if err != nil {
				return err
			}
			if !slices.Contains([]string{match.TreeKind, match.AlphaBetaKind, match.EngineKind}, p.Kind) {
				return invalid("%s cannot analyze", p.Name)
			}
		}
		return change(g, q)
	}
}

// answer writes a value or an error. Without both, the handler has written its answer.
func (s *Play) answer(w http.ResponseWriter, r *http.Request, v any, err error) {
	if v == nil && err == nil {
		return
	}
	if err != nil && !errors.As(err, new(problem)) {
		s.cfg.Log.Error("a request failed", "path", r.URL.Path, "error", err)
	}
	answer(w, v, err)
}

func answer(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if err != nil {
		p := problem{http.StatusInternalServerError, err.Error()}
		errors.As(err, &p)
		v = map[string]string{"error": p.text}
		w.WriteHeader(p.status)
	}
	// A page that is gone needs no answer.
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Play) game(r *http.Request) (*game, error) {
	id := r.PathValue("id")
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.games[id]; g != nil {
		return g, nil
	}
	return nil, problemf(http.StatusNotFound, "there is no game %.50q: it may belong to a server that has ended", id)
}

// begin starts a game, or loads one.
func (s *Play) begin(q *request) (*game, error) {
	find := func(v chess.Variant) func(seat) *player {
		return func(t seat) *player {
			p, _ := s.find(t, v) // the seat is valid
			return p
		}
	}
	id := rand.Text()[:12]
	if q.PGN != "" || q.File != "" {
		pgn, err := s.loaded(q)
		if err != nil {
			return nil, err
		}
		return s.add(loadedGame(id, pgn, find(pgn.Variant)))
	}
	start, err := s.start(q)
	if err != nil {
		return nil, err
	}
	v := start.Variant()
	if err := s.check(q.seats(), v); err != nil {
		return nil, err
	}
	clock, err := q.Clock.clock()
	if err != nil {
		return nil, err
	}
	return s.add(newGameAt(id, start, q.seats(), find(v), clock))
}

// start returns the start position of a new game.
func (s *Play) start(q *request) (start chess.Position, err error) {
	i := slices.IndexFunc(s.variants, func(v chess.Variant) bool { return v.String() == q.Variant })
	if i < 0 {
		var names []string
		for _, v := range s.variants {
			names = append(names, v.String())
		}
		return start, invalid("variant %.100q: want one of %s", q.Variant, strings.Join(names, ", "))
	}
	v := s.variants[i]
	start = chess.StartPosition(v)
	switch {
	case q.FEN != "" && q.Chess960 != nil:
		return start, invalid("want a FEN or a start of chess960, not both")
	case q.FEN != "":
		start, err = chess.ParseFEN(v, q.FEN)
	case q.Chess960 != nil:
		n := *q.Chess960
		if n == -1 {
			n = mathrand.IntN(960)
		}
		start, err = chess.Chess960(v, n)
	}
	if err != nil {
		return start, invalid("%v", err)
	}
	return start, nil
}

// add lets a game begin.
func (s *Play) add(g *game) (*game, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, problemf(http.StatusServiceUnavailable, "the server is closing")
	}
	if err := s.makeRoom(); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(s.ctx)
	g.end = end
	s.games[g.id] = g
	s.wait.Go(func() { g.drive(ctx, s.cfg.Pace) })
	return g, nil
}

// makeRoom removes the game that no page has shown for the longest time if there are
// too many games. s.mu is held.
func (s *Play) makeRoom() error {
	if len(s.games) < mostGames {
		return nil
	}
	var oldest *game
	var since time.Time
	for _, g := range s.games {
		g.mu.Lock()
		if g.watchers == 0 && (oldest == nil || g.touched.Before(since)) {
			oldest, since = g, g.touched
		}
		g.mu.Unlock()
	}
	if oldest == nil {
		return problemf(http.StatusServiceUnavailable, "pages show %d games: close some of them", len(s.games))
	}
	oldest.end()
	delete(s.games, oldest.id)
	return nil
}
