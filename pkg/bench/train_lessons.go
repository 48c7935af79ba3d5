package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/train"
)

// windowSamples is how many samples there are to learn from, about.
const windowSamples = 8192

// sampleWindow is a window of a whole number of batches, in memory as training has
// it: written and read again as generations of self-play are. The positions are
// those of samplePositions, policies and results are random.
func sampleWindow(codec encode.Codec, batch int) (*data.Set, error) {
	const perGame = 64
	n := max(1, windowSamples/batch) * batch
	rng := rand.New(rand.NewPCG(1, 256))
	var samples []encode.Sample
	for _, leaves := range samplePositions(codec, 1, n/4+1) {
		for _, l := range leaves {
			s := encode.Sample{Game: int32(len(samples) / perGame), Ply: int32(len(samples) % perGame), Planes: l.Planes, Value: float32(rng.IntN(3) - 1), Draw: -1}
			sum := float32(0)
			for _, index := range l.Indices {
				if index >= 0 {
					s.Indices = append(s.Indices, index)
					s.Policy = append(s.Policy, float32(rng.ExpFloat64()))
					sum += s.Policy[len(s.Policy)-1]
				}
			}
			for i := range s.Policy {
				s.Policy[i] /= sum
			}
			samples = append(samples, s)
		}
	}
	dir, err := os.MkdirTemp("", "alamos-bench-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "samples.parquet")
	var set *data.Set
	err = data.Write(path, data.Meta{Encoder: codec.Planes.Name(), Policy: codec.Policy.Name(), Variant: chess.Atomic.String()}, samples[:n])
	if err == nil {
		set, err = data.Read(path)
	}
	return set, errors.Join(err, os.RemoveAll(dir))
}

// lessons are walks through a window as the epochs of a training are, and the time
// that they took.
type lessons struct {
	window        *data.Set
	size          int // of a batch
	order         []int32
	epochs        uint64
	waited, spent time.Duration
}

func newLessons(window *data.Set, batch int) *lessons {
	l := &lessons{window: window, size: batch, order: make([]int32, window.Len())}
	for i := range l.order {
		l.order[i] = int32(i)
	}
	return l
}

// batch is a batch of the window.
func (l *lessons) batch() *nn.Batch {
	b := new(nn.Batch)
	for _, i := range l.order[:l.size] {
		b.Add(l.window.Sample(int(i)))
	}
	return b
}

// learn begins an epoch, and another one when it ends, until the turn is over. The
// time is all of it: from when the epoch begins, without any batch, until the last
// step is done.
func (l *lessons) learn(ctx context.Context, turn time.Duration, step func(*nn.Batch) error) (work int, took time.Duration, err error) {
	for work == 0 || took < turn {
		data.Shuffle(l.order, l.epochs)
		l.epochs++
		before, began := took, time.Now()
		asked := began
		for b := range train.Batches(l.window, l.order, l.size) {
			l.waited += time.Since(asked)
			if err := errors.Join(context.Cause(ctx), step(b)); err != nil {
				return 0, 0, err
			}
			work += b.N
			asked = time.Now()
			if took = before + asked.Sub(began); took >= turn {
				break
			}
		}
		l.spent += took - before
	}
	return work, took, nil
}

// share is the share of the time in which learning waited for a batch.
func (l *lessons) share() float64 { return l.waited.Seconds() / l.spent.Seconds() }
