package store

import (
	"encoding/json"
	"math"
)

// Epoch is a row of epochs.csv.
type Epoch struct {
	Generation int   `json:"generation"`
	Epoch      int   `json:"epoch"` // over all generations
	Rate       Float `json:"learning_rate"`
	Train      Loss  `json:"train"`
	Validation Loss  `json:"validation"` // NaN without held-out games
	Selected   bool  `json:"selected"`
}

// Loss is a loss and its parts.
type Loss struct {
	Total  Float `json:"total"`
	Policy Float `json:"policy"`
	Value  Float `json:"value"`
}

// Float is a number that JSON may hold as null, as it does NaN and the infinities. It
// is read back as NaN.
type Float float64

func (f Float) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

func (f *Float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Float(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(f))
}

// SelectedLoss is the loss of the epoch that a generation kept.
func SelectedLoss(rows []Epoch) Float { return KeptLoss(rows).Total }

// KeptLoss is the loss of the epoch that a generation kept and its parts: on
// held-out games, or in training where none are held out.
func KeptLoss(rows []Epoch) Loss {
	for _, e := range rows {
		if e.Selected {
			if math.IsNaN(float64(e.Validation.Total)) {
				return e.Train
			}
			return e.Validation
		}
	}
	return Loss{Float(nan), Float(nan), Float(nan)}
}
