package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"alamos/pkg/store"
)

// The shelf sees what is new, and what is gone.
func TestShelf(t *testing.T) {
	root := t.TempDir()
	in := store.Inputs{"a": "1 < 2 & \"3\"", "b": "ü"}
	s := NewShelf(root, Kinship{Input: "kin", Key: func(in store.Inputs) string { return in["kin"] }})
	write := func(dir string, in store.Inputs) {
		t.Helper()
		m := &store.Manifest{}
		m.Put(&store.Stage{Name: "x", Inputs: in})
		if err := m.Write(filepath.Join(root, dir)); err != nil {
			t.Fatal(err)
		}
	}
	want := func(dirs ...string) {
		t.Helper()
		var have []string
		for _, d := range s.find("x", in, filepath.Join(root, "e", "own")) {
			have = append(have, d.dir)
		}
		if !slices.Equal(have, dirs) {
			t.Errorf("found %q, want %q", have, dirs)
		}
	}
	want()
	write("e/own", in)
	write("e/1", in)
	write("e/2", store.Inputs{"a": "2"})
	want("e/1")
	write("e/2", in)
	write("d/1", in)
	want("d/1", "e/1", "e/2")
	if err := os.RemoveAll(filepath.Join(root, "e/1")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "e/2", store.ManifestName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	want("d/1")
	if found := s.find("y", in, root); len(found) > 0 {
		t.Errorf("a stage of another name: %v", found)
	}
}

// Two trials at once do not do the same work.
func TestOneAtAStage(t *testing.T) {
	s := NewShelf(t.TempDir(), Kinship{})
	in := store.Inputs{"a": "1"}
	done, err := s.begin(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := s.begin(context.Background(), store.Inputs{"a": "2"}); err != nil {
		t.Fatal(err)
	} else {
		other()
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := s.begin(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("a second trial began the stage (%v)", err)
	}
	second := make(chan error)
	go func() {
		end, err := s.begin(context.Background(), in)
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
