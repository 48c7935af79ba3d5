package store

import (
	"math"

	"alamos/pkg/stats"
)

// Epoch is a row of epochs.csv.
type Epoch struct {
	Generation int         `json:"generation"`
	Epoch      int         `json:"epoch"` // over all generations
	Rate       stats.Float `json:"learning_rate"`
	Train      Loss        `json:"train"`
	Validation Loss        `json:"validation"` // NaN without held-out games
	// Accuracy is nil where it was not measured: without held-out games, without a
	// policy, or before it was.
	Accuracy *Accuracy `json:"accuracy,omitempty"`
	Selected bool      `json:"selected"`
}

// Accuracy is the share of the held-out positions whose best move, the one played
// or visited most, the policy has first, or among its first five.
type Accuracy struct {
	Top1 float64 `json:"top1"`
	Top5 float64 `json:"top5"`
}

// Loss is a loss and its parts.
type Loss struct {
	Total  stats.Float `json:"total"`
	Policy stats.Float `json:"policy"`
	Value  stats.Float `json:"value"`
	// MovesLeft is 0 where the network has no such head.
	MovesLeft stats.Float `json:"moves_left,omitempty"`
}

// SelectedLoss is the loss of the epoch that a generation kept.
func SelectedLoss(rows []Epoch) stats.Float { return KeptLoss(rows).Total }

// KeptLoss is the loss of the epoch that a generation kept and its parts: on
// held-out games, or in training where none are held out.
func KeptLoss(rows []Epoch) Loss {
	e := kept(rows)
	switch {
	case e == nil:
		return Loss{Total: stats.Float(nan), Policy: stats.Float(nan), Value: stats.Float(nan)}
	case math.IsNaN(float64(e.Validation.Total)):
		return e.Train
	}
	return e.Validation
}

// KeptAccuracy is the accuracy of the epoch that a generation kept, or nil.
func KeptAccuracy(rows []Epoch) *Accuracy {
	if e := kept(rows); e != nil {
		return e.Accuracy
	}
	return nil
}

// kept is the epoch that a generation kept, or nil.
func kept(rows []Epoch) *Epoch {
	for i := range rows {
		if rows[i].Selected {
			return &rows[i]
		}
	}
	return nil
}
