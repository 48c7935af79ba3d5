package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWriteFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "table.csv")
	if err := WriteBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	torn := errors.New("torn")
	err := WriteFile(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of the ne"); err != nil {
			return err
		}
		return torn
	})
	if !errors.Is(err, torn) {
		t.Errorf("error %v", err)
	}
	wantError(t, err, path)
	if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
		t.Errorf("the file is %q (%v), want it as it was", b, err)
	}
	if diff := cmp.Diff([]string{"table.csv"}, names(t, dir)); diff != "" {
		t.Errorf("left behind:\n%s", diff)
	}
	if err := WriteBytes(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "new" {
		t.Errorf("the file is %q (%v), want it replaced", b, err)
	}

	// A folder in the place of the file: the rename fails.
	path = filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	wantError(t, WriteBytes(path, nil), path)
	if diff := cmp.Diff([]string{"folder", "table.csv"}, names(t, dir)); diff != "" {
		t.Errorf("left behind:\n%s", diff)
	}
	if st, err := os.Stat(filepath.Join(dir, "table.csv")); err != nil || st.Mode().Perm() != 0o644 {
		t.Errorf("mode %v (%v), want one that others can read", st.Mode(), err)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	keep := []string{".hidden", ".lock", "gen-0001.journal", "gen-0001.parquet", "manifest.json", "notes.part"}
	for _, n := range append([]string{".manifest.json.~host~12~123.part", ".score.svg.~host~12~4026531840.part"}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(keep, names(t, dir)); diff != "" {
		t.Errorf("files (-want +have):\n%s", diff)
	}
}

// Of one file only what was given up is swept: not what is being written, nor what belongs
// to another.
func TestSweepFile(t *testing.T) {
	dir := t.TempDir()
	keep := []string{".a.csv.b.~host~1~12.part", ".a.csv.x~host~1~12.part", ".b.csv.~host~1~12.part"}
	for _, n := range append([]string{".a.csv.~host~1~12.part"}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "a.csv")
	if err := WriteFile(path, func(io.Writer) error { return SweepFile(path) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(keep, "a.csv"), names(t, dir)); diff != "" {
		t.Errorf("files (-want +have):\n%s", diff)
	}
	if err := SweepFile(filepath.Join(dir, "new", "a.csv")); err != nil {
		t.Error(err)
	}
}

// Without a lock only what certainly has no writer is swept: the files of ended processes of
// this host, and old ones.
func TestSweepStale(t *testing.T) {
	dir := t.TempDir()
	if err := SweepStale(filepath.Join(dir, "not made yet")); err != nil {
		t.Error(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	mine := func(pid int) string { return fmt.Sprintf(".a.csv.~%s~%d~7.part", host, pid) }
	keep := []string{mine(os.Getpid()), ".a.csv.~otherhost~1~7.part"}
	slices.Sort(keep)
	for _, n := range append([]string{mine(ended.Process.Pid), ".b.csv.~otherhost~1~7.part", ".c.part"}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * staleAge)
	for _, n := range []string{".b.csv.~otherhost~1~7.part", ".c.part"} {
		if err := os.Chtimes(filepath.Join(dir, n), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := SweepStale(dir); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(keep, names(t, dir)); diff != "" {
		t.Errorf("files (-want +have):\n%s", diff)
	}
	// A file of this process is named so that SweepStale knows it.
	if err := WriteFile(filepath.Join(dir, "x"), func(io.Writer) error {
		if all := names(t, dir); !slices.ContainsFunc(all, func(n string) bool { return strings.HasPrefix(n, fmt.Sprintf(".x.~%s~%d~", host, os.Getpid())) }) {
			t.Errorf("temporary files %v", all)
		}
		return SweepStale(dir)
	}); err != nil {
		t.Fatal(err)
	}
}

// What a process that dies before the rename leaves is what Sweep deletes.
func TestSweepKnowsUnfinishedFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "table.csv")
	died := errors.New("died")
	func() {
		defer func() {
			if r := recover(); r != died {
				t.Errorf("recovered %v", r)
			}
		}()
		_ = WriteFile(path, func(io.Writer) error { panic(died) })
	}()
	if left := names(t, dir); len(left) != 1 || left[0] == "table.csv" {
		t.Fatalf("left %v, want an unfinished file", left)
	}
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestRemove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.journal")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := Remove(path); err != nil {
		t.Errorf("removing a file that is gone: %v", err)
	}
}

// A name or a link that leads out of the folder is refused; the folder itself may be a link.
func TestWriteBytesIn(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := errors.Join(os.Symlink(t.TempDir(), folder), os.Symlink(outside, filepath.Join(folder, "out")), os.Symlink(filepath.Join(outside, "file"), filepath.Join(folder, "file"))); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"a": true, "b/c/d": true, "file": true, "out/a": false, "out/b/c": false, "../a": false, "b/../../a": false} {
		if err := WriteBytesIn(folder, name, []byte(name)); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
		if b, err := os.ReadFile(filepath.Join(folder, name)); ok && string(b) != name {
			t.Errorf("%s: %q (%v)", name, b, err)
		}
	}
	if all := names(t, outside); len(all) > 0 {
		t.Errorf("written outside: %q", all)
	}
	if all := names(t, dir); len(all) != 1 {
		t.Errorf("written outside: %q", all)
	}
}

// A file that is written does not take the place of a device.
func TestWriteFileKeepsDevices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "null")
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Fatal(err)
	}
	if err := WriteBytes(path, []byte("text")); err == nil || !strings.Contains(err.Error(), "it is a device") {
		t.Errorf("error %v", err)
	}
	if to, err := os.Readlink(path); err != nil || to != os.DevNull {
		t.Errorf("the device has become %q (%v)", to, err)
	}
}
