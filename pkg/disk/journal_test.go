package disk

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const journalHead = "seed 1"

// replayed opens a journal and returns its entries.
func replayed(t *testing.T, path, head string) (*Journal, []string) {
	t.Helper()
	var out []string
	j, err := OpenJournal(path, []byte(head), func(b []byte) error {
		out = append(out, string(b))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return j, out
}

var journalEntries = []string{"one", "2", "three"}

// writtenJournal writes a journal of three entries and returns its bytes and
// the offsets at which entries end, that of the head first.
func writtenJournal(t *testing.T, path string) (file []byte, ends []int) {
	t.Helper()
	j, old := replayed(t, path, journalHead)
	if len(old) != 0 || j.Dropped != 0 {
		t.Fatalf("a new journal has %v, dropped %d", old, j.Dropped)
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
	for _, v := range journalEntries {
		if err := j.Add([]byte(v)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, size())
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return file, ends
}

// wantJournal wants a journal to have these entries, and to go on with another.
func wantJournal(t *testing.T, path string, dropped int64, want []string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var read []string
	if err := ReadJournal(path, []byte(journalHead), func(b []byte) error {
		read = append(read, string(b))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) || !slices.Equal(read, want) {
		t.Errorf("to be read are %q, want %q (%v)", read, want, err)
	}
	j, have := replayed(t, path, journalHead)
	if !slices.Equal(have, want) || j.Dropped != dropped {
		t.Errorf("replayed %q, dropped %d bytes; want %q, %d", have, j.Dropped, want, dropped)
	}
	if err := errors.Join(j.Add([]byte("more")), j.Close()); err != nil {
		t.Fatal(err)
	}
	j, have = replayed(t, path, journalHead)
	if want = append(slices.Clone(want), "more"); !slices.Equal(have, want) {
		t.Errorf("with one more entry: replayed %q, want %q", have, want)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestJournalTornAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	file, ends := writtenJournal(t, path)
	for cut := range len(file) + 1 {
		if err := os.WriteFile(path, file[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		whole, at := 0, 0 // entries, the head among them, and where the last ends
		for _, e := range ends {
			if e <= cut {
				whole, at = whole+1, e
			}
		}
		wantJournal(t, path, int64(cut-at), journalEntries[:max(0, whole-1)])
	}
}

// A changed byte costs the entry that has it, or, where it was the length, those
// behind it too.
func TestJournalChangedByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	file, ends := writtenJournal(t, path)
	begin := 0
	for entry, end := range ends {
		for i := begin; i < end; i++ {
			b := slices.Clone(file)
			b[i] ^= 0x40
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			dropped, want := int64(len(file)-begin), slices.Clone(journalEntries[:max(0, entry-1)])
			if entry > 0 && i >= begin+4 { // its length is whole
				want, dropped = append(want, journalEntries[entry:]...), int64(end-begin)
			}
			wantJournal(t, path, dropped, want)
		}
		begin = end
	}
}

func TestJournalOfAnotherWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	writtenJournal(t, path)
	j, have := replayed(t, path, "seed 2")
	if len(have) != 0 || j.Dropped != 0 {
		t.Errorf("entries of another work: %v; dropped %d", have, j.Dropped)
	}
	if err := errors.Join(j.Add([]byte("new")), j.Close()); err != nil {
		t.Fatal(err)
	}
	j, have = replayed(t, path, "seed 2")
	if diff := cmp.Diff([]string{"new"}, have); diff != "" {
		t.Error(diff)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestJournalErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	writtenJournal(t, path)
	_, err := OpenJournal(path, []byte(journalHead), func([]byte) error { return errors.New("no game") })
	wantError(t, err, path, "no game")

	_, err = OpenJournal(filepath.Join(path, "below", "a file"), nil, nil)
	wantError(t, err, path)

	// After a write that failed, a later one would be lost at the next start:
	// it fails too.
	j, _ := replayed(t, path, journalHead)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	first := j.Add([]byte("into a closed file"))
	wantError(t, first, path)
	if j.f, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	if again := j.Add([]byte("into an open one")); !errors.Is(again, first) {
		t.Errorf("error %v after %v", again, first)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// A tail reads each entry once, waits for the end of one that is being written, and begins
// again with another journal.
func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	tail := &Tail{Path: path}
	read := func() (out []string, resets int) {
		t.Helper()
		err := tail.Read(func() { resets++ }, func(entry []byte) error {
			out = append(out, string(entry))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out, resets
	}
	if got, resets := read(); got != nil || resets != 1 {
		t.Errorf("no file: %q, %d resets", got, resets)
	}
	j, _ := replayed(t, path, journalHead)
	add := func(entry string) {
		t.Helper()
		if err := j.Add([]byte(entry)); err != nil {
			t.Fatal(err)
		}
	}
	add("one")
	add("two")
	if got, resets := read(); !slices.Equal(got, []string{"one", "two"}) || resets != 1 {
		t.Errorf("%q, %d resets", got, resets)
	}
	add("three")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < entryHead+len("three"); cut++ {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if got, resets := read(); got != nil || resets != 0 {
			t.Errorf("cut by %d bytes: %q, %d resets", cut, got, resets)
		}
	}
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, resets := read(); !slices.Equal(got, []string{"three"}) || resets != 0 {
		t.Errorf("%q, %d resets", got, resets)
	}
	if err := errors.Join(j.Close(), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	j, _ = replayed(t, path, "seed 2")
	defer j.Close()
	add("four")
	if got, resets := read(); !slices.Equal(got, []string{"four"}) || resets != 1 {
		t.Errorf("another journal: %q, %d resets", got, resets)
	}
}

// A second process is refused. Where a file system has no locks, the two do not overwrite each
// other's entries.
func TestJournalOfTwoWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	open := func() *Journal {
		j, err := OpenJournal(path, []byte("head"), func([]byte) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	a := open()
	var held *HeldError
	if _, err := OpenJournal(path, []byte("head"), nil); !errors.As(err, &held) || held.Path != path {
		t.Errorf("a second journal: %v", err)
	}
	if err := syscall.Flock(int(a.f.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	b := open()
	for _, x := range []struct {
		j    *Journal
		text string
	}{{a, "one"}, {b, "two"}, {a, "three"}} {
		if err := x.j.Add([]byte(x.text)); err != nil {
			t.Fatal(err)
		}
	}
	var have []string
	read := func(head string) {
		t.Helper()
		have = nil
		if err := ReadJournal(path, []byte(head), func(e []byte) error { have = append(have, string(e)); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if read("head"); strings.Join(have, " ") != "one two three" {
		t.Errorf("entries %q", have)
	}
	if read("he"); len(have) != 3 {
		t.Errorf("with the beginning of the head: entries %q", have)
	}
	if read("other"); len(have) != 0 {
		t.Errorf("with another head: entries %q", have)
	}
}

// Zeros at the end, which a power loss may leave, are no entries.
func TestJournalWithZeros(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	file, _ := writtenJournal(t, path)
	if err := os.WriteFile(path, append(file, make([]byte, 60)...), 0o644); err != nil {
		t.Fatal(err)
	}
	wantJournal(t, path, 60, journalEntries)
	j, _ := replayed(t, path, journalHead)
	defer j.Close()
	if j.Add(nil) == nil {
		t.Error("an empty entry was added")
	}
}
