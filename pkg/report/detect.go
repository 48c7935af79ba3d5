package report

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/gonum/stat"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Detection says how many seeds and games a sweep needs to show a difference between two of its
// settings. It extrapolates from the Elo of earlier trials.
type Detection struct {
	Difference float64 `json:"difference"` // to show, Elo
	Pairs      int     `json:"pairs"`      // of settings that are compared, for which the level is corrected
	Trials     int     `json:"trials"`     // earlier trials of settings with several seeds
	Settings   int     `json:"settings"`   // of these trials
	Games      int     `json:"games"`      // that such a trial's last network played, on average
	// The standard deviations of a trial's Elo: between seeds, and from these games alone.
	BetweenSeeds float64 `json:"between_seeds"`
	OfGames      float64 `json:"of_games"`
	Needs        []Need  `json:"needs"`
}

// Need is a number of games of each trial's last network, and the number of seeds of each
// setting that then suffices.
type Need struct {
	Games int `json:"games"`
	Seeds int `json:"seeds"`
}

// power is the probability with which a difference is to be found if it exists.
const power = 0.8

// errNoSeeds says that earlier runs do not show how much seeds differ.
var errNoSeeds = errors.New("no setting has the Elo of two seeds yet, so it is not known how much seeds differ: run the experiment with sweep.seeds: 2 and a tournament first")

// Detect computes what shows a difference, in Elo, between two of the experiment's settings.
func (r *Report) Detect(difference float64) (*Detection, error) {
	settings := map[string]bool{}
	for i := range r.Experiment.Trials {
		settings[r.Experiment.Trials[i].Group] = true
	}
	d := &Detection{Difference: difference, Pairs: max(1, len(settings)*(len(settings)-1)/2)}
	var squares, free, noise, games float64
	for _, g := range store.Groups(finalists(r.Trials)) {
		rated := slices.DeleteFunc(slices.Clone(g.Trials), func(t *store.Trial) bool {
			return !t.Measure("elo").Known() || t.Played() == 0
		})
		if len(rated) < 2 {
			continue
		}
		values := make([]float64, len(rated))
		for i := range rated {
			elo := rated[i].Measure("elo")
			values[i] = elo.Value
			deviation := (elo.High - elo.Low) / (2 * stats.Normal95)
			noise += deviation * deviation
			games += float64(rated[i].Played())
		}
		d.Trials += len(rated)
		freedom := float64(len(values) - 1)
		squares += freedom * stat.Variance(values, nil)
		free += freedom
		d.Settings++
	}
	if free == 0 {
		return nil, errNoSeeds
	}
	noise /= float64(d.Trials)
	between := max(0, squares/free-noise)
	d.Games = int(math.Round(games / float64(d.Trials)))
	d.BetweenSeeds, d.OfGames = math.Sqrt(between), math.Sqrt(noise)
	for _, factor := range []float64{1, 2, 4, 16} {
		deviation := math.Sqrt(between + noise/factor)
		seeds := stats.SampleSize(difference, deviation, stats.Alpha/float64(d.Pairs), power)
		d.Needs = append(d.Needs, Need{Games: int(math.Round(factor * float64(d.Games))), Seeds: seeds})
	}
	return d, nil
}

// Text returns the detection as a sentence and a table.
func (d *Detection) Text() (string, Table) {
	t := Table{Columns: []Column{number("games of each last network", ""), number("seeds of each setting", "")}}
	for _, n := range d.Needs {
		t.Rows = append(t.Rows, Row(grouped(float64(n.Games), 0), grouped(float64(n.Seeds), 0)))
	}
	text := fmt.Sprintf("To show a difference of %s Elo with a probability of %.0f %% (Welch's test at 5 %%", fourDigits(d.Difference), 100*power)
	if d.Pairs > 1 {
		text += fmt.Sprintf(", corrected for %d pairs of settings", d.Pairs)
	}
	text += fmt.Sprintf("). The Elo of %s of %s varied by %s between seeds and by %s from %d games each (standard deviations).",
		english.Plural(d.Trials, "trial", ""), english.Plural(d.Settings, "setting", ""), fourDigits(math.Round(d.BetweenSeeds)), fourDigits(math.Round(d.OfGames)), d.Games)
	return text, t
}
