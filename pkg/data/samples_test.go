package data

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"alamos/pkg/disk"
	"alamos/pkg/encode"
)

var meta = Meta{Encoder: "atomic16", Policy: "uci1968", Variant: "atomic", Generation: 3}

// randomGames returns the samples of games numbered from first on.
func randomGames(r *rand.Rand, first, games, plies, moves int) []encode.Sample {
	var all []encode.Sample
	for g := range games {
		z := float32(r.IntN(3) - 1)
		for ply := range plies {
			s := encode.Sample{Game: int32(first + g), Ply: int32(ply), Value: z, Draw: -1, Planes: make([]uint64, 16)}
			for i := range s.Planes {
				s.Planes[i] = r.Uint64() & r.Uint64() & r.Uint64()
			}
			n := 1 + r.IntN(moves)
			for i := range n {
				s.Indices = append(s.Indices, int32(i*1968/n))
				s.Policy = append(s.Policy, 1/float32(n))
			}
			all = append(all, s)
		}
	}
	return all
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// countGames returns the number of games in a set of one generation.
func countGames(s *Set) int {
	games := map[int32]bool{}
	for _, x := range samplesOf(s) {
		games[x.Game] = true
	}
	return len(games)
}

// samplesOf reads everything back.
func samplesOf(s *Set) []encode.Sample {
	all := make([]encode.Sample, s.Len())
	for i := range all {
		all[i] = *s.Sample(i)
	}
	return all
}

func write(t testing.TB, m Meta, samples []encode.Sample) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gen.parquet")
	if err := Write(path, m, samples); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) *Set {
	t.Helper()
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// streamed reads everything back, sample by sample.
func streamed(path string) (all []encode.Sample, err error) {
	err = withReader(path, func(r *reader) (err error) {
		all, err = drain(r)
		return err
	})
	return all, err
}

// drain reads the samples of a reader, and wants them to be those that it counts.
func drain(r *reader) (all []encode.Sample, err error) {
	games, err := r.games()
	if err != nil {
		return nil, err
	}
	for s, err := range r.all() {
		if err != nil {
			return nil, err
		}
		all = append(all, s)
		games[s.Game]--
	}
	for g, left := range games {
		if left != 0 {
			return nil, fmt.Errorf("game %d has %d samples fewer than counted", g, left)
		}
	}
	return all, nil
}

// unmarshal is the inverse of marshal.
func unmarshal(file []byte) (*part, error) {
	table, err := openParquet(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	r, err := newReader("marshaled", table)
	if err != nil {
		return nil, err
	}
	return r.part(nil)
}

// drawSamples draws any samples that a file with the meta must carry.
func drawSamples(t *rapid.T, m Meta) []encode.Sample {
	value := rapid.Float32Range(-1, 1)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) encode.Sample {
		s := encode.Sample{
			Game:   rapid.Int32Min(0).Draw(t, "game"),
			Ply:    rapid.Int32Min(0).Draw(t, "ply"),
			Planes: rapid.SliceOfN(rapid.Uint64(), 16, 16).Draw(t, "planes"),
			Value:  value.Draw(t, "value"),
			Draw:   value.Draw(t, "draw"),
		}
		s.MovesLeft = rapid.Float32Range(-1, 1000).Draw(t, "moves left")
		if m.Future > 0 {
			s.Future = rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(t, "future")
		}
		if m.Policy == "none" {
			return s
		}
		s.Reply = rapid.Int32Range(-1, 1967).Draw(t, "reply")
		s.Indices = rapid.SliceOfN(rapid.Int32Range(0, 1967), 1, 300).Draw(t, "indices")
		left := float32(1)
		for range s.Indices[1:] {
			p := rapid.Float32Range(0, left).Draw(t, "target")
			left = max(left-p, 0)
			s.Policy = append(s.Policy, p)
		}
		s.Policy = append(s.Policy, left)
		return s
	}), 0, 40).Draw(t, "samples")
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gen.parquet")
	rapid.Check(t, func(t *rapid.T) {
		m := meta
		m.Generation = rapid.IntRange(0, 1<<31).Draw(t, "generation")
		m.Policy = rapid.SampledFrom([]string{"uci1968", "none"}).Draw(t, "policy")
		m.Recurring = rapid.Bool().Draw(t, "recurring")
		m.Future = rapid.IntRange(0, 1).Draw(t, "future plies")
		want := drawSamples(t, m)
		if err := Write(path, m, want); err != nil {
			t.Fatal(err)
		}
		set, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := streamed(path); err != nil || len(got) != len(want) || len(want) > 0 && !cmp.Equal(got, want, cmpopts.EquateEmpty()) {
			t.Fatalf("streamed (error %v) samples differ:\n%s", err, cmp.Diff(want, got))
		}
		if meta, err := ReadMeta(path); err != nil || meta != m {
			t.Fatalf("meta %+v (error %v), want %+v", meta, err, m)
		}
		if got := samplesOf(set); len(got) != len(want) || len(want) > 0 && !cmp.Equal(got, want) {
			t.Fatal(cmp.Diff(want, got))
		}
		if set.Meta() != m {
			t.Fatalf("meta %v, want %v", set.Meta(), m)
		}
		if after, err := os.ReadDir(filepath.Dir(path)); err != nil || len(after) != 1 {
			t.Fatalf("left beside the file: %v, %v", after, err)
		}
	})
}

