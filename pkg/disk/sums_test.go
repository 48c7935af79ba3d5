package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file is read again when it has changed in size or time, and only then.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	file, cache := filepath.Join(dir, "data"), filepath.Join(dir, "sums.json")
	old := time.Now().Add(-time.Hour)
	write := func(text string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	of := func() string {
		t.Helper()
		sums, err := ReadSums(cache).Of(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		return sums[0]
	}
	write("one", old)
	one := of()
	if want, err := Sum(file); err != nil || one != want {
		t.Errorf("%s, want %s (%v)", one, want, err)
	}
	write("two", old) // which nobody can see
	if of() != one {
		t.Error("a file of the same size and time was read again")
	}
	write("two", old.Add(time.Second))
	if of() == one {
		t.Error("a change of time was not seen")
	}
	write("three", old)
	three := of()
	if three == one {
		t.Error("a change of size was not seen")
	}
	young := time.Now().Add(time.Hour) // the sum is not kept: a later change in the same instant would not be noticed
	write("vier!", young)
	four := of()
	if four == three {
		t.Error("a young change was not seen")
	}
	write("acht!", young)
	if of() == four {
		t.Error("the sum of a young file was kept")
	}
	if err := os.WriteFile(cache, []byte(`{"`), 0o644); err != nil {
		t.Fatal(err)
	}
	write("one", old)
	if of() != one {
		t.Error("a damaged cache is trusted")
	}
	if _, err := ReadSums(cache).Of(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Sums that were read before an error are saved; a read-only cache is never saved.
func TestSumsAreSaved(t *testing.T) {
	dir := t.TempDir()
	cache, file := filepath.Join(dir, "sums.json"), filepath.Join(dir, "a")
	old := time.Now().Add(-time.Hour)
	if err := os.WriteFile(file, make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{true, false} {
		s := ReadSums(cache)
		s.ReadOnly = readOnly
		if _, err := s.Of(t.Context(), file, filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v", err)
		}
		if _, saved := ReadSums(cache).known[file]; saved == readOnly {
			t.Errorf("read only %v: saved %v", readOnly, saved)
		}
	}
}

// countdown is a context that ends when its Err has been looked at so often.
type countdown struct {
	context.Context
	looks *int
}

func (c countdown) Err() error {
	if *c.looks--; *c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A file is not read to its end when nobody wants its sum any more.
func TestSumIsStopped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(file, make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	s, looks := ReadSums(file+".json"), 3
	if _, err := s.Of(countdown{t.Context(), &looks}, file); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if len(s.known) > 0 {
		t.Error("the sum of a part is known as that of the file")
	}
}

// A file that was written just now may change without another stamp.
func TestSettled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		after time.Duration // the second that it is now
		want  bool
	}{
		{time.Hour, false},
		{-time.Second + time.Millisecond, true},
		{0, false}, // perhaps of a file system that stores seconds
		{-4 * time.Second, true},
	} {
		at := time.Now().Truncate(time.Second).Add(test.after)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
		_, stamp, settled, err := StampedSum(t.Context(), file)
		if err != nil || settled != test.want || stamp != (Stamp{1, at.UnixNano()}) {
			t.Errorf("%v: %+v, settled %v (%v)", test.after, stamp, settled, err)
		}
	}
}
