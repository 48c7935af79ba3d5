package nn

// #include "alamos.h"
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"unsafe"

	"alamos/pkg/config"
	"alamos/pkg/encode"

	"github.com/sugarme/gotch/ts"
)

// TrunkSparse is a trunk for processors, after NNUE (Y. Nasu, "Efficiently Updatable
// Neural-Network-based Evaluation Functions for Computer Shogi", 2018) and Monty, a Monte-Carlo
// engine with sparse networks. A position is a set of features: each plane has 64, the squares
// of a board or the levels of a plane with one number. Each side sees the position in its own
// view. The sum of the table's rows of a view's features, plus a bias, has Width columns for
// the value and PolicyWidth columns for the policy; the heads read the activations of both
// sides, those of the side to move first.
const TrunkSparse = "sparse"

// Activation functions of sparse trunks.
const (
	Squared = "squared" // min(1, max(0, x))^2
	Clipped = "clipped" // min(1, max(0, x))
)

// INT8 is the precision of sparse networks in inference: sums of 16 bits, and 8 bits for the
// activations and the weights of each head's first layer. All processors give the same result
// to the bit.
const INT8 = "int8"

// completeSparse is [Spec.Complete] for a sparse trunk.
func (s Spec) completeSparse() (Spec, error) {
	d := config.Default[Spec]
	s.KingBuckets = cmp.Or(s.KingBuckets, int(d("king_buckets")))
	if s.PolicySize == 0 {
		s.PolicyHead, s.PolicyWidth = PolicyNone, 0
	} else {
		s.PolicyHead, s.PolicyWidth = policyRows, cmp.Or(s.PolicyWidth, int(d("policy_width")))
	}
	s.Value = cmp.Or(s.Value, ValueTanh)
	s.Activation, s.Attention = cmp.Or(s.Activation, Squared), cmp.Or(s.Attention, AttentionNone)
	s.ValueChannels, s.ValueSecond, s.HeadKernel = Flat, 0, kernel1
	if s.ValueHidden == nil {
		s.ValueHidden = []int{16, 32}
	}
	s.ValueHidden = slices.Clone(s.ValueHidden)
	if s.MovesLeft {
		s.MovesLeftHidden = cmp.Or(s.MovesLeftHidden, int(d("moves_left_hidden")))
		s.MovesLeftUnit = cmp.Or(s.MovesLeftUnit, int(d("moves_left_unit")))
	}
	if err := s.checkSparse(); err != nil {
		return s, fmt.Errorf("network: %w", err)
	}
	sides, err := s.sides()
	switch {
	case err != nil:
		return s, err
	case len(sides.Other) != s.Planes:
		return s, fmt.Errorf("network: the input %s has %d planes, not %d", s.Input, len(sides.Other), s.Planes)
	case s.PolicySize == 0 && (s.OpponentPolicy || s.SoftPolicy):
		return s, errors.New("network: opponent policy, soft policy: there is no policy")
	case s.Mirror && s.PolicySize > 0 && s.PolicyMap == "":
		return s, errors.New("network: mirror: the policy map is not named")
	}
	if s.Mirror && s.PolicySize > 0 {
		if _, err := s.policyMap("mirror"); err != nil {
			return s, err
		}
	}
	return s, nil
}

// checkSparse is [Spec.CheckTrunk] of a sparse trunk.
func (s *Spec) checkSparse() error {
	switch {
	case s.Activation != Squared && s.Activation != Clipped:
		return fmt.Errorf("a sparse trunk has the activation %s or %s, not %s", Squared, Clipped, s.Activation)
	case s.Width < 0 || s.Width > maxSparseWidth || s.PolicyWidth > maxSparseWidth:
		return fmt.Errorf("a sparse trunk has at most %d features, not %d and %d", maxSparseWidth, s.Width, s.PolicyWidth)
	case s.Width%32 != 0 || s.PolicyWidth%32 != 0:
		return fmt.Errorf("a sparse trunk has features in steps of 32, not %d for the value and %d for the policy", s.Width, s.PolicyWidth)
	case kingBuckets[s.KingBuckets] == nil:
		return fmt.Errorf("a sparse trunk has 1, 2, 4, 8 or 16 king buckets, not %d", s.KingBuckets)
	}
	sides, err := s.sides()
	if err == nil && s.Mirror && !sides.Reflects {
		err = errors.New("mirror: the rules are not the same on a reflected board, or it has not eight files")
	}
	return err
}

