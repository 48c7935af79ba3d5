package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// What the page asks:
//
//	GET  /api/setup               variants and players
//	POST /api/games               newGame: begins a game, answers with its id
//	GET  /api/games/{id}/events   server-sent events, each an update
//	GET  /api/games/{id}/pgn      the game as a file
//	POST /api/games/{id}/move     moveRequest
//	POST /api/games/{id}/back     backRequest
//	POST /api/games/{id}/seats    seatsRequest
//	POST /api/games/{id}/pause    pauseRequest
//	POST /api/games/{id}/analyze  analyzeRequest
//	POST /api/games/{id}/hurry    {}: the engine plays what it has found
//	POST /api/games/{id}/resign   {}: for the human side
//	POST /api/games/{id}/here     {}: somebody still looks at the game
//
// Answers other than those of status 2xx hold {"error": "..."}.

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

	// moveRequest plays a move, in UCI or SAN. Ply is how many were played before
	// it: a move for another position, as by a second click, is refused.
	moveRequest struct {
		Ply  int    `json:"ply"`
		Move string `json:"move"`
	}

	// backRequest takes moves back, to the position after Ply of them; without it, to
	// the last in which a human was to move.
	backRequest struct {
		Ply *int `json:"ply"`
	}

	seatsRequest struct {
		White seat `json:"white"`
		Black seat `json:"black"`
	}

	// pauseRequest lets engines wait.
	pauseRequest struct {
		Paused bool `json:"paused"`
	}

	// analyzeRequest lets a player think about a position while nobody else does, or
	// nobody ("").
	analyzeRequest struct {
		Player string `json:"player"`
		Ply    *int   `json:"ply"` // none: always the last
	}

	nothing struct{}
)

// mostBytes is room for the longest request, one with a FEN.
const mostBytes = 8 << 10

// decode reads a request: one JSON value, whose fields are all known.
func decode[T any](r io.Reader) (T, error) {
	var v T
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, fmt.Errorf("the request is not the JSON that is asked for: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v, fmt.Errorf("the request goes on after its JSON value")
	}
	return v, nil
}

// problem is an error with the status that tells of it.
type problem struct {
	status int
	text   string
}

func (p problem) Error() string { return p.text }

func problemf(status int, format string, args ...any) error {
	return problem{status, fmt.Sprintf(format, args...)}
}

// refused is a request that could not have worked.
func refused(format string, args ...any) error {
	return problemf(http.StatusBadRequest, format, args...)
}

// late is a request that came at the wrong time.
func late(format string, args ...any) error { return problemf(http.StatusConflict, format, args...) }
