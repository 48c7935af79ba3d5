package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// The requests of the page:
//
//	GET  /api/setup               variants and players
//	POST /api/games               newGame: begins a game and returns its id
//	GET  /api/games/{id}/events   server-sent events, each an update
//	GET  /api/games/{id}/pgn      the game as a file
//	POST /api/games/{id}/move     moveRequest
//	POST /api/games/{id}/back     backRequest
//	POST /api/games/{id}/seats    seatsRequest
//	POST /api/games/{id}/pause    pauseRequest
//	POST /api/games/{id}/analyze  analyzeRequest
//	POST /api/games/{id}/hurry    {}: the engine plays at once
//	POST /api/games/{id}/resign   {}: the human side resigns
//	POST /api/games/{id}/here     {}: a page still shows the game
//
// Answers with another status than 2xx hold {"error": "..."}.

type (
	// newGame begins a game: at the variant's start, from a FEN, or from a numbered
	// start of chess960 (-1: any).
	newGame struct {
		Variant  string `json:"variant"`
		FEN      string `json:"fen"`
		Chess960 *int   `json:"chess960"`
		White    seat   `json:"white"`
		Black    seat   `json:"black"`
	}

	// moveRequest plays a move in UCI or SAN. Ply is the number of moves before it: a
	// move for another position, as by a second click, is refused.
	moveRequest struct {
		Ply  int    `json:"ply"`
		Move string `json:"move"`
	}

	// backRequest takes moves back to the position after Ply moves; without Ply, to the
	// last position with a human to move.
	backRequest struct {
		Ply *int `json:"ply"`
	}

	seatsRequest struct {
		White seat `json:"white"`
		Black seat `json:"black"`
	}

	// pauseRequest stops or continues the engines.
	pauseRequest struct {
		Paused bool `json:"paused"`
	}

	// analyzeRequest lets a player analyze a position while no engine is to move; ""
	// ends the analysis.
	analyzeRequest struct {
		Player seat `json:"player"`
		Ply    *int `json:"ply"` // null: always the last
	}

	nothing struct{}
)

// mostBytes is room for the longest request, one with a FEN.
const mostBytes = 8 << 10

// decode reads a request: one JSON value with known fields only.
func decode[T any](r io.Reader) (T, error) {
	var v T
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("the request is not the expected JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v, fmt.Errorf("the request has more than one JSON value")
	}
	return v, nil
}

// problem is an error with its HTTP status.
type problem struct {
	status int
	text   string
}

func (p problem) Error() string { return p.text }

func problemf(status int, format string, args ...any) error {
	return problem{status, fmt.Sprintf(format, args...)}
}

// invalid returns the error of a request that can never succeed.
func invalid(format string, args ...any) error {
	return problemf(http.StatusBadRequest, format, args...)
}

// conflict returns the error of a request that does not fit the state of the game.
func conflict(format string, args ...any) error {
	return problemf(http.StatusConflict, format, args...)
}

// guard refuses requests of other hosts' pages. A browser lets any page send requests to
// this machine; three things reveal such a request.
//
//   - Host: a page whose own name was made to point here (DNS rebinding) sends that
//     name. Numeric addresses and localhost cannot be redirected.
//   - Origin and Sec-Fetch-Site, which browsers set and pages cannot.
//   - The type of a body: JSON needs a permission that this server never gives (CORS).
type guard struct {
	host string // a name of the server beside localhost and its addresses
	next http.Handler
}

// policy lets the page load only what this server has.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	if err := g.check(r); err != nil {
		answer(w, nil, err)
		return
	}
	g.next.ServeHTTP(w, r)
}

func (g guard) check(r *http.Request) error {
	if !g.known(hostname(r.Host)) {
		return problemf(http.StatusMisdirectedRequest, "this server is not %.100q: open it by the address that it printed", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return problemf(http.StatusForbidden, "a page of %.100q may not use this server", origin)
		}
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
	default: // any page may link to this one
		if r.URL.Path != "/" || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
			return problemf(http.StatusForbidden, "a page of another host may not use this server")
		}
	}
	if r.Method == http.MethodPost {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return problemf(http.StatusUnsupportedMediaType, "want a request of type application/json")
		}
	}
	return nil
}

func (g guard) known(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host != "" && (host == "localhost" || net.ParseIP(host) != nil || host == strings.ToLower(g.host))
}

// hostname returns a Host header without port and brackets.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}