// maxSparseWidth is the range of the tags.
const maxSparseWidth = 4096

// policyRows is the policy head of sparse trunks.
const policyRows = "rows"

// sides returns how the other side sees the planes.
func (s *Spec) sides() (encode.Sides, error) {
	planes, err := encode.PlanesByName(s.Input)
	if err != nil {
		return encode.Sides{}, err
	}
	sides, err := encode.SidesOf(planes)
	if err != nil {
		err = fmt.Errorf("a sparse trunk cannot read this input: %w", err)
	}
	return sides, err
}

// kingBuckets returns the table for a king on a file and a rank, 0 to 7, by the number of
// tables. Kings spend most of a game on their first ranks.
var kingBuckets = map[int]func(file, rank int) int{
	1: func(int, int) int { return 0 },
	2: func(_, rank int) int { return min(rank, 1) },
	4: func(file, rank int) int { return 2*min(rank, 1) + file/4 },
	8: func(file, rank int) int { return [3]int{0 + file/2, 4 + file/4, 6 + file/4}[min(rank, 2)] },
	16: func(file, rank int) int {
		return [8]int{0 + file, 8 + file/2, 12 + file/4, 12 + file/4, 14 + file/4, 14 + file/4, 14 + file/4, 14 + file/4}[rank]
	},
}

// sparse is a sparse trunk.
type sparse struct {
	spec        *Spec
	sides       encode.Sides
	table, bias *param  // [rows, columns], [columns]
	reflected   []int32 // policy indices of reflected moves; nil without Spec.Mirror
}

// activeFeatures is a usual number of features of a view, which the initial weights allow for.
const activeFeatures = 32

func newSparse(d *declaration, s *Spec) *sparse {
	t := &sparse{spec: s}
	var err error
	t.sides, err = s.sides()
	must(err) // which Complete checked
	if s.Mirror && s.PolicySize > 0 {
		policy, err := s.policyMap("mirror")
		must(err) // likewise
		t.reflected = encode.ReflectedMoves(policy)
	}
	columns := s.Width + s.PolicyWidth
	t.table = d.add("features.weight", true, uniform(activeFeatures, 1), s.KingBuckets*s.Planes*64, columns)
	t.bias = d.add("features.bias", true, value(0.1), columns)
	return t
}

// reflects reports whether the views of packed planes are reflected.
func (t *sparse) reflects(planes []uint64) bool {
	king := planes[t.sides.King]
	return t.spec.Mirror && king != 0 && bits.TrailingZeros64(king)&4 != 0
}

// reflectedMoves appends the policy indices of a position's moves as its views show them.
func (t *sparse) reflectedMoves(to, indices []int32, planes []uint64) []int32 {
	from := len(to)
	to = append(to, indices...)
	if t.reflected != nil && t.reflects(planes) {
		for i, index := range to[from:] {
			if index >= 0 {
				to[from+i] = t.reflected[index]
			}
		}
	}
	return to
}

// reflectedBatch returns the batch with the moves, the replies and the later boards as the views
// show them.
func (t *sparse) reflectedBatch(b *Batch) *Batch {
	if t == nil || !t.spec.Mirror {
		return b
	}
	reflected := *b
	reflected.Indices, reflected.Replies.Indices, reflected.Futures = make([]int32, 0, len(b.Indices)), nil, slices.Clone(b.Futures)
	for i := range b.N {
		planes := b.Planes[i*t.spec.Planes:][:t.spec.Planes]
		reflected.Indices = t.reflectedMoves(reflected.Indices, b.Indices[b.Offsets[i]:b.Offsets[i+1]], planes)
		reflected.Replies.Indices = t.reflectedMoves(reflected.Replies.Indices, b.Replies.Indices[b.Replies.Offsets[i]:b.Replies.Offsets[i+1]], planes)
		if t.reflects(planes) {
			for j := range encode.FutureWords {
				word := &reflected.Futures[i*encode.FutureWords+j]
				*word = encode.ReflectBoard(*word)
			}
		}
	}
	return &reflected
}

