package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"

	"alamos/pkg/encode"
	"alamos/pkg/stats"
)

// Loss holds the terms that training minimizes, as means over a batch, and their weighted
// sum. It excludes weight decay. A term is 0 if the network lacks its head.
type Loss struct {
	Total  float64
	Policy float64 // cross entropy over the moves of LossSettings.PolicyMask, in nats
	Value  float64 // (z - v)^2; with ValueWDL the cross entropy over win, draw and loss, in nats
	// MovesLeft is the loss of the plies left, in units of Spec.MovesLeftUnit. It is 0 for positions
	// where they are unknown. The Huber loss is quadratic up to half a unit: with
	// units of 20 plies it is that of Leela Chess Zero (tfprocess.py of lczero-training).
	MovesLeft float64

	// Cross entropies of the auxiliary heads, in nats. They are 0 for positions whose target is
	// unknown.
	OpponentPolicy, SoftPolicy float64
	FutureBoard                float64 // mean over the squares
}

// terms returns the numbers of the loss.
func (l *Loss) terms() [7]*float64 {
	return [...]*float64{&l.Total, &l.Policy, &l.Value, &l.MovesLeft, &l.OpponentPolicy, &l.SoftPolicy, &l.FutureBoard}
}

// Unmeasured returns a loss of NaNs.
func Unmeasured() (l Loss) {
	for _, x := range l.terms() {
		*x = math.NaN()
	}
	return l
}

// Add adds m, multiplied by times.
func (l *Loss) Add(m Loss, times float64) {
	terms := m.terms()
	for i, x := range l.terms() {
		*x += times * *terms[i]
	}
}

// lossJSON is the JSON form of [Loss], where NaN is null.
type lossJSON struct {
	Total          stats.Float `json:"total"`
	Policy         stats.Float `json:"policy"`
	Value          stats.Float `json:"value"`
	MovesLeft      stats.Float `json:"moves_left,omitempty"`
	OpponentPolicy stats.Float `json:"opponent_policy,omitempty"`
	SoftPolicy     stats.Float `json:"soft_policy,omitempty"`
	FutureBoard    stats.Float `json:"future_board,omitempty"`
}

