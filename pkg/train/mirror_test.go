package train

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"alamos/pkg/data"
	"alamos/pkg/encode"
)

// In each epoch, a random half of the samples that can be reflected is; validation sees the
// samples as they are.
func TestMirror(t *testing.T) {
	set := noCastling(t)
	codec, err := set.Meta().Codec()
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := encode.NewMirror(codec)
	if err != nil {
		t.Fatal(err)
	}
	var all []int32
	for i := range set.Len() {
		all = append(all, int32(i))
	}
	r := generation{cfg: Config{Batch: 7, Mirror: true}, window: set, learn: all, mirror: mirror, seeds: Seeds{1, 2}}
	reflected := func() (which []bool) {
		at := 0
		for b := range r.epochBatches(0) {
			for i := range b.N {
				s := set.Sample(at)
				planes := b.Planes[i*len(s.Planes):][:len(s.Planes)]
				same := reflect.DeepEqual(planes, s.Planes)
				var other encode.Sample
				if mirror.Reflect(&other, s); !same && !reflect.DeepEqual(planes, other.Planes) {
					t.Fatalf("sample %d is neither itself nor its reflection", at)
				}
				want := s.Indices
				if !same {
					want = other.Indices
				}
				if have := b.Indices[b.Offsets[i]:b.Offsets[i+1]]; !reflect.DeepEqual(have, want) {
					t.Fatalf("sample %d: moves %v, want %v", at, have, want)
				}
				which = append(which, !same)
				at++
			}
		}
		return which
	}
	first, again := reflected(), reflected()
	r.epochs = make([]Epoch, 1)
	next := reflected()
	if !reflect.DeepEqual(first, again) || reflect.DeepEqual(first, next) {
		t.Error("the choice is not a function of the epoch")
	}
	n := 0
	for _, yes := range first {
		if yes {
			n++
		}
	}
	if n < len(first)/3 || n > 2*len(first)/3 {
		t.Errorf("%d of %d samples are reflected", n, len(first))
	}

	_, held := data.Split(set, 1, 0.3, false)
	p, q := newPupil(t, constant), newPupil(t, constant)
	r.held, r.tr = held, p.tr
	var with, without Epoch
	if err := r.validate(t.Context(), &with); err != nil {
		t.Fatal(err)
	}
	r.mirror, r.tr = nil, q.tr
	if err := r.validate(t.Context(), &without); err != nil || !reflect.DeepEqual(with, without) {
		t.Errorf("validation with reflections %+v, without %+v, %v", with, without, err)
	}
}

// A training that is resumed reflects the samples that the whole one reflects.
func TestMirrorResumes(t *testing.T) {
	set, cfg := noCastling(t), settings(3)
	cfg.Mirror = true
	whole, resumed := newPupil(t, constant), newPupil(t, constant)
	want, kept := whole.learnFrom(t, cfg, set, nil, 1)
	have, _ := resumed.learnFrom(t, cfg, set, kept, 1)
	whole.same(t, "resumed", resumed.snap(t))
	if !reflect.DeepEqual(want, have) {
		t.Errorf("epochs %+v, want %+v", have, want)
	}
	cfg.Mirror = false
	if plain, _ := newPupil(t, constant).learnFrom(t, cfg, set, nil, 1); reflect.DeepEqual(want, plain) {
		t.Error("reflections change nothing")
	}
}

// noCastling is a set of positions without castling rights.
func noCastling(t *testing.T) *data.Set {
	t.Helper()
	set := noise(t)
	for i := range set.Len() {
		clear(set.Sample(i).Planes[12:14])
	}
	return set
}

func TestMirrorNeedsCastlingPlanes(t *testing.T) {
	p := newPupil(t, constant)
	cfg := settings(1)
	cfg.Mirror = true
	_, err := Run(context.Background(), cfg, p.net, p.tr, marro(t), Seeds{}, &p.state, nil, Hooks{})
	if err == nil || !strings.Contains(err.Error(), "training.mirror: encoding marro77 has no planes of castling rights") {
		t.Errorf("error %v", err)
	}
}

// marro is a set of two samples of marro77.
func marro(t *testing.T) *data.Set {
	t.Helper()
	path := t.TempDir() + "/marro.parquet"
	samples := []encode.Sample{{Planes: make([]uint64, 77)}, {Game: 1, Planes: make([]uint64, 77)}}
	if err := data.Write(path, data.Meta{Encoder: "marro77", Policy: "none", Variant: "chess"}, samples); err != nil {
		t.Fatal(err)
	}
	set, err := data.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
