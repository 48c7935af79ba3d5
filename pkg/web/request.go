package web

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
//	POST /api/games               begins a game and returns its id: Variant, White, Black, FEN, Chess960,
//	                              Clock; or loads game Number of PGN or of File
//	POST /api/pgn                 lists the games of PGN or of File
//	GET  /api/files               files of games of runs
//	GET  /api/games/{id}/events   server-sent events, each an update
//	GET  /api/games/{id}/pgn      the game as a file
//	POST /api/games/{id}/move     plays Move, which is for the position after Ply moves
//	POST /api/games/{id}/back     takes moves back to Ply, without it to the last position with a human to move
//	POST /api/games/{id}/seats    changes the players to White and Black
//	POST /api/games/{id}/pause    stops or continues the engines: Paused
//	POST /api/games/{id}/analyze  lets Player analyze position Ply, without it the last; "" ends the analysis
//	POST /api/games/{id}/review   lets Player analyze all positions; "" ends the review
//	POST /api/games/{id}/hurry    the engine plays at once
//	POST /api/games/{id}/resign   the human side resigns
//	POST /api/games/{id}/here     a page still shows the game
//
// Answers with another status than 2xx hold {"error": "..."}.

// request is the body of a POST. Each request uses some of its fields.
type request struct {
	Variant  string `json:"variant"`
	FEN      string `json:"fen"`      // of the start, "" for the variant's; of the position of a move, "" for any
	Chess960 *int   `json:"chess960"` // number of the start; -1: any
	White    seat   `json:"white"`
	Black    seat   `json:"black"`

	Clock *timeControl `json:"clock"` // null: none

	PGN    string `json:"pgn"`    // the text of a file
	File   string `json:"file"`   // of a run
	Number int    `json:"number"` // of a game of the file, from 1

	Ply    *int   `json:"ply"`  // moves before the position
	Move   string `json:"move"` // in UCI or SAN
	Paused bool   `json:"paused"`
	Player seat   `json:"player"`
}

func (q *request) seats() [2]seat { return [2]seat{q.White, q.Black} }

const (
	mostBytes = 8 << 10  // of most requests; the longest has a FEN
	mostPGN   = 16 << 20 // of a request with a file of games
)

// read reads the body of a request: one JSON value with known fields only.
func read(w http.ResponseWriter, r *http.Request, most int64) (*request, error) {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, most))
	d.DisallowUnknownFields()
	var q request
	err := d.Decode(&q)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("more than one value")
	}
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, problemf(http.StatusRequestEntityTooLarge, "the request has more than %d bytes", most)
	case err != nil:
		return nil, invalid("the request is not the expected JSON: %v", err)
	}
	return &q, nil
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
	if !g.known((&url.URL{Host: r.Host}).Hostname()) {
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
