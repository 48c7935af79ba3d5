package hook

import (
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/hook/alamos"
)

// Parent and child speak gob, a stream in each direction. The parent sends a
// script, and the child answers which functions it has; then a call, and the
// child answers with a result or a fault. In between the child may ask questions
// about a checkpoint, each of which the parent answers.

// order is a message to the child; one field is set.
type order struct {
	Script *source
	Call   *call
	Reply  *reply
}

// source is the script that a child is for.
type source struct {
	Path   string
	Text   []byte
	Time   time.Duration // of a call
	Memory int64
}

// call says which function is called, and with what.
type call struct {
	Function   string
	Generation Generation
	Checkpoint checkpoint
	Positions  []position
	Games      []Game
	Progress   Progress
}

// checkpoint is an alamos.Checkpoint without its functions.
type checkpoint struct {
	Generation int
	Variant    string
	Samples    int
}

// position is an alamos.Position.
type position struct{ Variant, FEN string }

// wirePositions writes positions for the wire.
func wirePositions(all []chess.Position) []position {
	out := make([]position, len(all))
	for i := range all {
		out[i] = position{all[i].Variant().String(), all[i].FEN()}
	}
	return out
}

// report is a message from the child.
type report struct {
	Question *question // the child waits for a reply

	// Otherwise the call, or the script, is done.
	Fault     *Error
	Functions []string // of the script

	Metrics Metrics
	Numbers []float64
	Texts   []string
	Stop    bool
}

// question asks about positions: the network alone, or the search.
type question struct {
	Positions []position
	Search    bool
	Visits    int
}

// reply is the answer to a question.
type reply struct {
	Evaluations []alamos.Evaluation
	Searches    []alamos.SearchResult
	Refusal     string // why there is none
}
