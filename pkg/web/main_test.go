package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/uci/testdata/fake"

	"alamos/pkg/chess"
)

func TestMain(m *testing.M) {
	code := m.Run()
	fake.Clean()
	os.Exit(code)
}

// house is a server under test, with what a page does.
type house struct {
	*testing.T
	server *Play
	url    string
}

func open(t *testing.T, cfg PlayConfig) *house {
	t.Helper()
	if cfg.Pace == 0 {
		cfg.Pace = time.Nanosecond
	}
	s, err := NewPlay(cfg)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		web.CloseClientConnections() // streams of events
		web.Close()
	})
	return &house{t, s, web.URL}
}

// ask posts a request and gives the status and the answer.
func (h *house) ask(path, body string) (int, map[string]string) {
	h.Helper()
	r, err := http.Post(h.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		h.Fatal(err)
	}
	defer r.Body.Close()
	var v map[string]string
	if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
		h.Fatalf("%s %s: %d, no JSON: %v", path, body, r.StatusCode, err)
	}
	return r.StatusCode, v
}

// must is ask for what cannot fail.
func (h *house) must(path, body string) map[string]string {
	h.Helper()
	status, v := h.ask(path, body)
	if status/100 != 2 {
		h.Fatalf("%s %s: %d %v", path, body, status, v)
	}
	return v
}

// begin begins a game and gives its path.
func (h *house) begin(body string) string {
	h.Helper()
	return "/api/games/" + h.must("/api/games", body)["id"]
}

func (h *house) get(path string) string {
	h.Helper()
	r, err := http.Get(h.url + path)
	if err != nil {
		h.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		h.Fatalf("%s: %s, %v", path, r.Status, err)
	}
	return string(b)
}

// heard is what a page knows of a game.
type heard struct {
	update
	reports map[int]*Report
}

// watch hears of a game until enough says so.
func (h *house) watch(game string, enough func(*heard) bool) *heard {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), time.Minute)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+game+"/events", nil)
	if err != nil {
		h.Fatal(err)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		h.Fatal(err)
	}
	defer r.Body.Close()
	if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
		h.Fatalf("%s: %s of type %s", game, r.Status, kind)
	}
	know := &heard{reports: map[int]*Report{}}
	lines := bufio.NewReader(r.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			h.Fatalf("the events ended: %v; known: %+v", err, know.update)
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var u update
		if err := json.Unmarshal([]byte(data), &u); err != nil {
			h.Fatal(err)
		}
		if u.Keep > len(know.Positions) {
			h.Fatalf("%d positions are to be kept of %d", u.Keep, len(know.Positions))
		}
		for i := range know.reports {
			if i >= u.Keep {
				delete(know.reports, i)
			}
		}
		u.Positions = append(slices.Clone(know.Positions[:u.Keep]), u.Positions...)
		know.update = u
		for i, r := range u.Reports {
			know.reports[i] = r
		}
		if enough(know) {
			return know
		}
	}
}

// at waits for a game to have this number of moves.
func (h *house) at(game string, ply int) *heard {
	h.Helper()
	return h.watch(game, func(k *heard) bool { return len(k.Positions) == ply+1 })
}

func (h *house) over(game string) *heard {
	h.Helper()
	return h.watch(game, func(k *heard) bool { return k.Outcome != nil })
}

// pgn reads the file of a game.
func (h *house) pgn(game string) *chess.PGN {
	h.Helper()
	return readPGN(h.T, h.get(game+"/pgn"))
}

func readPGN(t *testing.T, text string) *chess.PGN {
	t.Helper()
	r := chess.NewPGNReader(strings.NewReader(text))
	g, err := r.Next()
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Fatalf("after the game: %v", err)
	}
	return g
}

const (
	people = `"white": "human", "black": "human"`
	chance = `"white": "random", "black": "random"`
)

func move(ply int, m string) string { return fmt.Sprintf(`{"ply": %d, "move": %q}`, ply, m) }
