package store

import (
	"encoding/json"
	"fmt"
	"os"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/stats"
)

// Question asks a checkpoint about a position: the network alone, or a search with it.
type Question struct {
	Position   string `json:"position"`   // "start" or a FEN
	Generation int    `json:"generation"` // 0: the untrained network
	Visits     int    `json:"visits"`     // of the search; 0: none
}

// Question returns the question of a figure of the kinds policy, tree and board to the
// trial as far as it has come. ok is false for other kinds.
func (t *Trial) Question(f *experiment.Figure) (q Question, ok bool) {
	switch f.Kind {
	case "policy", "tree", "board":
	default:
		return q, false
	}
	q = Question{Position: f.Position, Generation: t.Done(), Visits: f.Visits}
	if q.Position == "" {
		q.Position = "start"
	}
	if f.Generation != nil {
		q.Generation = *f.Generation
	}
	if f.Kind == "policy" {
		q.Visits = 0
	}
	return q, true
}

// Stage returns the name of the stage that answers the question.
func (q Question) Stage() string {
	if q.Visits == 0 {
		return fmt.Sprintf("position %s, policy of %s", q.Position, CheckpointName(q.Generation))
	}
	return fmt.Sprintf("position %s, %d visits of %s", q.Position, q.Visits, CheckpointName(q.Generation))
}

// File returns the path of the answer below the trial's folder.
func (q Question) File() string { return "figures/data/" + experiment.Hash(q)[:10] + ".json" }

// Answer is the evaluation of a position by a network, and by a search with it.
type Answer struct {
	FEN    string      `json:"fen"`
	Value  stats.Float `json:"value"`  // for the side to move, -1 to 1: of the network, or of the search
	Visits int         `json:"visits"` // 0: there was no search
	// Moves are all legal moves, the best first: by visits, or else by prior.
	Moves []MoveAnswer `json:"moves"`
	// Tree is the part of the search that was visited often enough to be shown: its
	// root, then every position after its parent.
	Tree []TreeNode `json:"tree,omitempty"`
}

// MoveAnswer is the evaluation of a move.
type MoveAnswer struct {
	UCI    string      `json:"uci"`
	SAN    string      `json:"san"`
	Prior  stats.Float `json:"prior"` // of the network, 0 to 1
	Visits int         `json:"visits"`
	Q      stats.Float `json:"q"` // mean value for the side that moves, -1 to 1; NaN without visits
}

// TreeNode is a position of a search.
type TreeNode struct {
	Parent int         `json:"parent"` // index; -1: this is the root
	Move   string      `json:"move"`   // in SAN, that leads to it
	Visits int         `json:"visits"`
	Prior  stats.Float `json:"prior"` // of the move
	Q      stats.Float `json:"q"`     // for the side that played the move
}

// Write writes the answer to a file.
func (a *Answer) Write(path string) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return disk.WriteBytes(path, append(b, '\n'))
}

// Answer returns what the trial has computed for a question, nil if it has not. A file
// that is not what the stage wrote is an error.
func (t *Trial) Answer(q Question) (*Answer, error) {
	s := t.Manifest.Stage(q.Stage())
	if s == nil || s.Inputs["network"] != t.CheckpointSum(q.Generation) {
		return nil, nil
	}
	path := t.Path(q.File())
	state, _, err := s.Verify(t.Dir)
	switch {
	case err != nil:
		return nil, err
	case state == FileMissing:
		return nil, nil
	case state == FileDamaged:
		return nil, damagedOutput(path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var a Answer
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &a, nil
}
