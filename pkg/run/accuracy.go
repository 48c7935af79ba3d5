package run

import (
	"context"
	"math"
	"strconv"

	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// accuracyCode is the version of the code that measures accuracy, see [stage.Stage].
const accuracyCode = "1"

// lackingCode is that of samples that may lack results: before 2 they counted as even.
const lackingCode = "2"

// Accuracy measures the checkpoint of generation g on the games that its training held
// out: of the window that ends with generation g. Without held-out games no phase has a
// position, and without results none a value error. The facts are []store.PhaseAccuracy.
//
// The value is compared with that of the samples, which is the result of the game (or
// the mixture that self-play made), and not with what a script had in its place.
func Accuracy(ctx context.Context, t *Trial, g int) error {
	s := &t.Settings
	if s.Evaluation == nil || !s.Evaluation.Accuracy {
		return nil
	}
	window := t.Window(g)
	in := askedOf(t, g)
	in["code"], in["seed"] = accuracyCode, strconv.FormatUint(s.Seed, 10)
	lacking := mayLackResults(s)
	if lacking {
		in["code"] = lackingCode
	}
	in.Settings("training.validation", s.Training.Validation)
	window.Inputs(in)
	return t.Do(ctx, Stage{Name: store.AccuracyStage(g), In: in, Run: func(ctx context.Context) (any, error) {
		_, samples, err := window.Read()
		if err != nil {
			return nil, err
		}
		training, seeds := t.Training(g, nil)
		_, held := data.Split(samples, seeds.Split, training.Validation)
		net, err := open(t, g)
		if err != nil {
			return nil, err
		}
		defer net.close()
		known := func(x *encode.Sample) bool { return !lacking || data.HasResult(x) }
		return measure(ctx, t, g, net, samples, held, known)
	}})
}

// mayLackResults reports whether there may be samples without a result: files may have
// such, and are refused only where values are learned.
func mayLackResults(s *experiment.Settings) bool {
	return s.Data != nil && s.Data.Kind == data.Parquet && s.Training.Loss.Value == 0
}

// atOnce is how many positions the network is asked about in a call.
const atOnce = 256

// measure asks the network about the samples of the window that held names; known tells
// of which the result is.
func measure(ctx context.Context, t *Trial, g int, net *network, window *data.Set, held []int32, known func(*encode.Sample) bool) ([]store.PhaseAccuracy, error) {
	task := t.Report.Task(store.AccuracyStage(g), "positions")
	defer task.End()
	everything := make([]int32, net.size) // the policy is asked about all moves there are
	for i := range everything {
		everything[i] = int32(i)
	}
	samples, leaves := make([]*encode.Sample, atOnce), make([]*encode.Leaf, atOnce)
	for i := range leaves {
		leaves[i] = &encode.Leaf{Indices: everything, Priors: make([]float32, net.size), Sign: 1}
	}
	var sums [phases]tally
	for done := 0; done < len(held); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(atOnce, len(held)-done)
		for i, at := range held[done:][:n] {
			samples[i] = window.Sample(int(at))
			leaves[i].Planes = samples[i].Planes
		}
		if err := net.Evaluate(leaves[:n]); err != nil {
			return nil, err
		}
		for i := range n {
			sums[phaseOf(encode.Counts(t.Codec.Planes, samples[i].Planes))].add(samples[i], leaves[i], known(samples[i]))
		}
		done += n
		task.Set(done, len(held), "")
	}
	var all tally
	var rows []store.PhaseAccuracy
	for p, sum := range sums {
		rows = append(rows, sum.row(phaseNames[p]))
		all.join(&sum)
	}
	return append(rows, all.row(store.AllPhases)), nil
}

// tally counts over positions.
type tally struct {
	positions, targets, results int // of the positions, those with a move to foretell, and with a result
	top1, top5                  int
	squares                     float64 // sum of the squared errors of the value
}

// add counts a sample, whose result is known or not, and the network's answer to it. As in training, the move to
// foretell is the first of those with the highest target, and among equal priors the
// first move counts as more.
func (y *tally) add(s *encode.Sample, l *encode.Leaf, known bool) {
	y.positions++
	if known {
		y.results++
		d := float64(l.Value) - float64(s.Value)
		y.squares += d * d
	}
	best, most := int32(-1), float32(0)
	for i, target := range s.Policy {
		if target > most {
			best, most = s.Indices[i], target
		}
	}
	if best < 0 || len(l.Priors) == 0 {
		return
	}
	y.targets++
	more, prior := 0, l.Priors[best]
	for i, p := range l.Priors {
		if p > prior || p == prior && i < int(best) {
			more++
		}
	}
	if more < 1 {
		y.top1++
	}
	if more < 5 {
		y.top5++
	}
}

func (y *tally) join(o *tally) {
	y.positions += o.positions
	y.targets += o.targets
	y.results += o.results
	y.top1 += o.top1
	y.top5 += o.top5
	y.squares += o.squares
}

func (y *tally) row(name string) store.PhaseAccuracy {
	share := func(sum float64, n int) stats.Float {
		if n == 0 {
			return stats.Float(math.NaN())
		}
		return stats.Float(sum / float64(n))
	}
	return store.PhaseAccuracy{
		Phase: name, Positions: y.positions,
		Top1: share(float64(y.top1), y.targets), Top5: share(float64(y.top5), y.targets), ValueError: share(y.squares, y.results),
	}
}