// More rows than one chunk and one page have.
func TestRoundTripOfManyRows(t *testing.T) {
	want := randomGames(newRand(1), 0, 40, 200, 60)
	later := meta
	later.Future = 8
	for i := range want {
		want[i].Future = want[i].Planes[:4]
	}
	path := write(t, later, want)
	set := read(t, path)
	if diff := cmp.Diff(want, samplesOf(set)); diff != "" {
		t.Fatal(diff)
	}
	if countGames(set) != 40 {
		t.Errorf("%d games, want 40", countGames(set))
	}
	exact := 0.0
	for i := range want {
		exact += float64(SampleBytes(len(want[i].Planes)+len(want[i].Future), len(want[i].Indices)))
	}
	if samples, bytes, err := Memory(path); err != nil || samples != len(want) || math.Abs(float64(bytes)/exact-1) > 0.01 {
		t.Errorf("memory of %d samples: %d bytes (%v), want %d and %.0f", samples, bytes, err, len(want), exact)
	}
}

func TestEqualSamplesGiveEqualBytes(t *testing.T) {
	samples := randomGames(newRand(1), 0, 20, 100, 60)
	first, err := marshal(meta, samples)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		again, err := marshal(meta, samples)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first, again) {
			t.Fatal("bytes differ")
		}
	}
	samples[7].Value = -samples[7].Value + 0.5
	if other, err := marshal(meta, samples); err != nil || bytes.Equal(first, other) {
		t.Fatalf("other samples give equal bytes (error %v)", err)
	}
}

func TestWriteReplacesAFile(t *testing.T) {
	path := write(t, meta, randomGames(newRand(1), 0, 2, 10, 30))
	want := randomGames(newRand(2), 0, 1, 5, 30)
	if err := Write(path, meta, want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, samplesOf(read(t, path))); diff != "" {
		t.Fatal(diff)
	}
}

func TestWriteRefusesWhatIsNotASample(t *testing.T) {
	valid := func() *encode.Sample { return &randomGames(newRand(1), 0, 1, 1, 30)[0] }
	nan := float32(0)
	nan /= nan
	for _, test := range []struct {
		want  string
		spoil func(s *encode.Sample, m *Meta)
	}{
		{"ply -1: want numbers from 0", func(s *encode.Sample, m *Meta) { s.Ply = -1 }},
		{"3 planes, the encoder has 16", func(s *encode.Sample, m *Meta) { s.Planes = s.Planes[:3] }},
		{"targets", func(s *encode.Sample, m *Meta) { s.Policy = s.Policy[1:] }},
		{"policy index 1968, want 0 to 1967", func(s *encode.Sample, m *Meta) { s.Indices[0] = 1968 }},
		{"policy index -1", func(s *encode.Sample, m *Meta) { s.Indices[0] = -1 }},
		{"have the sum 0", func(s *encode.Sample, m *Meta) { s.Indices, s.Policy = nil, nil }},
		{"policy target NaN", func(s *encode.Sample, m *Meta) { s.Policy[0] = nan }},
		{"have the sum", func(s *encode.Sample, m *Meta) { s.Policy[0] += 0.5 }},
		{"value NaN", func(s *encode.Sample, m *Meta) { s.Value = nan }},
		{"value 1.5", func(s *encode.Sample, m *Meta) { s.Value = 1.5 }},
		{"probability NaN of a draw", func(s *encode.Sample, m *Meta) { s.Draw = nan }},
		{"probability 1.5 of a draw", func(s *encode.Sample, m *Meta) { s.Draw = 1.5 }},
		{"NaN plies left", func(s *encode.Sample, m *Meta) { s.MovesLeft = nan }},
		{"a later board of 4 words, want 0", func(s *encode.Sample, m *Meta) { s.Future = s.Planes[:4] }},
		{"a later board of 0 words, want 4", func(s *encode.Sample, m *Meta) { m.Future = 8 }},
		{"policy index 1968 of the reply", func(s *encode.Sample, m *Meta) { s.Reply = 1968 }},
		{"but there is no policy", func(s *encode.Sample, m *Meta) { m.Policy = "none" }},
		{"generation -1", func(s *encode.Sample, m *Meta) { m.Generation = -1 }},
		{"nonesuch", func(s *encode.Sample, m *Meta) { m.Encoder = "nonesuch" }},
		{"nonesuch", func(s *encode.Sample, m *Meta) { m.Policy = "nonesuch" }},
		{"nonesuch", func(s *encode.Sample, m *Meta) { m.Variant = "nonesuch" }},
	} {
		s, m := valid(), meta
		test.spoil(s, &m)
		path := filepath.Join(t.TempDir(), "gen.parquet")
		err := Write(path, m, []encode.Sample{*s})
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want one that names the file and has %q", err, test.want)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a file was written", test.want)
		}
	}
}

