package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"alamos/pkg/config"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// Rules for selecting the epoch to keep.
const (
	SelectLowest = "lowest-validation-loss" // the rule of the thesis, see Run
	SelectLast   = "last"
)

// patienceOfRise is the value of Config.PatienceOf that is not its default.
const patienceOfRise = "rise"

// CarryWeights means that a generation continues with the weights alone.
const CarryWeights = "weights"

// Config holds the training settings. Its tags define the keys of experiment files, see
// package config. [Run] ignores Window, Optimizer, Micro, Loss, Carry and ValueTarget: its caller
// makes the window, the trainer and Values from them.
type Config struct {
	Epochs      int             `key:"epochs" default:"10" range:"1..100000" unit:"epochs" doc:"Number of epochs in each generation."`
	Batch       int             `key:"batch" default:"256" range:"1..1000000" unit:"positions" doc:"Highest number of positions in a training step. An epoch has as few steps as possible, whose numbers of positions differ by at most one."`
	Micro       int             `key:"micro_batches" default:"1" range:"1..1024" unit:"micro-batches" doc:"Number of equal parts of each batch whose gradients are computed one after the other, or by several devices, and added in their order (gradient accumulation). Activations take the memory of one part. Batch norm takes the statistics of each part alone, as if the batch were smaller (ghost batch norm, Hoffer et al. 2017), and its running statistics move by their mean. Any number of equal devices, or of threads of a processor, gives the same weights; at most this many are used."`
	Window      int             `key:"window" default:"1" range:"1.." unit:"generations" flags:"ramps" doc:"Length of the replay window: the network trains on the games of this many generations, the newest included."`
	Validation  float64         `key:"validation" default:"0.2" range:"0..<1" doc:"Fraction of the games that is held out to measure the validation loss."`
	HeldOut     string          `key:"held_out" default:"games" enum:"games positions" when:"validation!=0" doc:"What validation holds out: whole games, or single positions, as the programs of ChessMarro and the minimax paper do. Positions of a game resemble each other, so a loss on single positions does not show how the network does on new games."`
	Select      string          `key:"select" default:"lowest-validation-loss" enum:"lowest-validation-loss last" doc:"Which epoch's network a generation keeps. lowest-validation-loss keeps the best one, or the last one if none is better than the previous generation's network."`
	Optimizer   nn.Optimizer    `key:"optimizer" doc:"The optimizer."`
	Schedule    Schedule        `key:"schedule" doc:"The schedule of the learning rate."`
	Loss        nn.LossSettings `key:"loss" doc:"Weights of the parts of the loss."`
	Patience    int             `key:"patience" default:"0" range:"0..100000" unit:"epochs" doc:"Early stopping: the training of a generation ends after this many consecutive epochs without a better validation loss (see patience_of). 0 means no early stopping."`
	PatienceOf  string          `key:"patience_of" default:"best" enum:"best rise" when:"patience!=0" doc:"Which epochs patience counts. best: those without a new lowest validation loss. rise: those whose validation loss is higher than in the epoch before, as in the program of the minimax paper."`
	Mirror      bool            `key:"mirror" default:"false" doc:"Mirror augmentation: in every epoch a random half of the training positions in which neither side may castle is reflected, a-file to h-file. But for castling, the rules of every variant are the same for the reflected position, so there is twice as much to learn from."`
	Carry       string          `key:"carry" default:"all" enum:"all weights" doc:"What a generation continues with: all is weights, optimizer and schedule; weights starts optimizer and schedule again."`
	Average     *Average        `key:"average" flags:"optional" doc:"Average of the weights of many steps, which plays and is validated instead of the last weights, while training continues with those (Izmailov et al. 2018; KataGo and Leela Chess Zero play averages too). It removes the noise of the last steps, as a lower learning rate would. If absent, the last weights play."`
	ValueTarget *ValueTarget    `key:"value_target" flags:"optional" doc:"Second target of the value, besides that of the samples: results of games, or what selfplay.value_mix makes of them."`

	// Values, if not nil, replaces the results as value targets: one for each sample of the
	// window, held-out ones included, with the view and range of [encode.Sample.Value].
	Values []float32
}

// SplitsPositions reports whether single positions are held out.
func (c *Config) SplitsPositions() bool { return c.HeldOut == "positions" }

