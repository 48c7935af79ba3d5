package lab

import (
	"encoding/json"
	"math"

	"alamos/pkg/nn"
)

// EpochRow is a row of epochs.csv.
type EpochRow struct {
	Generation int   `json:"generation"`
	Epoch      int   `json:"epoch"` // over all generations
	Rate       float `json:"learning_rate"`
	Train      Loss  `json:"train"`
	Validation Loss  `json:"validation"` // NaN without held-out games
	Selected   bool  `json:"selected"`
}

// Loss is a loss and its parts.
type Loss struct {
	Total  float `json:"total"`
	Policy float `json:"policy"`
	Value  float `json:"value"`
}

// float is a number that JSON may hold as null: NaN.
type float float64

func (f float) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

func (f *float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = float(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(f))
}

func lossRow(l nn.Loss) Loss {
	return Loss{Total: float(l.Total), Policy: float(l.Policy), Value: float(l.Value)}
}

// epochs are the rows of generation g.
func (t *trial) epochs(g int) ([]EpochRow, error) {
	var rows []EpochRow
	return rows, t.manifest.stage(trainStage(g)).facts(&rows)
}

// selectedLoss is the loss of the epoch that a generation kept.
func selectedLoss(rows []EpochRow) float {
	for _, e := range rows {
		if e.Selected {
			if math.IsNaN(float64(e.Validation.Total)) {
				return e.Train.Total
			}
			return e.Validation.Total
		}
	}
	return float(math.NaN())
}
