package train

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/nn"
)

// The batches are those that one puts together by hand, also while the one before
// is in use. Their sizes are even.
func TestBatches(t *testing.T) {
	set := noise(t)
	indices := []int32{7, 3, 3, 20, 0, 11, 40}
	for size, sizes := range map[int][]int{1: {1, 1, 1, 1, 1, 1, 1}, 3: {2, 2, 3}, 4: {3, 4}, 6: {3, 4}, 7: {7}, 100: {7}} {
		var want []nn.Batch
		rest := indices
		for _, n := range sizes {
			var b nn.Batch
			for _, i := range rest[:n] {
				b.Add(set.Sample(int(i)))
			}
			want, rest = append(want, b), rest[n:]
		}
		at := 0
		for b := range Batches(set, indices, size) {
			if diff := cmp.Diff(&want[at], b); diff != "" {
				t.Errorf("size %d, batch %d (-want +have):\n%s", size, at, diff)
			}
			at++
		}
		if at != len(want) {
			t.Errorf("size %d: %d batches, want %d", size, at, len(want))
		}
	}
	for range Batches(set, nil, 3) {
		t.Error("a batch of nothing")
	}
	for stop := range 3 { // leaving early is harmless
		at := 0
		for range Batches(set, indices, 2) {
			if at++; at > stop {
				break
			}
		}
	}
}

// A value in place of a sample's own says nothing of draws: those are the result's,
// as far as the value leaves room for them.
func TestBatchesOfOtherValues(t *testing.T) {
	set := noise(t)
	indices := make([]int32, set.Len())
	values := make([]float32, set.Len())
	for i := range indices {
		indices[i] = int32(i)
		values[i] = 0.25 * float32(i%2)
	}
	won, drawn := 0, 0
	f := feed{set: set, values: values}
	for b := range f.batches(indices, set.Len(), 0) {
		for i := range b.N {
			s := set.Sample(i)
			want := float32(0)
			if s.Value == 0 {
				want = 1 - values[i]
				drawn++
			} else {
				won++
			}
			if b.Values[i] != values[i] || b.Draws[i] != want {
				t.Errorf("sample %d with the result %v: value %v, draw %v, want %v and %v", i, s.Value, b.Values[i], b.Draws[i], values[i], want)
			}
		}
	}
	if won == 0 || drawn == 0 {
		t.Error("nothing was tested")
	}
}

// bf16 learns what single precision learns: on games that can be learned its
// held-out losses end where those of single precision end.
func TestBF16Learns(t *testing.T) {
	set := learnable(t)
	losses := map[string]nn.Loss{}
	for _, precision := range []string{nn.FP32, nn.Auto} {
		p := newPupilOn(t, constant, nn.TrainerOptions{Threads: 2, Precision: precision})
		if precision == nn.Auto && p.tr.Precision() != nn.BF16 {
			t.Skip("this processor has no bf16 arithmetic")
		}
		epochs := p.learn(t, settings(25), set, Seeds{1, 2})
		first, last := epochs[0].Validation, epochs[selected(t, epochs)].Validation
		if last.Policy > first.Policy-1 || last.Value > first.Value/2 {
			t.Errorf("%s: little was learned: %s", precision, fmt.Sprint(first, last))
		}
		losses[precision] = last
	}
	single, half := losses[nn.FP32], losses[nn.Auto]
	t.Logf("single precision %+v, bf16 %+v", single, half)
	if d := half.Policy - single.Policy; d > 0.05*single.Policy {
		t.Errorf("policy loss %v, single precision has %v", half.Policy, single.Policy)
	}
	if d := half.Value - single.Value; d > 0.02 {
		t.Errorf("value loss %v, single precision has %v", half.Value, single.Value)
	}
}
