package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// The cache sees what is new, and what is gone.
func TestCache(t *testing.T) {
	root := t.TempDir()
	in := store.Inputs{"a": "1 < 2 & \"3\"", "b": "ü"}
	s := newCache(root)
	s.pause = 0
	write := func(dir string, in store.Inputs) {
		t.Helper()
		m := &store.Manifest{}
		m.Put(&store.Stage{Name: "x", Inputs: in})
		if err := m.Write(filepath.Join(root, dir)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(dir string) {
		t.Helper()
		have := ""
		if src := s.find(&Stage{Name: "x", In: in}, filepath.Join(root, "e", "own"), false); src != nil {
			have = src.stage.From
		}
		if have != dir {
			t.Errorf("found %q, want %q", have, dir)
		}
	}
	want("")
	write("e/own", in)
	write("e/1", in)
	write("e/2", store.Inputs{"a": "2"})
	want("e/1")
	write("e/2", in)
	write("d/1", in)
	want("d/1")
	if err := os.RemoveAll(filepath.Join(root, "e/1")); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteBytes(filepath.Join(root, "e/2", store.ManifestName), []byte("{")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, "d/1")); err != nil {
		t.Fatal(err)
	}
	want("")
	write("e/2", in)
	want("e/2")
	if found := s.find(&Stage{Name: "y", In: in}, root, false); found != nil {
		t.Errorf("a stage of another name: %v", found)
	}
}

// Two trials at once do not do the same work.
func TestOneAtAStage(t *testing.T) {
	s := newCache(t.TempDir())
	in := store.Inputs{"a": "1"}
	done, err := s.claim(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := s.claim(context.Background(), store.Inputs{"a": "2"}); err != nil {
		t.Fatal(err)
	} else {
		other()
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := s.claim(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("a second trial began the stage (%v)", err)
	}
	second := make(chan error)
	go func() {
		end, err := s.claim(context.Background(), in)
		if err == nil {
			end()
		}
		second <- err
	}()
	select {
	case <-second:
		t.Error("a second trial did not wait")
	case <-time.After(10 * time.Millisecond):
	}
	done()
	if err := <-second; err != nil {
		t.Error(err)
	}
}
