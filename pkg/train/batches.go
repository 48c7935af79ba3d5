package train

import (
	"iter"

	"alamos/pkg/data"
	"alamos/pkg/nn"
)

// Batches walks through the samples of a set that indices name, in their order,
// so many at a time; the last batch has the rest. While the caller works on a
// batch the next is assembled. A batch is valid until the caller asks for the
// next.
func Batches(set *data.Set, indices []int32, size int) iter.Seq[*nn.Batch] {
	return batches(set, indices, size, nil)
}

// batches is Batches with a value for each sample of the set in place of its own;
// nil leaves them.
func batches(set *data.Set, indices []int32, size int, values []float32) iter.Seq[*nn.Batch] {
	return func(yield func(*nn.Batch) bool) {
		// Two batches go round; the channels have room for both, so that only a want
		// of batches makes anyone wait.
		empty, full := make(chan *nn.Batch, 2), make(chan *nn.Batch, 2)
		empty <- new(nn.Batch)
		empty <- new(nn.Batch)
		defer func() {
			close(empty)
			for range full { // until the goroutine has ended
			}
		}()
		go func() {
			defer close(full)
			for rest := indices; len(rest) > 0; {
				b, more := <-empty
				if !more {
					return
				}
				n := min(size, len(rest))
				b.Reset()
				for _, i := range rest[:n] {
					s := set.Sample(int(i))
					if values != nil {
						changed := *s
						// An even value of a game that was won is no draw.
						changed.Draw, changed.Value = s.Drawn(), values[i]
						s = &changed
					}
					b.Add(s)
				}
				full <- b
				rest = rest[n:]
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