// ValueTarget mixes a script's evaluation of positions into the value target.
type ValueTarget struct {
	Script config.File `key:"file" ext:".go" flags:"required" doc:"Go script that evaluates positions, from -1 to 1 for the side to move."`
	Weight float64     `key:"weight" default:"0.5" range:"0..1" doc:"Fraction of the script's evaluation in the target. The rest is the value of the sample: the result of the game, or its mixture with the search's value (selfplay.value_mix)."`
}

// Average defines an exponential moving average of the weights.
type Average struct {
	Every int     `key:"every" default:"2500" range:"1.." unit:"samples" doc:"Number of samples between two weights that are averaged."`
	Decay float64 `key:"decay" default:"0.9" range:"0..<1" doc:"Weight of the previous average in each new one: the average is over the last 1/(1 - decay) weights, about. The first ones are averaged equally."`
}

// State is what one generation's training passes to the next.
type State struct {
	Schedule ScheduleState `json:"schedule"`
	// LastLoss is the validation loss of the previous generation's selected epoch. It is 0
	// before the first generation.
	LastLoss float64 `json:"last_loss"`
	// Before is the number of epochs before the current schedule began, see Restarted.
	// Epoch numbers count all generations.
	Before int `json:"before,omitempty"`
	// Average is the average of the weights, with its own statistics of batch norm. It is
	// nil before the first generation and without Config.Average. It is not part of the JSON.
	Average nn.Tensors `json:"-"`
}

// Restarted returns the state of a generation that takes only the weights from the previous
// one. Its schedule starts again as in the first generation, and its trainer has no
// optimizer state.
func (s State) Restarted(schedule Schedule) (State, error) {
	start, err := schedule.Start()
	return State{Schedule: start, LastLoss: s.LastLoss, Before: s.Before + s.Schedule.Epochs}, err
}

// Epoch is a row of epochs.csv. Without held-out games the validation losses are NaN, and
// schedule and selection use the training loss.
type Epoch struct {
	Generation int          `json:"generation"`    // set by the caller of Run
	Number     int          `json:"epoch"`         // counts all generations, from 1
	Samples    int          `json:"samples"`       // number trained on
	Steps      int          `json:"steps"`         // of the optimizer
	Curve      []float32    `json:"curve"`         // the total loss in training, see [Epoch.addStep]
	Rate       float64      `json:"learning_rate"` // of the last step
	Gradient   Gradient     `json:"gradient"`
	Train      nn.Loss      `json:"train"`              // mean over the epoch's steps, each measured during the step
	Validation nn.Loss      `json:"validation"`         // after the epoch, batch norm in evaluation mode
	Accuracy   *nn.Accuracy `json:"accuracy,omitempty"` // on the held-out positions; nil without held-out games or a policy head
	Selected   bool         `json:"selected"`           // the weights are those of this epoch
}

// Gradient adds up the norms of the gradients of steps, over all parameters together and
// before clipping. Devices other than the processor measure only some steps.
type Gradient struct {
	Steps   int     `json:"steps"` // measured
	Sum     float64 `json:"sum"`   // of the norms
	Peak    float64 `json:"peak"`  // the largest norm
	Clipped int     `json:"clipped"`
}

// addStep adds a step. A norm of NaN was not measured.
func (g *Gradient) addStep(norm float64, clipped bool) {
	if math.IsNaN(norm) {
		return
	}
	one := Gradient{Steps: 1, Sum: norm, Peak: norm}
	if clipped {
		one.Clipped = 1
	}
	g.Add(one)
}

// Add adds other steps.
func (g *Gradient) Add(o Gradient) {
	*g = Gradient{g.Steps + o.Steps, g.Sum + o.Sum, max(g.Peak, o.Peak), g.Clipped + o.Clipped}
}

// Norm returns the mean norm, NaN without a measured step.
func (g Gradient) Norm() float64 { return g.Sum / float64(g.Steps) }

// ClippedShare returns the share of steps whose gradient was clipped, NaN without a measured
// step.
func (g Gradient) ClippedShare() float64 { return float64(g.Clipped) / float64(g.Steps) }

// curvePoints is the largest number of points of [Epoch.Curve].
const curvePoints = 100

