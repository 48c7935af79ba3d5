package sources

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Every change of a file shows, and only those of C++ count.
func TestRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cpp")
	read := func() Sources {
		t.Helper()
		s, err := Read(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	none := read()
	if len(none.Names) != 0 {
		t.Fatalf("a missing folder has %v", none.Names)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write("b.cpp", "1")
	write("a.cpp", "2")
	write("notes.txt", "no C++")
	first := read()
	if !slices.Equal(first.Names, []string{"a.cpp", "b.cpp"}) {
		t.Fatal(first.Names)
	}
	write("a.h", "3")
	second := read()
	if second.Headers == first.Headers || second.Digest() == first.Digest() || first.Digest() == none.Digest() {
		t.Error("a new header does not show")
	}
	write("b.cpp", "4")
	if third := read(); third.Headers != second.Headers || third.Digest() == second.Digest() {
		t.Error("a changed file does not show")
	}
}