// MarshalJSON returns an object with the terms. Unmeasured terms (NaN) are null.
func (l Loss) MarshalJSON() ([]byte, error) {
	return json.Marshal(lossJSON{stats.Float(l.Total), stats.Float(l.Policy), stats.Float(l.Value), stats.Float(l.MovesLeft),
		stats.Float(l.OpponentPolicy), stats.Float(l.SoftPolicy), stats.Float(l.FutureBoard)})
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (l *Loss) UnmarshalJSON(b []byte) error {
	var j lossJSON
	err := json.Unmarshal(b, &j)
	*l = Loss{float64(j.Total), float64(j.Policy), float64(j.Value), float64(j.MovesLeft),
		float64(j.OpponentPolicy), float64(j.SoftPolicy), float64(j.FutureBoard)}
	return err
}

func (l Loss) finite() bool { return !math.IsNaN(l.Total) && !math.IsInf(l.Total, 0) }

// terms are the tensors of a Loss. A term is nil if the network lacks its head.
type terms struct{ total, policy, value, movesLeft, opponent, soft, future *ts.Tensor }

// read waits for the device and reads the numbers.
func (t *terms) read(g *graph) Loss {
	return Loss{g.number(t.total), g.number(t.policy), g.number(t.value), g.number(t.movesLeft),
		g.number(t.opponent), g.number(t.soft), g.number(t.future)}
}

// terms returns the terms of the loss over the positions of a part, multiplied by scale. The total is
// their weighted sum, to differentiate.
func (t *Trainer) terms(g *graph, o outputs, b *Batch, scale float64) (l terms) {
	add := func(term *ts.Tensor, weight float64) *ts.Tensor {
		weighted := g.keep(term.MulScalar(g.scalar(weight), false))
		if l.total != nil {
			weighted = g.keep(l.total.Add(weighted, false))
		}
		l.total = weighted
		return term
	}
	if o.logits != nil {
		l.policy = add(g.policyLoss(o.logits, &b.Moves, t.legal(), scale), t.loss.Policy)
	}
	if t.net.spec.Value == ValueWDL {
		l.value = add(g.wdlLoss(o.values, b, scale), t.loss.Value)
	} else {
		l.value = add(g.squaredLoss(o.values, b, scale), t.loss.Value)
	}
	if o.movesLeft != nil {
		l.movesLeft = add(t.movesLeftLoss(g, o.movesLeft, b, scale), t.loss.MovesLeft)
	}
	if o.opponent != nil {
		l.opponent = add(g.policyLoss(o.opponent, &b.Replies, false, scale), t.loss.OpponentPolicy)
	}
	if o.soft != nil {
		l.soft = add(g.policyLoss(o.soft, b.Moves.soft(), t.legal(), scale), t.loss.SoftPolicy)
	}
	if o.future != nil {
		l.future = add(g.futureLoss(o.future, b, scale), t.loss.FutureBoard)
	}
	return l
}

// squaredLoss returns the squared error of values [N], summed and multiplied by scale.
func (g *graph) squaredLoss(values *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	z := g.tensor(b.Values)
	squares := g.keep(g.keep(g.keep(values.Sub(z, false)).Square(false)).Sum(gotch.Float, false))
	return g.keep(squares.MulScalar(g.scalar(scale), false))
}

// wdlLoss returns the cross entropy of logits [N, 3] to the probabilities of win, draw and
// loss, summed and multiplied by scale.
func (g *graph) wdlLoss(logits *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	wdl := make([]float32, 0, 3*b.N)
	for i, v := range b.Values {
		d := b.Draws[i]
		wdl = append(wdl, (1+v-d)/2, d, (1-v-d)/2)
	}
	target := g.keep(g.tensor(wdl).View([]int64{int64(b.N), 3}, false))
	logs := g.keep(logits.LogSoftmax(1, gotch.Float, false))
	sum := g.keep(g.keep(logs.Mul(target, false)).Sum(gotch.Float, false))
	return g.keep(sum.MulScalar(g.scalar(-scale), false))
}

// movesLeftLoss returns the loss of the predicted moves left [N], summed over the positions
// where they are known and multiplied by scale.
func (t *Trainer) movesLeftLoss(g *graph, left *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	const sum, delta = 2, 0.5 // sum: libtorch's Reduction::Sum
	known, target := make([]float32, b.N), make([]float32, b.N)
	for i, plies := range b.MovesLeft {
		if plies > 0 {
			known[i], target[i] = 1, plies/float32(t.net.spec.MovesLeftUnit)
		}
	}
	left = g.keep(left.Mul(g.tensor(known), false))
	var loss *ts.Tensor
	if t.loss.MovesLeftError == SquaredError {
		loss = g.keep(left.MseLoss(g.tensor(target), sum, false))
	} else {
		loss = g.keep(left.HuberLoss(g.tensor(target), sum, delta, false))
	}
	return g.keep(loss.MulScalar(g.scalar(scale), false))
}

// unknownSquare is the class of the squares of an unknown board in a batch.
const unknownSquare = 1<<encode.FutureWords - 1

// futureLoss returns the cross entropy of logits [N, 64 SquareClasses] to the classes of the
// squares, as the mean over them, summed over the positions and multiplied by scale.
func (g *graph) futureLoss(logits *ts.Tensor, b *Batch, scale float64) *ts.Tensor {
	const sum = 2 // libtorch's Reduction::Sum
	classes := make([]int64, 0, b.N*Squares)
	for words := range slices.Chunk(b.Futures, encode.FutureWords) {
		for s := range Squares {
			class := int64(0)
			for k, word := range words {
				class |= int64(word>>s&1) << k
			}
			classes = append(classes, class)
		}
	}
	// A table of two dimensions: libtorch's sum over more is not the same every time on a graphics card.
	logits = g.keep(g.single(logits).View([]int64{int64(b.N), encode.SquareClasses, Squares}, false))
	logits = g.keep(g.keep(logits.Transpose(1, 2, false)).Reshape([]int64{-1, encode.SquareClasses}, false))
	target := g.integers(classes)
	loss := g.keep(logits.CrossEntropyLoss(target, ts.None, sum, unknownSquare, 0, false))
	return g.keep(loss.MulScalar(g.scalar(scale/Squares), false))
}

// Accuracy counts how often the policy prefers the best move. The best move has the highest
// target, because it was played or visited most; the first wins a tie. The policy's choice
// is among the moves of LossSettings.PolicyMask.
type Accuracy struct {
	N    int `json:"positions"` // positions with a target
	Top1 int `json:"top1"`      // the best move has the highest score
	Top5 int `json:"top5"`      // at most four other moves have a higher score
}

func (a *Accuracy) Add(b Accuracy) {
	a.N += b.N
	a.Top1 += b.Top1
	a.Top5 += b.Top5
}

// Count adds a position with the targets of its legal moves, by policy index, and the
// policy's scores of all moves. legal restricts the policy's choice to the legal moves.
func (a *Accuracy) Count(indices []int32, targets, scores []float32, legal bool) {
	best, most := int32(-1), float32(0)
	for i, target := range targets {
		if target > most {
			best, most = indices[i], target
		}
	}
	if best < 0 {
		return
	}
	more := 0
	count := func(i int32) {
		// An earlier move wins a tie, so that a uniform policy is not always right.
		if x := scores[i]; x > scores[best] || x == scores[best] && i < best {
			more++
		}
	}
	if legal {
		for _, i := range indices {
			if i >= 0 {
				count(i)
			}
		}
	} else {
		for i := range scores {
			count(int32(i))
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

// Shares returns the counts as fractions of N. They are NaN if N is 0.
func (a *Accuracy) Shares() (top1, top5 float64) {
	return float64(a.Top1) / float64(a.N), float64(a.Top5) / float64(a.N)
}

// accuracy compares logits [N, PolicySize] with the targets of a batch.
func (g *graph) accuracy(logits *ts.Tensor, b *Batch, legal bool) Accuracy {
	all := floats(g.host(g.keep(g.single(logits).Contiguous(false))))
	size, moves := len(all)/b.N, &b.Moves
	if g.listed != nil {
		size, moves = 0, b.Moves.places()
	}
	var a Accuracy
	for i := range b.N {
		from, to := b.Offsets[i], b.Offsets[i+1]
		scores := all[i*size:]
		if g.listed == nil {
			scores = scores[:size]
		}
		a.Count(moves.Indices[from:to], b.Policy[from:to], scores, legal)
	}
	return a
}

// Batch holds training samples in the flat form that libtorch reads.
type Batch struct {
	N      int
	Planes []uint64  // [N][planes]
	Moves            // the legal moves
	Values []float32 // [N]: target of the value

	Draws     []float32 // [N]: target of the draw probability, at most 1 - |value|
	MovesLeft []float32 // [N]: plies to the end of the game; 0 or less means unknown

	Replies Moves    // moves of the opponent; none means unknown
	Futures []uint64 // [N][encode.FutureWords]: later boards; unknownSquare on all squares means unknown
}

// Moves holds moves of N positions with their targets.
type Moves struct {
	Offsets []int32   // [N+1]: the moves of position i are at Offsets[i] up to Offsets[i+1]
	Indices []int32   // policy index of each move; -1 for a move without an index
	Policy  []float32 // target of each move; a position's targets sum to 1
}

// add appends the moves of a position.
func (m *Moves) add(indices []int32, policy []float32) {
	if len(m.Offsets) == 0 {
		m.Offsets = append(m.Offsets, 0)
	}
	m.Indices, m.Policy = append(m.Indices, indices...), append(m.Policy, policy...)
	m.Offsets = append(m.Offsets, int32(len(m.Indices)))
}

// part returns the moves of the positions [from, to).
func (m *Moves) part(from, to int) Moves {
	return Moves{m.Offsets[from : to+1], m.Indices, m.Policy}
}

// alone returns the moves of a part without those of other parts.
func (m Moves) alone() Moves {
	first, last := m.Offsets[0], m.Offsets[len(m.Offsets)-1]
	offsets := make([]int32, len(m.Offsets))
	for i, at := range m.Offsets {
		offsets[i] = at - first
	}
	return Moves{offsets, m.Indices[first:last], m.Policy[first:last]}
}

// reset empties the moves but keeps their memory.
func (m *Moves) reset() { *m = Moves{m.Offsets[:0], m.Indices[:0], m.Policy[:0]} }

// check returns an error if the moves are not those of n positions.
func (m *Moves) check(n int, s *Spec) error {
	switch {
	case len(m.Offsets) != n+1 || m.Offsets[0] != 0 || int(m.Offsets[n]) != len(m.Indices):
		return fmt.Errorf("batch: the offsets of %d samples do not span the %d moves", n, len(m.Indices))
	case len(m.Policy) != len(m.Indices):
		return fmt.Errorf("batch: %d moves, but %d policy targets", len(m.Indices), len(m.Policy))
	}
	for i := range n {
		if m.Offsets[i] > m.Offsets[i+1] {
			return fmt.Errorf("batch: sample %d: its moves end before they start", i)
		}
		for j := m.Offsets[i]; j < m.Offsets[i+1]; j++ {
			index, target := m.Indices[j], m.Policy[j]
			switch {
			case index < -1 || int(index) >= s.PolicySize:
				return fmt.Errorf("batch: sample %d: policy index %d is out of the range 0 to %d", i, index, s.PolicySize-1)
			case !(target >= 0 && target <= 1+1e-3): // also catches NaN
				return fmt.Errorf("batch: sample %d: policy target %v is not a probability", i, target)
			case index == -1 && target != 0:
				return fmt.Errorf("batch: sample %d: policy target %v for a move that the policy cannot express", i, target)
			}
		}
	}
	return nil
}

// softPower makes the targets of the soft policy, as in KataGo.
const softPower = 1.0 / 4

// soft returns the moves with targets to the power softPower, with sum 1 for each position.
func (m *Moves) soft() *Moves {
	policy := make([]float32, len(m.Policy))
	for i := range len(m.Offsets) - 1 {
		from, to := m.Offsets[i], m.Offsets[i+1]
		sum := 0.0
		for j := from; j < to; j++ {
			p := math.Pow(float64(m.Policy[j]), softPower)
			policy[j] = float32(p)
			sum += p
		}
		for j := from; j < to && sum > 0; j++ {
			policy[j] /= float32(sum)
		}
	}
	return &Moves{m.Offsets, m.Indices, policy}
}

// Add appends a copy of a sample. The target of the opponent's reply is the move that was
// played, see [Batch.Reply].
func (b *Batch) Add(s *encode.Sample) {
	b.N++
	b.Planes = append(b.Planes, s.Planes...)
	b.Moves.add(s.Indices, s.Policy)
	if s.Reply < 0 {
		b.Replies.add(nil, nil)
	} else {
		b.Replies.add([]int32{s.Reply}, []float32{1})
	}
	if b.Futures = append(b.Futures, s.Future...); len(s.Future) == 0 {
		b.Futures = append(b.Futures, unknownBoard[:]...)
	}
	b.Values = append(b.Values, s.Value)
	b.Draws = append(b.Draws, s.Drawn())
	b.MovesLeft = append(b.MovesLeft, s.MovesLeft)
}

// Reply makes the policy target of s, the sample of the next position, the target of the
// opponent's reply to the sample that was added last.
func (b *Batch) Reply(s *encode.Sample) {
	r := &b.Replies
	last := r.Offsets[b.N-1]
	*r = Moves{r.Offsets[:b.N], r.Indices[:last], r.Policy[:last]}
	r.add(s.Indices, s.Policy)
}

var unknownBoard = [encode.FutureWords]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64}

// Reset empties the batch but keeps its memory.
func (b *Batch) Reset() {
	*b = Batch{
		Planes: b.Planes[:0], Moves: b.Moves, Values: b.Values[:0],
		Draws: b.Draws[:0], MovesLeft: b.MovesLeft[:0], Replies: b.Replies, Futures: b.Futures[:0],
	}
	b.Moves.reset()
	b.Replies.reset()
}

// check returns an error if the batch does not fit the network.
func (b *Batch) check(s *Spec) error {
	switch {
	case b.N < 1:
		return errors.New("batch: no samples")
	case len(b.Planes) != b.N*s.Planes:
		return fmt.Errorf("batch: %d samples of %d planes need %d words, there are %d", b.N, s.Planes, b.N*s.Planes, len(b.Planes))
	case len(b.Values) != b.N || len(b.Draws) != b.N || len(b.MovesLeft) != b.N:
		return fmt.Errorf("batch: %d samples, but %d values, %d draws and %d of the moves left", b.N, len(b.Values), len(b.Draws), len(b.MovesLeft))
	case s.FutureBoard > 0 && len(b.Futures) != b.N*encode.FutureWords:
		return fmt.Errorf("batch: later boards of %d words for %d samples", len(b.Futures), b.N)
	}
	if err := b.Moves.check(b.N, s); err != nil {
		return err
	}
	if s.OpponentPolicy {
		if err := b.Replies.check(b.N, s); err != nil {
			return fmt.Errorf("replies: %w", err)
		}
	}
	for i := range b.N {
		if v := float64(b.Values[i]); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("batch: sample %d: value %v", i, v)
		}
		if d := float64(b.Draws[i]); !(d >= 0 && d <= 1) {
			return fmt.Errorf("batch: sample %d: the probability of a draw is %v", i, d)
		}
		if m := float64(b.MovesLeft[i]); math.IsNaN(m) || math.IsInf(m, 0) {
			return fmt.Errorf("batch: sample %d: %v moves left", i, m)
		}
	}
	return nil
}

// part returns the positions [from, to). They share the memory of b.
func (b *Batch) part(from, to int) *Batch {
	planes := len(b.Planes) / b.N
	return &Batch{
		N: to - from, Planes: b.Planes[from*planes : to*planes], Moves: b.Moves.part(from, to), Values: b.Values[from:to],
		Draws: b.Draws[from:to], MovesLeft: b.MovesLeft[from:to],
		Replies: b.Replies.part(from, to), Futures: b.Futures[from*encode.FutureWords : to*encode.FutureWords],
	}
}
