package experiment

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"testing"

	"alamos/pkg/stats"
)

// recorded is a table of finished trials: coordinates and validation losses.
type recorded []struct {
	at   []float64
	loss float64
}

// recordedTrials reads testdata/trials/losses.csv, the trials.csv of losses.yaml beside it.
func recordedTrials(t *testing.T) (draws, recorded) {
	t.Helper()
	e, err := Load("testdata/trials/losses.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/trials/losses.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d := e.sweep.Random.Draw
	table := make(recorded, len(rows)-1)
	for k, row := range rows[1:] {
		for i := range d {
			table[k].at = append(table[k].at, d[i].coordinate(row[i]))
		}
		table[k].loss = number(row[len(d)])
	}
	return d, table
}

// loss is that of the recorded trial that is nearest to a point.
func (r recorded) loss(at []float64) float64 {
	best, nearest := 0.0, math.Inf(1)
	for _, o := range r {
		d := 0.0
		for i := range at {
			d += (at[i] - o.at[i]) * (at[i] - o.at[i])
		}
		if d < nearest {
			best, nearest = o.loss, d
		}
	}
	return best
}

// search returns the lowest loss of a random search, or of one by TPE in batches.
func (r recorded) search(d draws, seed uint64, tpe bool) float64 {
	const trials, startup, batch = 40, 8, 4
	var points, proposed [][]float64
	var gains []float64
	axes := d.axes(trials, seed)
	for i := range trials {
		var point combination
		if i < startup || !tpe {
			for _, a := range axes {
				point = append(point, a.values[i])
			}
		} else {
			point = d.candidates(points, gains, proposed, stats.NewRand(stats.Derive(seed, i)))[0]
		}
		if proposed = append(proposed, d.coordinates(point)); len(proposed) == batch {
			for _, at := range proposed {
				points, gains = append(points, at), append(gains, -r.loss(at))
			}
			proposed = nil
		}
	}
	return -slices.Max(gains)
}

// On trials of a real network, TPE finds a lower loss than a random search with as many
// trials, in the median of 20 seeds.
func TestTPEBeatsRandomSearch(t *testing.T) {
	d, table := recordedTrials(t)
	var random, proposed []float64
	for seed := range uint64(20) {
		random, proposed = append(random, table.search(d, seed, false)), append(proposed, table.search(d, seed, true))
	}
	median := func(x []float64) float64 { slices.Sort(x); return (x[len(x)/2-1] + x[len(x)/2]) / 2 }
	tpe, other := median(proposed), median(random)
	t.Logf("median of the lowest loss: TPE %.4f, random search %.4f", tpe, other)
	if tpe >= other {
		t.Errorf("median of the lowest loss: TPE %.4f, random search %.4f", tpe, other)
	}
}
