package disk

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLink(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a"), filepath.Join(dir, "sub", "b")
	if err := os.WriteFile(from, []byte("whole"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time both are names of one file
		if err := Link(from, to); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(to); err != nil || string(b) != "whole" {
			t.Fatalf("linked %q (%v)", b, err)
		}
	}
	if err := WriteBytes(to, []byte("other")); err != nil { // replaced, not written into
		t.Fatal(err)
	}
	if b, err := os.ReadFile(from); err != nil || string(b) != "whole" {
		t.Errorf("the first file became %q (%v)", b, err)
	}
	if err := Link(from, to); err != nil { // in the place of another file
		t.Fatal(err)
	}
	if all := names(t, filepath.Dir(to)); len(all) != 1 {
		t.Errorf("left behind: %q", all)
	}
	if err := Link(filepath.Join(dir, "none"), to); err == nil {
		t.Error("a file that is not there was linked")
	}
	if b, err := os.ReadFile(to); err != nil || string(b) != "whole" {
		t.Errorf("a link that failed left %q (%v)", b, err)
	}
}

func TestCopyFile(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(from, []byte("whole"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(from, to); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(to); err != nil || string(b) != "whole" {
		t.Errorf("copied %q (%v)", b, err)
	}
}