// marshal returns the bytes of a file.
func marshal(meta Meta, samples []encode.Sample) ([]byte, error) {
	h, err := meta.shape()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := newWriter(&out, meta, h)
	if err != nil {
		return nil, err
	}
	for i := range samples {
		if err := w.Add(&samples[i]); err != nil {
			return nil, err
		}
	}
	err = w.close()
	return out.Bytes(), err
}

// A stream that fails leaves no file.
func TestStreamFails(t *testing.T) {
	samples := randomGames(newRand(4), 0, 20, 40, 20)
	path := filepath.Join(t.TempDir(), "fails.parquet")
	stop := errors.New("no more")
	err := Stream(path, meta, func(w *Writer) error {
		for i := range samples {
			if err := w.Add(&samples[i]); err != nil {
				return err
			}
		}
		return stop
	})
	if !errors.Is(err, stop) {
		t.Errorf("a filler that fails gives %v, want its error", err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(left) > 0 {
		t.Errorf("a filler that fails leaves %v (%v)", left, err)
	}
}

// More rows than a row group has come back as they were.
func TestRowGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a large file")
	}
	rng := newRand(5)
	samples := make([]encode.Sample, 2*groupRows+10)
	few := randomGames(rng, 0, 10, 10, 3)
	for i := range samples {
		samples[i] = few[rng.IntN(len(few))]
	}
	path := write(t, meta, samples)
	set := read(t, path)
	if set.Len() != len(samples) {
		t.Fatalf("%d samples, want %d", set.Len(), len(samples))
	}
	again, err := streamed(path)
	if err != nil || !reflect.DeepEqual(again, samples) {
		t.Errorf("streamed: %d samples, error %v, want what was written", len(again), err)
	}
	mapped, err := disk.NewMapped(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	full, err := disk.NewMapped(t.TempDir())
	if err != nil || full.Close() != nil {
		t.Fatal(err)
	}
	if _, err := ReadInto(path, full); err == nil { // a file that cannot grow
		t.Error("samples were mapped into a closed file")
	}
	onDisk, err := ReadInto(path, mapped)
	if err != nil {
		t.Fatal(err)
	}
	for i := range samples {
		if i%100 == 0 {
			onDisk.Expect([]int32{int32(i)})
		}
		for _, s := range []*encode.Sample{set.Sample(i), onDisk.Sample(i)} {
			if !reflect.DeepEqual(*s, samples[i]) {
				t.Fatalf("sample %d is %+v, want %+v", i, s, samples[i])
			}
		}
	}
}

func TestHasResult(t *testing.T) {
	for name, x := range map[string]struct {
		sample encode.Sample
		want   bool
	}{
		"none":       {encode.Sample{Draw: -1}, false},
		"a draw":     {encode.Sample{Draw: 1}, true},
		"even":       {encode.Sample{Draw: 0}, true},
		"won":        {encode.Sample{Value: 1, Draw: -1}, true},
		"plies left": {encode.Sample{Draw: -1, MovesLeft: 3}, true},
	} {
		if have := HasResult(&x.sample); have != x.want {
			t.Errorf("%s: %v", name, have)
		}
	}
}