// shape calls f with the trunk's shape in C.
func (t *sparse) shape(f func(*C.alamos_sparse_shape) *C.char) {
	s := t.spec
	var swap []int32
	for _, p := range t.sides.Other {
		swap = append(swap, int32(p))
	}
	var buckets [64]int32
	for square := range buckets {
		buckets[square] = int32(kingBuckets[s.KingBuckets](square%8, square/8))
	}
	constant := marks(s.Constant)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(unsafe.SliceData(constant))
	pin.Pin(unsafe.SliceData(swap))
	pin.Pin(&buckets)
	must(message(f(&C.alamos_sparse_shape{
		planes: C.int(s.Planes), constant: bytesOf(constant), swap: int32s(swap), ranks: C.int(t.sides.Ranks), king: C.int(t.sides.King),
		buckets: C.int(s.KingBuckets), bucket_of: int32s(buckets[:]), mirror: flag(s.Mirror),
		width: C.int(s.Width), policy_width: C.int(s.PolicyWidth), squared: flag(s.Activation == Squared),
	})))
}

// features are what heads read: the maps of a trunk of convolutions, or the activations
// [N, 2 Width] and [N, 2 PolicyWidth] of a sparse one.
type features struct{ maps, value, policy *ts.Tensor }

// forward returns the activations of packed planes.
func (t *sparse) forward(g *graph, planes []uint64) (x features) {
	n := C.int(len(planes) / t.spec.Planes)
	if g.generic {
		return t.libraryForward(g, planes)
	}
	var value, policy unsafe.Pointer
	t.shape(func(shape *C.alamos_sparse_shape) *C.char {
		return C.alamos_sparse_sums(shape, g.params[t.table].Ctensor(), g.params[t.bias].Ctensor(), n, uint64s(planes), g.late, &value, &policy)
	})
	return features{value: g.keep(ts.FromCtensor(value), nil), policy: g.keep(ts.FromCtensor(policy), nil)}
}

// libraryForward is forward with libtorch's operations.
func (t *sparse) libraryForward(g *graph, planes []uint64) features {
	n := len(planes) / t.spec.Planes
	var out unsafe.Pointer
	t.shape(func(shape *C.alamos_sparse_shape) *C.char {
		return C.alamos_sparse_bags(shape, g.params[t.table].Ctensor(), C.int(n), uint64s(planes), &out)
	})
	sums := g.keep(ts.FromCtensor(out), nil)
	sums = g.keep(sums.Add(g.params[t.bias], false))
	sums = g.keep(sums.Clamp(g.scalar(0), g.scalar(1), false))
	if t.spec.Activation == Squared {
		sums = g.keep(sums.Square(false))
	}
	part := func(from, width int) *ts.Tensor {
		columns := g.keep(sums.Narrow(1, int64(from), int64(width), false))
		return g.keep(g.keep(columns.Contiguous(false)).View([]int64{int64(n), int64(2 * width)}, false))
	}
	return features{value: part(0, t.spec.Width), policy: part(t.spec.Width, t.spec.PolicyWidth)}
}

// rows returns the logits [moves] of the listed moves alone.
func (g *graph) rows(x *ts.Tensor, l *dense, m *Moves) *ts.Tensor {
	return g.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_sparse_rows(x.Ctensor(), g.params[l.weight].Ctensor(), g.params[l.bias].Ctensor(), int32s(m.Offsets), int32s(m.Indices), g.late, out)
	})
}

// few returns a layer with few outputs of all features [N, D].
func (g *graph) few(x *ts.Tensor, l *dense) *ts.Tensor {
	return g.made(func(out *unsafe.Pointer) *C.char {
		return C.alamos_sparse_few(x.Ctensor(), g.params[l.weight].Ctensor(), g.params[l.bias].Ctensor(), out)
	})
}

