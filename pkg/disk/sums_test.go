package disk

import (
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
		s := ReadSums(cache)
		sum, err := s.Of(file)
		if err == nil {
			err = s.Write()
		}
		if err != nil {
			t.Fatal(err)
		}
		return sum
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
	write("drei!", time.Now()) // a later change in the same instant could not be told
	if of() == three {
		t.Error("a young change was not seen")
	}
	if err := os.WriteFile(cache, []byte(`{"`), 0o644); err != nil {
		t.Fatal(err)
	}
	write("one", old)
	if of() != one {
		t.Error("a damaged cache is trusted")
	}
	if _, err := ReadSums(cache).Of(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