// addStep adds the loss of step k of e.Steps, from 0. A point of the curve is the mean loss of
// consecutive steps; the points have equally many, give or take one.
func (e *Epoch) addStep(k int, loss float64) {
	points, point := min(e.Steps, curvePoints), e.point(k)
	first := (point*e.Steps + points - 1) / points // of the point's steps
	if k == first {
		e.Curve = append(e.Curve, 0)
	}
	e.Curve[point] += (float32(loss) - e.Curve[point]) / float32(k-first+1)
}

// point returns the index of the curve's point that step k belongs to.
func (e *Epoch) point(k int) int { return k * min(e.Steps, curvePoints) / e.Steps }

// Loss returns the loss that schedule and selection use.
func (e *Epoch) Loss() nn.Loss {
	if math.IsNaN(e.Validation.Total) {
		return e.Train
	}
	return e.Validation
}

// Selected returns the selected epoch, or nil if there is none.
func Selected(epochs []Epoch) *Epoch {
	if i := slices.IndexFunc(epochs, func(e Epoch) bool { return e.Selected }); i >= 0 {
		return &epochs[i]
	}
	return nil
}

// SelectedLoss returns the loss of the selected epoch, NaN if there is none.
func SelectedLoss(epochs []Epoch) nn.Loss {
	if e := Selected(epochs); e != nil {
		return e.Loss()
	}
	return nn.Unmeasured()
}

// Seeds determine which games are held out, and the order of the others.
type Seeds struct{ Split, Shuffle uint64 }

// Hooks are callbacks that observe training. Each may be nil.
type Hooks struct {
	Step  func(done, total int, loss nn.Loss) // after each step of the generation, with its loss
	Epoch func(Epoch)
	// Progress receives the state that [Run] needs to continue: after every epoch including
	// the last, after the steps for which Due returns true, and after the last step before a
	// cancellation. It must not be changed. An error ends the training.
	Progress func(*Progress) error
	Due      func() bool // called after each step
}

// Validate returns an error that names the first invalid setting. [Schedule.Start] checks
// the schedule.
func (c *Config) Validate() error {
	switch {
	case c.Epochs < 1:
		return fmt.Errorf("training.epochs: want at least 1, have %d", c.Epochs)
	case c.Batch < 1:
		return fmt.Errorf("training.batch: want at least 1 sample, have %d", c.Batch)
	case c.Select == "":
		return errors.New("training.select: want a rule, have none")
	}
	return config.Check("training", c)
}

// Run trains net on the window's samples for cfg.Epochs epochs, or fewer if cfg.Patience
// ends training early. It restores net and optimizer to the end of the selected epoch: the
// one with the lowest validation loss, or the last one if the lowest loss is no better than
// the previous generation's (the thesis, section 4.5.3). The split of the games is a
// function of seeds.Split. With one value for a whole trial, a game that was held out once
// is never trained on. For recurring games this holds within a window, and between windows
// if they have many games, see [data.Split]. seeds.Shuffle determines the order of samples.
// After an error or cancellation st is unchanged and net is in an intermediate state: load
// it again.
//
// from is the last value that Hooks.Progress received, or nil to start. Run does not repeat
// the steps up to it, and its results, including those epochs' rows, are bit-identical to
// an uninterrupted Run. All other arguments must equal those of that Run; only the contents
// of net and tr may differ.
func Run(ctx context.Context, cfg Config, net *nn.Network, tr *nn.Trainer, window *data.Set, seeds Seeds, st *State, from *Progress, watch Hooks) ([]Epoch, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Values != nil && len(cfg.Values) != window.Len() {
		return nil, fmt.Errorf("training: %d values for %d samples", len(cfg.Values), window.Len())
	}
	learn, held := data.Split(window, seeds.Split, cfg.Validation, cfg.SplitsPositions())
	if len(learn) == 0 {
		return nil, fmt.Errorf("nothing to train on: %d samples, all held out", window.Len())
	}
	reply := net.Spec().OpponentPolicy && !cfg.SplitsPositions() // else the next position may be held out
	r := &generation{cfg: cfg, net: net, tr: tr, window: window, learn: learn, held: held, reply: reply, seeds: seeds, watch: watch, state: *st}
	r.state.Average = st.Average.Clone()
	if cfg.Mirror {
		codec, err := window.Meta().Codec()
		if err != nil {
			return nil, err
		}
		if r.mirror, err = encode.NewMirror(codec); err != nil {
			return nil, fmt.Errorf("training.mirror: %w", err)
		}
	}
	if from != nil {
		if err := r.restore(from); err != nil {
			return nil, fmt.Errorf("resuming the training: %w", err)
		}
	}
	for i := range cfg.Epochs {
		data.Shuffle(learn, seeds.Shuffle+uint64(i)) // permutes the order of the previous epoch, so it runs for finished epochs too
		if i < len(r.epochs) {
			continue
		}
		if r.ended() {
			break
		}
		if err := r.epoch(ctx); err != nil {
			return nil, err
		}
	}
	if err := r.choose(); err != nil {
		return nil, err
	}
	*st = r.state
	return r.epochs, nil
}