// late is what a shard's backward passes leave for the gradients of tables.
type late = *C.alamos_late

func newLate() late { return C.alamos_late_new() }

func freeLate(l late) { C.alamos_late_free(l) }

// startLate gives gradients to the leaves for which shards left something, and addLate adds to
// them what belongs to the columns of one of some shards.
func startLate(all []late, leaves handles) {
	must(message(C.alamos_late_start(unsafe.SliceData(all), C.int(len(all)), leaves.first(), C.int(len(leaves)))))
}

func addLate(all []late, leaves handles, shard, shards int) {
	must(message(C.alamos_late_add(unsafe.SliceData(all), C.int(len(all)), leaves.first(), C.int(len(leaves)), C.int(shard), C.int(shards))))
}

// places returns the moves with their places among the logits of listed moves as indices. The
// moves are not part of others, see [Moves.alone].
func (m *Moves) places() *Moves {
	indices := make([]int32, len(m.Indices))
	for i, index := range m.Indices {
		indices[i] = int32(i)
		if index < 0 {
			indices[i] = -1
		}
	}
	return &Moves{m.Offsets, indices, m.Policy}
}

// sparseModel is a sparse network in our C++.
type sparseModel struct {
	model *C.alamos_sparse
	trunk *sparse
}

// sparsePaths returns the number of instruction sets of this processor that inference can use.
func sparsePaths() int { return int(C.alamos_sparse_paths()) }

// compileSparse makes a model of a sparse network for an instruction set; 0 is the best.
func (n *Network) compileSparse(path int) *sparseModel {
	m := &sparseModel{trunk: n.sparse}
	n.sparse.shape(func(shape *C.alamos_sparse_shape) *C.char {
		return C.alamos_sparse_new(shape, float32s(n.sparse.table.data), float32s(n.sparse.bias.data), C.int(path), &m.model)
	})
	if policy := n.heads.policy; policy != nil {
		l := policy.dense[0]
		must(message(C.alamos_sparse_policy(m.model, C.int(l.weight.shape[0]), float32s(l.weight.data), float32s(l.bias.data))))
	}
	for _, h := range []*head{n.heads.value, n.heads.movesLeft} {
		if h == nil {
			continue
		}
		must(message(C.alamos_sparse_head(m.model, C.int(h.output))))
		layers := h.dense
		if h.linear {
			layers = []*dense{mergeDense(layers)}
		}
		for i, l := range layers {
			must(message(C.alamos_sparse_dense(m.model, C.int(l.weight.shape[1]), C.int(l.weight.shape[0]), flag(i < len(layers)-1), float32s(l.weight.data), float32s(l.bias.data))))
		}
	}
	return m
}

func (m *sparseModel) free() { C.alamos_sparse_free(m.model) }

func (m *sparseModel) newEvaluator() (evaluator, error) {
	return &sparseEvaluator{sparseModel: m, memory: make([]uint64, C.alamos_sparse_memory(m.model))}, nil
}

// sparseEvaluator remembers the sums of the last positions.
type sparseEvaluator struct {
	*sparseModel
	memory  []uint64
	indices []int32 // as the views show them
}

func (e *sparseEvaluator) evaluate(n int, b *buffers) error {
	indices, planes := b.indices, e.trunk.spec.Planes
	if e.trunk.reflected != nil {
		e.indices = e.indices[:0]
		for i := range n {
			e.indices = e.trunk.reflectedMoves(e.indices, b.indices[b.offsets[i]:b.offsets[i+1]], b.planes[i*planes:][:planes])
		}
		indices = e.indices
	}
	return message(C.alamos_sparse_run(e.model, uint64s(e.memory), C.int(n), uint64s(b.planes), int32s(b.offsets), int32s(indices),
		float32s(b.priors), float32s(b.values), float32s(b.wdl), float32s(b.movesLeft)))
}

func (e *sparseEvaluator) close() {}
