package train

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
)

// generation is the training of one generation.
type generation struct {
	cfg         Config
	net         *nn.Network
	tr          *nn.Trainer
	window      *data.Set
	learn, held []int32        // sample indices in the window
	mirror      *encode.Mirror // nil without Config.Mirror
	reply       bool           // the network predicts the opponent's reply
	seeds       Seeds
	watch       Hooks

	state  State        // LastLoss is that of the previous generation
	epochs []Epoch      // finished epochs
	part   *Part        // of the epoch after them that an earlier Run began; nil if none
	best   int          // index of the epoch with the lowest loss
	kept   *nn.Snapshot // of the best epoch; nil if not needed
}

// restore restores the state of p.
func (r *generation) restore(p *Progress) error {
	begun := len(p.Epochs)
	if p.Part != nil {
		if err := p.Part.check(len(r.learn), r.cfg.Batch); err != nil {
			return err
		}
		begun++
	}
	if begun == 0 || begun > r.cfg.Epochs {
		return fmt.Errorf("want progress of 1 to %d epochs, have %d", r.cfg.Epochs, begun)
	}
	if err := p.Now.Restore(r.net, r.tr); err != nil {
		return err
	}
	r.state.Schedule = p.Schedule
	r.setAverage(&p.Now)
	for _, e := range p.Epochs {
		r.add(e)
	}
	if p.Part != nil {
		r.part = p.Part.clone()
	}
	switch {
	case r.cfg.Select != SelectLowest || len(p.Epochs) == 0:
	case p.Part == nil && r.best == len(p.Epochs)-1:
		r.kept = &p.Now
	case p.Best == nil:
		return fmt.Errorf("epoch %d has the lowest loss, but the progress lacks its weights", p.Epochs[r.best].Number)
	default:
		r.kept = p.Best
	}
	return nil
}

// add appends a finished epoch and reports whether it is the best so far.
func (r *generation) add(e Epoch) bool {
	r.epochs = append(r.epochs, e)
	last := len(r.epochs) - 1
	if last > 0 && !(e.Loss().Total < r.epochs[r.best].Loss().Total) {
		return false
	}
	r.best = last
	return true
}

// epoch trains one epoch on the samples in their current order, or the rest of r.part.
func (r *generation) epoch(ctx context.Context) (err error) {
	p := r.part
	if p == nil {
		p = &Part{Epoch: Epoch{Number: r.state.Before + r.state.Schedule.Epochs + 1, Samples: len(r.learn), Steps: steps(len(r.learn), r.cfg.Batch), Validation: nn.Unmeasured()}}
		if p.Base, err = r.cfg.Schedule.base(r.state.Schedule, r.epochs); err != nil {
			return err
		}
	}
	r.part = nil
	for b := range r.epochBatches(p.Steps) {
		if ctx.Err() != nil {
			break
		}
		if err := r.step(p, b); err != nil {
			return fmt.Errorf("epoch %d, learning rate %v: %w", p.Epoch.Number, p.Epoch.Rate, err)
		}
	}
	e := p.Epoch
	if err = ctx.Err(); err == nil {
		err = r.withAverage(ctx, func() error { return r.validate(ctx, &e) })
	}
	if err != nil && ctx.Err() != nil {
		return errors.Join(err, r.keepPart(p))
	} else if err != nil {
		return fmt.Errorf("validation after epoch %d: %w", e.Number, err)
	}
	r.state.Schedule = r.cfg.Schedule.Next(r.state.Schedule, e.Loss().Total, len(r.learn))
	best := r.add(e)
	if err := r.keep(best); err != nil {
		return err
	}
	if r.watch.Epoch != nil {
		r.watch.Epoch(e)
	}
	return nil
}

// step trains on the next batch of an epoch.
func (r *generation) step(p *Part, b *nn.Batch) error {
	e, from := &p.Epoch, p.samples()
	until := from + b.N
	e.Rate = r.cfg.Schedule.rate(p.Base, r.state.Schedule, from, until, len(r.learn))
	loss, err := r.tr.Step(b, e.Rate)
	e.Gradient.addStep(r.tr.GradientNorm())
	if err == nil {
		err = r.addToAverage(r.state.Schedule.Samples+from, r.state.Schedule.Samples+until)
	}
	if err != nil {
		return err
	}
	e.Train.Add(loss, float64(b.N)/float64(len(r.learn)))
	e.addStep(p.Steps, loss.Total)
	p.Steps++
	if r.watch.Step != nil {
		r.watch.Step(len(r.epochs)*e.Steps+p.Steps, r.cfg.Epochs*e.Steps, loss)
	}
	if r.watch.Due != nil && r.watch.Due() {
		return r.keepPart(p)
	}
	return nil
}

