package train

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// The target of the opponent's reply is the policy target of the next position if it is a
// sample, otherwise the move that was played; it is reflected with its position.
func TestReplies(t *testing.T) {
	sample := func(ply int32, policy ...float32) encode.Sample {
		return encode.Sample{Ply: ply, Planes: make([]uint64, 16), Indices: []int32{ply, 100 + ply}, Policy: policy, Draw: -1, Reply: 50 + ply}
	}
	samples := []encode.Sample{sample(0, 0.25, 0.75), sample(1, 0.5, 0.5), sample(4, 1, 0)}
	samples[2].Reply = -1
	path := t.TempDir() + "/games.parquet"
	if err := data.Write(path, data.Meta{Encoder: "atomic16", Policy: "uci1968", Variant: "atomic"}, samples); err != nil {
		t.Fatal(err)
	}
	set, err := data.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	codec, err := set.Meta().Codec()
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := encode.NewMirror(codec)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		feed    feed
		indices []int32
		policy  []float32
	}{
		{feed{set: set, reply: true}, []int32{1, 101, 51}, []float32{0.5, 0.5, 1}},
		{feed{set: set}, []int32{50, 51}, []float32{1, 1}},
	} {
		for b := range c.feed.batches([]int32{0, 1, 2}, 3, 0) {
			if !slices.Equal(b.Replies.Indices, c.indices) || !slices.Equal(b.Replies.Policy, c.policy) || b.Replies.Offsets[3] != int32(len(c.indices)) {
				t.Errorf("replies %+v, want %v, %v", b.Replies, c.indices, c.policy)
			}
		}
	}
	reflected := 0
	for seed := range uint64(8) {
		f := feed{set: set, reply: true, mirror: mirror, seed: seed}
		for b := range f.batches([]int32{0}, 1, 0) {
			var s, next encode.Sample
			mirror.Reflect(&s, set.Sample(0))
			mirror.Reflect(&next, set.Sample(1))
			switch {
			case slices.Equal(b.Indices, s.Indices) && slices.Equal(b.Replies.Indices, next.Indices):
				reflected++
			case !slices.Equal(b.Replies.Indices, set.Sample(1).Indices):
				t.Errorf("moves %v with replies %v", b.Indices, b.Replies.Indices)
			}
		}
	}
	if reflected == 0 || reflected == 8 {
		t.Errorf("%d of 8 samples are reflected", reflected)
	}
}

// Auxiliary heads are trained, measured and averaged with the others, and a training that is
// resumed ends in the same bits.
func TestAuxiliaryHeads(t *testing.T) {
	set := games(t, 1, false, 2, func(s *encode.Sample) {
		s.Reply, s.Future = s.Indices[0], []uint64{s.Planes[0], s.Planes[1], 0, 0}
	})
	cfg := settings(5)
	cfg.Schedule.Initial, cfg.Average, cfg.Mirror = 0.003, &Average{Every: 32, Decay: 0.5}, true
	pupil := func() *pupil {
		p := newPupil(t, constant)
		spec := p.net.Spec()
		spec.OpponentPolicy, spec.SoftPolicy, spec.FutureBoard = true, true, 2
		var err error
		if p.net, err = nn.New(spec, 3); err != nil {
			t.Fatal(err)
		}
		tr, err := nn.NewTrainer(p.net, nn.Optimizer{Kind: "adam"}, nn.TrainerOptions{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tr.Close() })
		p.tr = tr
		return p
	}
	whole, resumed := pupil(), pupil()
	epochs, kept := whole.learnFrom(t, cfg, set, nil, 2)
	first, last := epochs[0].Train, epochs[len(epochs)-1].Train
	if last.OpponentPolicy >= first.OpponentPolicy || last.SoftPolicy >= first.SoftPolicy || last.FutureBoard >= first.FutureBoard {
		t.Errorf("training loss %+v at first, %+v at last", first, last)
	}
	for _, name := range []string{"opponent_policy.linear.weight", "soft_policy.conv.weight", "future_board.conv2.bias"} {
		if _, ok := whole.state.Average[name]; !ok {
			t.Errorf("the average has no %s", name)
		}
	}
	again, _ := resumed.learnFrom(t, cfg, set, kept, 2)
	whole.same(t, "resumed", resumed.snap(t))
	if diff := cmp.Diff(epochs, again); diff != "" || !cmp.Equal(whole.state, resumed.state) {
		t.Errorf("resumed training differs:\n%s", diff)
	}
}
