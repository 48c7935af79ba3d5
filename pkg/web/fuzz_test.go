package web

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// Whatever is asked, the answer is JSON and no failure of the server, and the game
// stays one that chess has.
func FuzzRequests(f *testing.F) {
	paths := []string{"/api/games", "move", "back", "seats", "pause", "analyze", "hurry", "resign", "here"}
	for i, body := range []string{
		`{"variant": "crazyhouse", "chess960": 5, ` + people + `}`, move(0, "e4"), `{"ply": 0}`, `{` + people + `}`, `{"paused": true}`,
		`{"player": "", "ply": 0}`, `{}`, `{}`, `{}`,
	} {
		f.Add(uint8(i), body)
	}
	f.Add(uint8(0), `{"variant": "atomic", "fen": "8/8/8/8/8/8/8/8 w - - 0 1"}`)
	f.Add(uint8(1), `{"ply": 1e99, "move": null}`)
	f.Add(uint8(2), "{\"ply\": -9223372036854775808}\xff")
	f.Add(uint8(3), `{"white": "random,movetime=1e308", "black": "material,depth=1"}`)
	s, err := NewPlay(PlayConfig{Pace: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(s.Close)
	ask := func(t *testing.T, path, body string) (int, map[string]any) {
		r := httptest.NewRequest("POST", path, strings.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		var v map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
			t.Fatalf("%s %q: %d %q: %v", path, body, w.Code, w.Body, err)
		}
		if w.Code >= 500 && w.Code != 503 || w.Code/100 != 2 && v["error"] == "" {
			t.Fatalf("%s %q: %d %v", path, body, w.Code, v)
		}
		return w.Code, v
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		path := paths[int(which)%len(paths)]
		status, v := ask(t, "/api/games", `{"variant": "chess", `+people+`}`)
		if status != 201 {
			t.Fatal(v)
		}
		id := fmt.Sprint(v["id"])
		if path != "/api/games" {
			path = "/api/games/" + id + "/" + path
		}
		status, v = ask(t, path, body)
		if status == 201 {
			id = fmt.Sprint(v["id"])
		}
		s.mu.Lock()
		g := s.games[id]
		s.mu.Unlock()
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(g.positions) != g.line.Ply()+1 || g.positions[g.ply()].FEN != g.line.Position().FEN() {
			t.Fatalf("%d positions after %d moves", len(g.positions), g.line.Ply())
		}
		var l chess.MoveList
		if g.line.Position().LegalMoves(&l); l.Len() != g.legal.Len() {
			t.Fatalf("%d legal moves, have %d", l.Len(), g.legal.Len())
		}
	})
}