// validate measures the network on the held-out samples.
func (r *generation) validate(ctx context.Context, e *Epoch) error {
	if len(r.held) == 0 {
		return nil
	}
	var mean nn.Loss
	var sum nn.Accuracy
	for b := range r.feed().batches(r.held, r.cfg.Batch, 0) {
		if err := ctx.Err(); err != nil {
			return err
		}
		loss, accuracy, err := r.tr.Measure(b)
		if err != nil {
			return err
		}
		mean.Add(loss, float64(b.N)/float64(len(r.held)))
		sum.Add(accuracy)
	}
	e.Validation = mean
	if sum.N > 0 {
		e.Accuracy = &sum
	}
	return nil
}

// ended reports whether the last epoch is finished, by the number of epochs or by patience.
func (r *generation) ended() bool {
	n := len(r.epochs)
	return n == r.cfg.Epochs || r.cfg.Patience > 0 && r.worse() >= r.cfg.Patience
}

// worse returns the number of last epochs that patience counts.
func (r *generation) worse() (n int) {
	last := len(r.epochs) - 1
	if r.cfg.PatienceOf != patienceOfRise {
		return last - r.best
	}
	for n < last && r.epochs[last-n].Loss().Total > r.epochs[last-n-1].Loss().Total {
		n++
	}
	return n
}

// keep takes a snapshot at the end of an epoch if it is needed, for a later selection or
// for the caller.
func (r *generation) keep(best bool) error {
	best = best && r.cfg.Select == SelectLowest
	if r.watch.Progress == nil && (!best || r.ended()) { // at the end of training the network itself is the snapshot
		return nil
	}
	p, err := r.progress()
	if err != nil {
		return err
	}
	if best {
		r.kept, p.Best = &p.Now, nil
	}
	if r.watch.Progress == nil {
		return nil
	}
	if err := r.watch.Progress(p); err != nil {
		return fmt.Errorf("keeping the progress after epoch %d: %w", r.epochs[len(r.epochs)-1].Number, err)
	}
	return nil
}

// keepPart passes the state after a step within an epoch to the caller, if it wants it.
func (r *generation) keepPart(part *Part) error {
	if r.watch.Progress == nil || part.Steps == 0 {
		return nil
	}
	p, err := r.progress()
	if err != nil {
		return err
	}
	p.Part = part.clone()
	if err := r.watch.Progress(p); err != nil {
		return fmt.Errorf("keeping the progress after %d of %d steps: %w", part.Steps, part.Epoch.Steps, err)
	}
	return nil
}

// progress returns the state now.
func (r *generation) progress() (*Progress, error) {
	now, err := nn.TakeSnapshot(r.net, r.tr)
	now.Average = r.state.Average.Clone() // which training goes on to change
	return &Progress{Schedule: r.state.Schedule, Epochs: slices.Clone(r.epochs), Now: now, Best: r.kept}, err
}

// choose selects an epoch, and restores network and optimizer to its end.
func (r *generation) choose() error {
	last := len(r.epochs) - 1
	at, before := r.best, r.state.LastLoss
	if r.cfg.Select != SelectLowest || before > 0 && r.epochs[at].Loss().Total >= before {
		at = last
	}
	if at != last {
		if err := r.kept.Restore(r.net, r.tr); err != nil {
			return err
		}
		r.setAverage(r.kept)
	}
	r.epochs[at].Selected = true
	r.state.LastLoss = r.epochs[at].Loss().Total
	return nil
}

// addToAverage adds the network's weights to the average if a multiple of Average.Every
// lies between two numbers of samples, which count all generations. The first weights have
// equal parts, so that the untrained network has none.
func (r *generation) addToAverage(from, to int) error {
	a := r.cfg.Average
	if a == nil || from/a.Every == to/a.Every {
		return nil
	}
	if r.state.Average == nil {
		var err error
		r.state.Average, err = r.net.State()
		return err
	}
	averaged := to / max(a.Every, to-from) // also of batches of more samples than Every
	return r.net.BlendInto(r.state.Average, max(1-a.Decay, 1/float64(averaged)))
}

// normBatches is the number of batches that the average's statistics of batch norm are of.
const normBatches = 16

// withAverage completes the average and calls f while the network has the average's
// weights. Without an average it only calls f.
//
// The average of the running statistics is not that of the average network, whose maps
// vary less than those of the networks it is made of. So they are measured again: the mean of
// those of the first batches of the epoch.
func (r *generation) withAverage(ctx context.Context, f func() error) error {
	if r.cfg.Average == nil {
		return f()
	}
	trained, err := r.net.State()
	if err != nil {
		return err
	}
	average := r.state.Average
	if average == nil { // the epochs so far are shorter than Average.Every
		average = trained
	}
	if err := r.net.Load(average); err != nil {
		return err
	}
	if err = r.measureNorms(ctx); err == nil {
		average, err = r.net.State()
	}
	if err == nil {
		err = f()
	}
	if err = errors.Join(err, r.net.Load(trained)); err == nil {
		r.state.Average = average
	}
	return err
}