// Progress is the state of a generation's training after a step. Another process can
// continue from it and get the same bytes, see [Run]. It is valid only with the same
// settings, samples, seeds, precision and thread count.
type Progress struct {
	Schedule ScheduleState `json:"schedule"`       // for the epoch after the finished ones
	Epochs   []Epoch       `json:"epochs"`         // finished epochs; none is selected yet
	Part     *Part         `json:"part,omitempty"` // of the epoch after them; nil if it has not begun
	Now      nn.Snapshot   `json:"-"`
	// Best is the epoch with the lowest loss. It is nil if that is Now, if no epoch is
	// finished, or if the last epoch is always kept.
	Best *nn.Snapshot `json:"-"`
}

// Part is the state of an unfinished epoch.
type Part struct {
	Steps int `json:"steps"` // number of steps so far
	// Epoch is the row of the epoch so far. Train is the sum of the steps' losses, each weighted by its
	// share of the epoch's samples.
	Epoch Epoch   `json:"epoch"`
	Base  float64 `json:"base"` // see [Schedule.base]
}

// samples returns the number of samples of the steps so far, see [Batches].
func (p *Part) samples() int { return p.Epoch.Samples * p.Steps / p.Epoch.Steps }

// clone returns a copy that shares no memory with p.
func (p Part) clone() *Part {
	p.Epoch.Curve = slices.Clone(p.Epoch.Curve)
	return &p
}

// check returns an error if p is not a part of an epoch on that many samples.
func (p *Part) check(samples, batch int) error {
	e := &p.Epoch
	switch {
	case e.Steps != steps(samples, batch) || e.Samples != samples:
		return fmt.Errorf("want progress of an epoch of %d steps on %d samples, have one of %d on %d", steps(samples, batch), samples, e.Steps, e.Samples)
	case p.Steps < 1 || p.Steps > e.Steps || len(e.Curve) != e.point(p.Steps-1)+1:
		return fmt.Errorf("want progress of 1 to %d steps, have %d with %d losses", e.Steps, p.Steps, len(e.Curve))
	case !(p.Base > 0):
		return fmt.Errorf("want progress with a learning rate above 0, have %v", p.Base)
	}
	return nil
}

// progressKey is the metadata key for everything in a packed Progress except the tensors,
// as JSON.
const progressKey = "alamos.train.progress"

// Pack returns the progress as the tensors and metadata of a safetensors file. The tensors
// share the memory of p. Pack adds no checksum.
func (p *Progress) Pack() (nn.Tensors, map[string]string, error) {
	all := nn.Tensors{}
	all.Add("now/", p.Now)
	if p.Best != nil {
		all.Add("best/", *p.Best)
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, nil, fmt.Errorf("training progress: %w", err)
	}
	return all, map[string]string{progressKey: string(text)}, nil
}

// Unpack is the inverse of Pack. Only Restore checks whether the tensors fit a network.
func Unpack(all nn.Tensors, meta map[string]string) (*Progress, error) {
	p := &Progress{Now: all.Snapshot("now/")}
	if err := json.Unmarshal([]byte(meta[progressKey]), p); err != nil {
		return nil, fmt.Errorf("training progress: no readable %q in the metadata: %w", progressKey, err)
	}
	if best := all.Snapshot("best/"); len(best.Network) > 0 {
		p.Best = &best
	}
	return p, nil
}
