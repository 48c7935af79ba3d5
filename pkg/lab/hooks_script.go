package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/hook"
	"alamos/pkg/hook/alamos"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// read reads a script that was hashed when the experiment was loaded.
func read(file, sum string) (*hook.Hook, error) {
	script, err := hook.Read(file)
	if err == nil && script.SHA256() != sum {
		err = fmt.Errorf("%s was changed while this ran: run again", file)
	}
	return script, err
}

// open begins a session of a script, with as many processes as calls are made
// beside each other. What the script prints goes to log, which may be nil.
func (r *run) open(file, sum string, processes int, log io.Writer) (*hook.Session, error) {
	script, err := read(file, sum)
	if err != nil {
		return nil, err
	}
	return script.Open(hook.Limits{Time: r.HookTime, Processes: processes, Log: log}), nil
}

// openScript is open for a script that decides results.
func (r *run) openScript(s *experiment.Script, processes int) (*hook.Session, error) {
	return r.open(s.File, s.SHA256, processes, nil)
}

// mostPrinted is how many lines of what a script prints are shown.
const mostPrinted = 20

// tellPrinted shows what a script has printed in a call.
func (t *trial) tellPrinted(name, text string) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if text == "" {
		return
	}
	for i, line := range lines {
		if i == mostPrinted {
			t.Reporter.Note(fmt.Sprintf("%s: and %d more lines", name, len(lines)-mostPrinted))
			break
		}
		t.Reporter.Note(name + ": " + line)
	}
}

// progress is what a script is told when generation g is trained: of what came
// before.
func (t *trial) progress(g int) (hook.Progress, error) {
	s := &t.Settings
	p := hook.Progress{
		Variant: t.variant.String(), Generation: g, Generations: s.Generations,
		EpochsEach: s.Training.Epochs, Initial: s.Training.Schedule.Initial,
	}
	for i := 1; i < g; i++ {
		row, err := t.Generation(i)
		if err != nil {
			return p, err
		}
		epochs, err := t.Epochs(i)
		if err != nil {
			return p, err
		}
		p.Past = append(p.Past, alamos.Summary{
			Generation: i, Games: row.Games, Samples: row.Samples, WhiteWins: row.WhiteWins, Draws: row.Draws, BlackWins: row.BlackWins,
			MeanPlies: row.MeanPlies(), Loss: float64(store.SelectedLoss(epochs)),
		})
		for _, e := range epochs {
			p.Epochs = append(p.Epochs, alamos.Epoch{
				Generation: i, Number: e.Epoch, Rate: float64(e.Rate),
				Train: toldLoss(e.Train), Validation: toldLoss(e.Validation), Selected: e.Selected,
			})
		}
	}
	return p, nil
}

func toldLoss(l store.Loss) alamos.Loss {
	return alamos.Loss{Total: float64(l.Total), Policy: float64(l.Policy), Value: float64(l.Value)}
}

// told is the progress with epochs of the generation in training.
func told(p hook.Progress, done []train.Epoch) hook.Progress {
	p.Epochs = p.Epochs[:len(p.Epochs):len(p.Epochs)]
	for _, e := range done {
		p.Epochs = append(p.Epochs, alamos.Epoch{
			Generation: p.Generation, Number: e.Number, Rate: e.Rate,
			Train: alamos.Loss(e.Train), Validation: alamos.Loss(e.Validation),
		})
	}
	return p
}

// progressSum is the hash of a progress, for the inputs of a stage.
func progressSum(p hook.Progress) string {
	h := sha256.New()
	fmt.Fprintf(h, "%+v", p) // maps are printed in the order of their keys
	return hex.EncodeToString(h.Sum(nil))
}

// scored are the scores of a game as a script sees them: from the view of White,
// NaN where there is none.
func scored(plies int, whiteFirst bool, score func(ply int) (float64, bool)) []float64 {
	out := make([]float64, plies)
	for i := range out {
		x, ok := score(i)
		switch {
		case !ok:
			x = math.NaN()
		case (i%2 == 0) != whiteFirst:
			x = -x
		}
		out[i] = x
	}
	return out
}
