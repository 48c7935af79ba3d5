package nn

import "github.com/sugarme/gotch/ts"

// Accuracy counts how often a policy gives its most to the best move: that with
// the highest target, the move played or visited most, of several the first. It
// is compared with all other moves that the policy can express, illegal ones too:
// a sample need not list the legal moves without a target.
type Accuracy struct {
	N    int // positions with a target
	Top1 int // where no other move has more
	Top5 int // where at most four others have more
}

// Add adds counts.
func (a *Accuracy) Add(b Accuracy) {
	a.N += b.N
	a.Top1 += b.Top1
	a.Top5 += b.Top5
}

// accuracy is that of logits [N, PolicySize] on the targets of a batch.
func (g *graph) accuracy(logits *ts.Tensor, b *Batch) Accuracy {
	all := floats(g.host(g.keep(g.single(logits).Contiguous(false))))
	size := len(all) / b.N
	var a Accuracy
	for i := range b.N {
		best, most := int32(-1), float32(0)
		for j := b.Offsets[i]; j < b.Offsets[i+1]; j++ {
			if b.Policy[j] > most {
				best, most = b.Indices[j], b.Policy[j]
			}
		}
		if best < 0 {
			continue
		}
		row := all[i*size:][:size]
		more := 0
		for k, x := range row {
			// Of equals the first counts as more: a policy that says nothing is
			// not always right.
			if x > row[best] || x == row[best] && k < int(best) {
				more++
			}
		}
		a.N++
		if more < 1 {
			a.Top1++
		}
		if more < 5 {
			a.Top5++
		}
	}
	return a
}
