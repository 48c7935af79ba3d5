package lichess

import (
	"fmt"
	"slices"

	"alamos/pkg/chess"
)

// The parts of lichess' messages that matter here. Unknown fields and types are not
// errors: lichess adds more every year.

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

// eventGame is a game. The field with its id has two names.
type eventGame struct {
	ID     string `json:"id"`
	GameID string `json:"gameId"`
}

type challenge struct {
	ID          string      `json:"id"`
	Challenger  user        `json:"challenger"`
	Variant     variantKey  `json:"variant"`
	Rated       bool        `json:"rated"`
	Speed       string      `json:"speed"`
	TimeControl timeControl `json:"timeControl"`
	InitialFEN  string      `json:"initialFen"`
}

type user struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Title string `json:"title"` // "BOT" for bots
}

type variantKey struct {
	Key string `json:"key"`
}

type timeControl struct {
	Type      string `json:"type"` // "clock", "correspondence", "unlimited"
	Limit     int    `json:"limit"`
	Increment int    `json:"increment"` // both in seconds
}

// gameFull is the first message of a game, and gameState the later ones.
type gameFull struct {
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
}

type gameMessage struct {
	Type string `json:"type"` // "gameFull", "gameState", "chatLine", "opponentGone"
	gameFull
	gameState
	Gone  bool `json:"gone"` // opponentGone
	Claim *int `json:"claimWinInSeconds"`
}

// variants has our variants by lichess' names.
var variants = map[string]chess.Variant{
	"standard": chess.Standard, "chess960": chess.Standard, "fromPosition": chess.Standard,
	"atomic": chess.Atomic, "antichess": chess.Antichess, "kingOfTheHill": chess.KingOfTheHill, "threeCheck": chess.ThreeCheck,
	"horde": chess.Horde, "racingKings": chess.RacingKings, "crazyhouse": chess.Crazyhouse,
}

// parseVariant reads lichess' name of a variant.
func parseVariant(key string) (chess.Variant, error) {
	v, known := variants[key]
	if !known {
		return 0, fmt.Errorf("there is no variant %q", key)
	}
	return v, nil
}

// start returns the position in which a game begins.
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

// over reports whether a status is an end.
func over(status string) bool { return !slices.Contains([]string{"created", "started"}, status) }
