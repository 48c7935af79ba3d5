package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replayed opens a journal and returns its entries.
func replayed(t *testing.T, path string, in Inputs) (*journal, []string) {
	t.Helper()
	var out []string
	j, err := openJournal(path, in, func(b []byte) error {
		out = append(out, string(b))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return j, out
}

var journalInputs = Inputs{"seed": "1", "code": "2"}

// writtenJournal writes a journal of three entries and returns its bytes and
// the offsets at which entries end, that of the inputs first.
func writtenJournal(t *testing.T, path string) (file []byte, ends []int) {
	t.Helper()
	j, old := replayed(t, path, journalInputs)
	if len(old) != 0 {
		t.Fatalf("a new journal has %v", old)
	}
	size := func() int {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file = b
		return len(b)
	}
	ends = append(ends, size())
	for _, v := range []string{"one", "two", "three"} {
		if err := j.add(v); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, size())
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	return file, ends
}

func TestJournalTornAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	file, ends := writtenJournal(t, path)
	all := []string{`"one"`, `"two"`, `"three"`}
	for cut := range len(file) + 1 {
		if err := os.WriteFile(path, file[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(all[:max(0, len(slices.DeleteFunc(slices.Clone(ends), func(e int) bool { return e > cut }))-1)])
		j, have := replayed(t, path, journalInputs)
		if !slices.Equal(have, want) {
			t.Fatalf("%d bytes of %d: replayed %v, want %v", cut, len(file), have, want)
		}
		// It goes on from there.
		if err := errors.Join(j.add(4), j.close()); err != nil {
			t.Fatal(err)
		}
		j, have = replayed(t, path, journalInputs)
		if want = append(want, "4"); !slices.Equal(have, want) {
			t.Fatalf("%d bytes of %d, one more entry: replayed %v, want %v", cut, len(file), have, want)
		}
		if err := j.close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestJournalChangedByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	file, ends := writtenJournal(t, path)
	for i := range file {
		b := slices.Clone(file)
		b[i] ^= 0x10
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		entry := slices.IndexFunc(ends, func(e int) bool { return i < e }) // the one with the byte
		j, have := replayed(t, path, journalInputs)
		if want := max(0, entry-1); len(have) != want {
			t.Errorf("byte %d changed: replayed %v, want the first %d", i, have, want)
		}
		if err := j.close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestJournalOfOtherInputs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	writtenJournal(t, path)
	other := Inputs{"seed": "2", "code": "2"}
	j, have := replayed(t, path, other)
	if len(have) != 0 {
		t.Errorf("entries of other inputs: %v", have)
	}
	if err := errors.Join(j.add("new"), j.close()); err != nil {
		t.Fatal(err)
	}
	j, have = replayed(t, path, other)
	if diff := cmp.Diff([]string{`"new"`}, have); diff != "" {
		t.Error(diff)
	}
	j.close()
	if err := dropJournal(path); err != nil {
		t.Fatal(err)
	}
	if err := dropJournal(path); err != nil {
		t.Errorf("dropping a journal that is gone: %v", err)
	}
}

func TestJournalErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "games.journal")
	writtenJournal(t, path)
	_, err := openJournal(path, journalInputs, func([]byte) error { return fmt.Errorf("no game") })
	wantError(t, err, path, "no game")

	_, err = openJournal(filepath.Join(path, "below", "a file"), journalInputs, nil)
	wantError(t, err, path)

	// After a write that failed, a later one would be lost at the next start:
	// it fails too.
	j, _ := replayed(t, path, journalInputs)
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	first := j.add("into a closed file")
	wantError(t, first, path)
	if j.f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if again := j.add("into an open one"); !errors.Is(again, first) {
		t.Errorf("error %v after %v", again, first)
	}
}
