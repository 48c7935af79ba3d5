package lichess

import (
	"fmt"
	"slices"

	"alamos/pkg/chess"
)

// What lichess sends, as far as it matters here. Unknown fields and types are not
// errors: there are more every year.

type account struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Title    string `json:"title"`
}

type event struct {
	Type      string    `json:"type"` // "gameStart", "gameFinish", "challenge", "challengeCanceled", "challengeDeclined"
	Game      eventGame `json:"game"`
	Challenge challenge `json:"challenge"`
}

type eventGame struct {
	ID     string `json:"id"`
	GameID string `json:"gameId"`
}

// id is the game's, which has had two names.
func (g *eventGame) id() string {
	if g.GameID != "" {
		return g.GameID
	}
	return g.ID
}

type challenge struct {
	ID          string      `json:"id"`
	Status      string      `json:"status"`
	Challenger  user        `json:"challenger"`
	Variant     variantKey  `json:"variant"`
	Rated       bool        `json:"rated"`
	Speed       string      `json:"speed"`
	TimeControl timeControl `json:"timeControl"`
	InitialFEN  string      `json:"initialFen"`
}

type user struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Title  string `json:"title"` // "BOT" for bots
	Rating int    `json:"rating"`
}

type variantKey struct {
	Key string `json:"key"`
}

type timeControl struct {
	Type      string `json:"type"` // "clock", "correspondence", "unlimited"
	Limit     int    `json:"limit"`
	Increment int    `json:"increment"` // both in seconds
}

// gameFull is the first message of a game, and gameState those that follow.
type gameFull struct {
	ID         string     `json:"id"`
	Variant    variantKey `json:"variant"`
	White      user       `json:"white"`
	Black      user       `json:"black"`
	InitialFEN string     `json:"initialFen"`
	State      gameState  `json:"state"`
}

type gameState struct {
	Moves  string `json:"moves"` // all, in UCI notation
	WTime  int64  `json:"wtime"` // milliseconds, as the increments
	BTime  int64  `json:"btime"`
	WInc   int64  `json:"winc"`
	BInc   int64  `json:"binc"`
	Status string `json:"status"` // "started", or how it ended
	Winner string `json:"winner"` // "white", "black" or ""
	WDraw  bool   `json:"wdraw"`  // White offers a draw
	BDraw  bool   `json:"bdraw"`
}

type gameMessage struct {
	Type string `json:"type"` // "gameFull", "gameState", "chatLine", "opponentGone"
	gameFull
	gameState
	Gone  bool `json:"gone"` // opponentGone
	Claim *int `json:"claimWinInSeconds"`
}

// variants are the names that lichess has for them.
var variants = map[string]chess.Variant{
	"standard": chess.Standard, "chess960": chess.Standard, "fromPosition": chess.Standard,
	"atomic": chess.Atomic, "antichess": chess.Antichess, "kingOfTheHill": chess.KingOfTheHill, "threeCheck": chess.ThreeCheck,
	"horde": chess.Horde, "racingKings": chess.RacingKings, "crazyhouse": chess.Crazyhouse,
}

// parseVariant reads the name of a variant.
func parseVariant(key string) (chess.Variant, error) {
	v, known := variants[key]
	if !known {
		return 0, fmt.Errorf("no variant of ours is called %q", key)
	}
	return v, nil
}

// start is the position in which a game begins.
func (g *gameFull) start() (chess.Position, error) {
	v, err := parseVariant(g.Variant.Key)
	if err != nil {
		return chess.Position{}, err
	}
	if g.InitialFEN == "" || g.InitialFEN == "startpos" {
		return chess.StartPosition(v), nil
	}
	return chess.ParseFEN(v, g.InitialFEN)
}

// over tells whether a status is an end.
func over(status string) bool { return !slices.Contains([]string{"created", "started"}, status) }
