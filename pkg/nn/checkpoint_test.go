package nn

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/disk"
)

func someTensors() Tensors {
	return Tensors{
		"b.weight": {[]int{2, 3}, []float32{1, -2, 3, 0.5, 0, 7}},
		"a":        {[]int{}, []float32{8}},
		"empty":    {[]int{0, 4}, []float32{}},
	}
}

func TestSafetensorsRoundTrip(t *testing.T) {
	meta := map[string]string{"z": "last", "a": "first \"quoted\""}
	path := filepath.Join(t.TempDir(), "x.safetensors")
	if err := disk.WriteFile(path, func(w io.Writer) error { return WriteSafetensors(w, someTensors(), meta) }); err != nil {
		t.Fatal(err)
	}
	got, gotMeta, err := ReadSafetensors(path)
	if err != nil {
		t.Fatal(err)
	}
	sameTensors(t, "file", someTensors(), got)
	if !maps.Equal(meta, gotMeta) {
		t.Errorf("metadata %v", gotMeta)
	}
	var a, b bytes.Buffer
	if err := errors.Join(WriteSafetensors(&a, someTensors(), meta), WriteSafetensors(&b, got, gotMeta)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same content gave other bytes")
	}
}

// A tensor whose bytes do not fit its shape is refused, by name.
func TestSafetensorsRefused(t *testing.T) {
	bad := Tensors{"w": {Shape: []int{3}, Data: make([]float32, 2)}}
	if err := WriteSafetensors(io.Discard, bad, nil); err == nil || !strings.Contains(err.Error(), "tensor w") {
		t.Errorf("error %v", err)
	}
}

// file makes a safetensors file of a header and a number of bytes.
func file(header string, body int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, body)...)
}

func TestSafetensorsDamage(t *testing.T) {
	f32 := func(name, shape, offsets string) string {
		return `"` + name + `":{"dtype":"F32","shape":` + shape + `,"data_offsets":` + offsets + `}`
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "truncated"},
		{"no header", file("{}", 0)[:9], "truncated"},
		{"huge header", []byte{0, 0, 0, 0, 0, 0, 0, 1}, "truncated"},
		{"no JSON", file("{{", 0), "header"},
		{"no object", file("[]", 0), "cannot unmarshal array"},
		{"text after the object", file("{} {}", 0), "after top-level value"},
		{"unfinished object", file(`{"a":`, 0), "header"},
		{"twice", file("{"+f32("a", "[1]", "[0,4]")+","+f32("a", "[1]", "[4,8]")+"}", 8), "has bytes 4 to 8"},
		{"unknown dtype", file(`{"a":{"dtype":"F31","shape":[],"data_offsets":[0,4]}}`, 4), `want dtype F32, have F31`},
		{"body truncated", file("{"+f32("a", "[2]", "[0,8]")+"}", 7), "tensor a: truncated"},
		{"overlap", file("{"+f32("a", "[2]", "[0,8]")+","+f32("b", "[2]", "[4,12]")+"}", 12), "tensor b: has bytes 4 to 12"},
		{"gap", file("{"+f32("a", "[1]", "[0,4]")+","+f32("b", "[1]", "[8,12]")+"}", 12), "tensor b: has bytes 8 to 12"},
		{"wrong length", file("{"+f32("a", "[3]", "[0,8]")+"}", 8), "tensor a: shape [3]"},
		{"no float32", file("{"+f32("a", "[1]", "[0,5]")+"}", 5), "has bytes 0 to 5"},
		{"backwards", file("{"+f32("a", "[1]", "[4,0]")+"}", 4), "has bytes 4 to 0"},
		{"negative shape", file("{"+f32("a", "[-1,-1]", "[0,4]")+"}", 4), "impossible shape"},
		{"overflowing shape", file("{"+f32("a", "[4294967296,4294967296,4]", "[0,0]")+"}", 0), "impossible shape"},
		{"trailing bytes", file("{"+f32("a", "[1]", "[0,4]")+"}", 5), "1 bytes after the last tensor"},
		{"metadata", file(`{"__metadata__":{"a":1}}`, 0), "__metadata__"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "damaged.safetensors")
			if err := os.WriteFile(path, c.data, 0o644); err != nil {
				t.Fatal(err)
			}
			_, _, err := ReadSafetensors(path)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v; want the file's name and %q", err, c.want)
			}
		})
	}
}

// FuzzSafetensors: whatever is read without an error is written and read again
// as it was.
func FuzzSafetensors(f *testing.F) {
	var b bytes.Buffer
	if err := WriteSafetensors(&b, someTensors(), map[string]string{"k": "v"}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(file("{}", 0))
	f.Add(file(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}  `, 12))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, meta, err := parseSafetensors(data)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteSafetensors(&b, x, meta); err != nil {
			t.Fatal(err)
		}
		y, again, err := parseSafetensors(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if len(x) != len(y) || len(meta) != len(again) || !maps.Equal(meta, again) && len(meta) > 0 {
			t.Fatalf("read %v, %v, then %v, %v", x, meta, y, again)
		}
		for name := range x {
			if !slices.EqualFunc(x[name].Data, y[name].Data, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Fatalf("tensor %q changed", name)
			}
		}
	})
}

// A checkpoint comes back whole from its file, and its network can be evaluated; another
// program's file is refused.
func TestCheckpoint(t *testing.T) {
	n := mustNew(t, Spec{Planes: 16, PolicySize: 1968, Depth: 1, Width: 8, PolicyHead: PolicyConv}, 1)
	want := &Checkpoint{
		Header:   Header{Spec: n.Spec(), Input: "atomic16", Policy: "uci1968", Variant: "atomic", Generation: 3},
		Snapshot: Snapshot{mustState(t, n), Tensors{"moment": {[]int{2}, []float32{1, 2}}}, mustState(t, mustNew(t, n.Spec(), 2))},
	}
	path := filepath.Join(t.TempDir(), "gen.safetensors")
	if err := want.Write(path); err != nil {
		t.Fatal(err)
	}
	have, err := ReadCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want, have) { // cmp takes a second for it
		t.Error("another checkpoint")
	}
	if codec, v, err := have.Codec(); err != nil || v.String() != "atomic" || codec.Policy.Size() != 1968 {
		t.Errorf("codec for %s: %v", v, err)
	}
	m, err := have.Compile(InferenceOptions{Batch: 2, Precision: FP32})
	if err != nil {
		t.Fatal(err)
	}
	m.Close()

	for what, h := range map[string]Header{"variant": {Variant: "checkers"}, "planes": {Variant: "atomic", Input: "none"}} {
		if _, _, err := h.Codec(); err == nil {
			t.Errorf("no error for unknown %s", what)
		}
	}
	have.Network = nil // the average plays
	if m, err = have.Compile(InferenceOptions{Batch: 2, Precision: FP32}); err != nil {
		t.Fatal(err)
	}
	m.Close()
	have.Average = nil
	if _, err := have.Compile(InferenceOptions{}); err == nil {
		t.Error("compiled without weights")
	}
	have.Spec.Depth, have.Spec.Width = 100, 2048 // of 30 GB
	if _, err := have.Compile(InferenceOptions{}); err == nil || !strings.Contains(err.Error(), "there is no tensor") {
		t.Errorf("a small file of a large network: %v", err)
	}
	var foreign bytes.Buffer
	if err := WriteSafetensors(&foreign, Tensors{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, foreign.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCheckpoint(path); err == nil || !strings.Contains(err.Error(), "not a checkpoint of alamos") {
		t.Errorf("another program's file: %v", err)
	}
}