// measureNorms makes the running statistics of batch norm the mean of those of the epoch's first
// batches.
func (r *generation) measureNorms(ctx context.Context) error {
	if !r.net.HasBatchNorm() {
		return nil
	}
	count := 0
	for b := range r.epochBatches(0) {
		count++
		if err := errors.Join(ctx.Err(), r.tr.UpdateNorms(b, 1/float64(count))); err != nil {
			return err
		}
		if count == normBatches {
			break
		}
	}
	return nil
}

// setAverage continues with the average of a snapshot.
func (r *generation) setAverage(s *nn.Snapshot) {
	if r.cfg.Average == nil {
		return
	}
	r.state.Average = nil // until the first weights that are averaged
	if len(s.Average) > 0 {
		r.state.Average = s.Average.Clone()
	}
}

// feed returns the window's samples with Config.Values.
func (r *generation) feed() feed {
	return feed{set: r.window, values: r.cfg.Values, reply: r.reply}
}

// epochBatches yields the batches of the current epoch from one on, counted from 0.
func (r *generation) epochBatches(first int) iter.Seq[*nn.Batch] {
	f := r.feed()
	f.mirror, f.seed = r.mirror, stats.Derive(r.seeds.Shuffle, len(r.epochs))
	return f.batches(r.learn, r.cfg.Batch, first)
}

// steps returns the number of batches of an epoch.
func steps(samples, batch int) int { return (samples + batch - 1) / batch }

// Batches yields the samples of a set at the indices, in their order, in as few batches of
// at most the given size as possible. Their sizes differ by at most one, so that no small
// batch takes a full step in a noisy direction. It assembles the next batch while the caller
// uses the current one. A batch is valid until the next one is yielded.
func Batches(set *data.Set, indices []int32, size int) iter.Seq[*nn.Batch] {
	return feed{set: set}.batches(indices, size, 0)
}

// feed is a set of samples on their way into batches.
type feed struct {
	set    *data.Set
	values []float32      // replace the values of the samples, unless nil
	mirror *encode.Mirror // reflects a random half of the samples that it can reflect, unless nil
	seed   uint64         // determines that half
	reply  bool           // the policy target of the next position is that of the opponent's reply
}

// add adds sample i of the set to a batch.
func (f *feed) add(b *nn.Batch, i int32, reflected *[2]encode.Sample) {
	s, next := f.set.Sample(int(i)), (*encode.Sample)(nil)
	if f.reply {
		next = f.set.Next(int(i))
	}
	if f.mirror != nil && stats.Nth(f.seed, uint64(i))&1 == 1 && f.mirror.Reflects(s) {
		for k, x := range []**encode.Sample{&s, &next} {
			if *x != nil {
				f.mirror.Reflect(&reflected[k], *x)
				*x = &reflected[k]
			}
		}
	}
	if f.values != nil {
		changed := *s
		// A value of 0 in a decisive game does not mean a draw.
		changed.Draw, changed.Value = s.Drawn(), f.values[i]
		s = &changed
	}
	b.Add(s)
	if next != nil {
		b.Reply(next)
	}
}

// batches is [Batches] with the samples of the feed, without the first batches.
func (f feed) batches(indices []int32, size, first int) iter.Seq[*nn.Batch] {
	return func(yield func(*nn.Batch) bool) {
		// Two batches circulate. Both channels have room for two, so that a goroutine waits
		// only for a batch and never for room.
		empty, full := make(chan *nn.Batch, 2), make(chan *nn.Batch, 2)
		empty <- new(nn.Batch)
		empty <- new(nn.Batch)
		defer func() {
			close(empty)
			for range full { // waits until the goroutine has ended
			}
		}()
		go func() {
			defer close(full)
			var reflected [2]encode.Sample
			count := steps(len(indices), size)
			batch := func(k int) []int32 { return indices[len(indices)*k/count : len(indices)*(k+1)/count] }
			for k := first; k < count; k++ {
				b, more := <-empty
				if !more {
					return
				}
				b.Reset()
				if k+1 < count {
					f.set.Expect(batch(k + 1))
				}
				for _, i := range batch(k) {
					f.add(b, i, &reflected)
				}
				full <- b
			}
		}()
		for b := range full {
			if !yield(b) {
				return
			}
			empty <- b
		}
	}
}
