package play

import "alamos/pkg/chess"

// title is a variant's name for people, and goal what its rules add, in a few words.
func title(v chess.Variant) (title, goal string) {
	switch v {
	case chess.Atomic:
		return "Atomic", "captures explode"
	case chess.Antichess:
		return "Antichess", "lose everything"
	case chess.KingOfTheHill:
		return "King of the Hill", "king to the center"
	case chess.ThreeCheck:
		return "Three-check", "the third check wins"
	case chess.Horde:
		return "Horde", "36 pawns against an army"
	case chess.RacingKings:
		return "Racing Kings", "first to the last rank"
	case chess.Crazyhouse:
		return "Crazyhouse", "captured pieces come back"
	}
	return "Chess", "checkmate"
}

// ending says why a game is over, as a sentence.
func ending(o chess.Outcome, v chess.Variant) string {
	winner, loser := "White", "Black"
	if o.Result == chess.BlackWins {
		winner, loser = loser, winner
	}
	drawn := o.Result == chess.Draw
	switch o.Reason {
	case chess.Checkmate:
		return winner + " wins by checkmate."
	case chess.KingExploded:
		return winner + " wins: " + loser + "’s king has exploded."
	case chess.Stalemate:
		if drawn {
			return "Draw by stalemate."
		}
		return winner + " wins: it has no move left."
	case chess.Threefold:
		return "Draw: the position has occurred three times."
	case chess.FiftyMoves:
		return "Draw: fifty moves without a capture or a pawn’s move."
	case chess.InsufficientMaterial:
		return "Draw: neither side can win with what is left."
	case chess.MoveLimit:
		return "Draw: the game has become too long."
	case chess.Resignation:
		return winner + " wins: " + loser + " has resigned."
	case chess.KingInCenter:
		return winner + " wins: its king is on the hill."
	case chess.ThreeChecks:
		return winner + " wins with the third check."
	case chess.HordeDestroyed:
		return winner + " wins: the horde is destroyed."
	case chess.RaceFinished:
		if drawn {
			return "Draw: both kings have reached the eighth rank."
		}
		return winner + " wins the race."
	case chess.PiecesLost:
		return winner + " wins: it has lost all its pieces."
	}
	return o.String() + " in " + v.String()
}
