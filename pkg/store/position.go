package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/stats"
)

// Position is a position to evaluate with a checkpoint, by the network alone or by a
// search.
type Position struct {
	Position   string `json:"position"`      // "start" or a FEN
	Generation int    `json:"generation"`    // 0: the untrained network
	Visits     int    `json:"visits"`        // of the search; 0: none
	All        bool   `json:"all,omitempty"` // with what the policy says of illegal moves
}

// Position returns the position of a figure of kind policy, tree or board. The default
// generation is the last finished one, the default visits are those of the trial's tournament. ok is false for other kinds.
func (t *Trial) Position(f *experiment.Figure) (q Position, ok bool) {
	if !slices.Contains([]string{"policy", "tree", "board"}, f.Kind) {
		return q, false
	}
	q = Position{Position: cmp.Or(f.Position, "start"), Generation: t.Done(), Visits: cmp.Or(f.Visits, t.Declared.Settings.Tournament.Search.Visits)}
	if f.Generation != nil {
		q.Generation = *f.Generation
	}
	if f.Kind == "policy" {
		q.Visits, q.All = 0, f.Boards == experiment.MoveBoards
	}
	return q, true
}

// Stage returns the name of the stage that evaluates the position.
func (q Position) Stage() string {
	if q.All {
		return fmt.Sprintf("position %s, all moves of the policy of %s", q.Position, CheckpointName(q.Generation))
	}
	if q.Visits == 0 {
		return fmt.Sprintf("position %s, policy of %s", q.Position, CheckpointName(q.Generation))
	}
	return fmt.Sprintf("position %s, %d visits of %s", q.Position, q.Visits, CheckpointName(q.Generation))
}

// File returns the path of the result, relative to the trial's folder.
func (q Position) File() string { return "figures/data/" + experiment.Hash(q)[:10] + ".json" }

// PositionResult is the evaluation of a position by a network or by a search.
type PositionResult struct {
	Variant string      `json:"variant"`
	FEN     string      `json:"fen"`
	Value   stats.Float `json:"value"`  // of the network or of the search, for the side to move, -1 to 1
	Visits  int         `json:"visits"` // 0: no search
	Depth   int         `json:"depth"`  // length of the longest line, in plies
	// Moves has all legal moves, best first: by visits, or by prior without a search.
	Moves []MoveResult `json:"moves"`
	// All has the prior of each index of the policy before a mask, if that was asked for.
	All []stats.Float `json:"all,omitempty"`
	// Tree has the nodes with enough visits to be shown: the root first, and every node
	// after its parent.
	Tree []TreeNode `json:"tree,omitempty"`
}

type MoveResult struct {
	UCI    string      `json:"uci"`
	SAN    string      `json:"san"`
	Prior  stats.Float `json:"prior"` // of the network, 0 to 1
	Visits int         `json:"visits"`
	Q      stats.Float `json:"q"` // mean value for the side to move, -1 to 1; NaN without visits

	// The following are of alamos analyze only.
	Share stats.Float `json:"share,omitempty"` // fraction of the visits, 0 to 1; NaN without visits
	WDL   *[3]float64 `json:"wdl,omitempty"`   // after this move; only with visits
	Exact bool        `json:"exact,omitempty"` // Q is a proven result
	Line  []string    `json:"line,omitempty"`  // the expected moves in SAN, beginning with this one
}

// TreeNode is a node of a search tree.
type TreeNode struct {
	Parent int         `json:"parent"` // index; -1 for the root
	Move   string      `json:"move"`   // in SAN, from the parent
	Visits int         `json:"visits"`
	Prior  stats.Float `json:"prior"` // of the move
	Q      stats.Float `json:"q"`     // for the side that played Move
}

func (a *PositionResult) Write(path string) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return disk.WriteBytes(path, append(b, '\n'))
}

// PositionResult returns the stored result of a position, or nil if there is none for the present
// checkpoint. A damaged file is an error.
func (t *Trial) PositionResult(q Position) (*PositionResult, error) {
	s := t.Manifest.Stage(q.Stage())
	if s == nil || s.Inputs["network"] != t.CheckpointSum(q.Generation) {
		return nil, nil
	}
	b, err := t.ReadOutput(q.Stage(), q.File())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var a PositionResult
	if err := json.Unmarshal(b, &a); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Path(q.File()), err)
	}
	return &a, nil
}
