package chess

import (
	"fmt"
	"slices"
)

// Result is the score of a game from White's view.
type Result int8

// The results. The zero value is a draw; a game that is not over is Unfinished.
const (
	BlackWins  Result = -1
	Draw       Result = 0
	WhiteWins  Result = 1
	Unfinished Result = 2
)

// Win is the result when side c wins.
func Win(c Color) Result {
	if c == White {
		return WhiteWins
	}
	return BlackWins
}

// String returns "1-0", "1/2-1/2", "0-1" or "*", as in PGN.
func (r Result) String() string {
	switch r {
	case WhiteWins:
		return "1-0"
	case Draw:
		return "1/2-1/2"
	case BlackWins:
		return "0-1"
	}
	return "*"
}

// ParseResult reads a result as [Result.String] writes it.
func ParseResult(s string) (Result, error) {
	for r := BlackWins; r <= Unfinished; r++ {
		if r.String() == s {
			return r, nil
		}
	}
	return Unfinished, fmt.Errorf("result %q: want 1-0, 1/2-1/2, 0-1 or *", s)
}

// Reason says why a game is over.
type Reason uint8

// The reasons. Those up to InsufficientMaterial and those from KingInCenter are
// found by [Game.Outcome]; the others are for programs that run games.
const (
	NoReason             Reason = iota // the game is not over
	Checkmate                          // the side to move is in check and has no move
	KingExploded                       // a royal piece, in atomic chess or by rules of a file
	Stalemate                          // the side to move has no move and is not in check; it wins in antichess
	Threefold                          // the position has occurred three times, or as often as the rules say
	FiftyMoves                         // a hundred plies, or as many as the rules say, without capture or pawn move
	InsufficientMaterial               // neither side can win
	MoveLimit                          // longer than the experiment allows
	Resignation
	TimeForfeit
	IllegalMove
	EngineCrash   // the engine's process ended
	EngineStall   // the engine sent no move
	EngineGarbage // the engine sent something that is not a move
	Adjudication
	KingInCenter   // in king of the hill
	ThreeChecks    // in three-check
	HordeDestroyed // in horde: White has no piece left
	RaceFinished   // in racing kings: one king, or both, on the eighth rank
	PiecesLost     // in antichess: the side to move has none, and wins
	GoalReached    // in rules made by Define: a piece on a square that wins
	Extinction     // in rules made by Define: a side has lost pieces that it needs
	CheckLimit     // in rules made by Define: the last of the checks that win
)

var reasonNames = [...]string{
	"ongoing", "checkmate", "king_exploded", "stalemate", "threefold", "fifty_moves",
	"insufficient_material", "move_limit", "resignation", "time_forfeit", "illegal_move",
	"engine_crash", "engine_stall", "engine_garbage", "adjudication",
	"king_in_center", "three_checks", "horde_destroyed", "race_finished", "pieces_lost",
	"goal_reached", "extinction", "check_limit",
}

// String returns the reason in snake case, as in data files.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// ParseReason reads a reason as [Reason.String] writes it.
func ParseReason(s string) (Reason, error) {
	if i := slices.Index(reasonNames[:], s); i >= 0 {
		return Reason(i), nil
	}
	return NoReason, fmt.Errorf("reason %q is unknown", s)
}

// Outcome is a result with its reason. The outcome of a game that is not over is
// {Unfinished, NoReason}.
type Outcome struct {
	Result Result
	Reason Reason
}

// Over reports whether the game has ended, for whatever reason.
func (o Outcome) Over() bool { return o.Reason != NoReason }

// String returns both: "1-0 checkmate".
func (o Outcome) String() string { return o.Result.String() + " " + o.Reason.String() }

// Wins reports whether the legal move m ends the game at once with a win for the side
// that plays it, by mate or by the variant's own rule.
func (p *Position) Wins(m Move) bool {
	q := *p
	q.Play(m)
	if !q.InCheck() && !q.mayHaveEnded() && (q.variant != Horde || q.color[q.turn&1] != 0) {
		return false // nothing else ends a game with a win
	}
	var l MoveList
	q.LegalMoves(&l)
	return q.Ended(&l).Result == Win(p.turn)
}

// Ended reports whether the position itself ends the game: by mate, by stalemate,
// or by the variant's own rule. Draws by material, clock and repetition are left
// to [Game.Outcome]. The caller passes the legal moves, which it needs anyway
// if the game is not over.
func (p *Position) Ended(l *MoveList) Outcome {
	if b := p.variant.book(); b != nil {
		return b.ended(p, l)
	}
	if l.n > 0 {
		return Outcome{Unfinished, NoReason} // a decided game has no moves
	}
	us, them := p.turn, p.turn.Other()
	switch p.variant {
	case Atomic:
		if p.King(us) == NoSquare {
			return Outcome{Win(them), KingExploded}
		}
	case Antichess:
		if p.color[us] == 0 {
			return Outcome{Win(us), PiecesLost}
		}
		return Outcome{Win(us), Stalemate}
	case KingOfTheHill:
		if p.Pieces(them, King)&hill != 0 {
			return Outcome{Win(them), KingInCenter}
		}
	case ThreeCheck:
		if p.checks[them] == 0 {
			return Outcome{Win(them), ThreeChecks}
		}
	case Horde:
		if p.color[us] == 0 {
			return Outcome{Win(them), HordeDestroyed}
		}
	case RacingKings:
		switch there := p.kind[King] & rank8; {
		case there == 0:
		case there&p.color[White] == 0:
			return Outcome{BlackWins, RaceFinished}
		case there&p.color[Black] == 0:
			return Outcome{WhiteWins, RaceFinished}
		default:
			return Outcome{Draw, RaceFinished}
		}
	}
	if p.InCheck() {
		return Outcome{Win(them), Checkmate}
	}
	return Outcome{Draw, Stalemate}
}
