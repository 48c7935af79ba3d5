package lab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "table.csv")
	if err := writeBytes(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	torn := errors.New("torn")
	err := writeFile(path, func(w io.Writer) error {
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

	// A folder in the place of the file: the rename fails.
	path = filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	wantError(t, writeBytes(path, nil), path)
	if diff := cmp.Diff([]string{"folder", "table.csv"}, names(t, dir)); diff != "" {
		t.Errorf("left behind:\n%s", diff)
	}
	if st, err := os.Stat(filepath.Join(dir, "table.csv")); err != nil || st.Mode().Perm() != 0o644 {
		t.Errorf("mode %v (%v), want one that others can read", st.Mode(), err)
	}
}

func TestSweepLitter(t *testing.T) {
	dir := t.TempDir()
	keep := []string{".lock", "manifest.json", "notes.tmp", "gen-0001.journal", "gen-0001.parquet", ".hidden"}
	for _, n := range append([]string{".manifest.json.123", ".score.svg.4026531840", "gen-0001.parquet.tmp", "gen-0001.safetensors.77.tmp"}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := sweepLitter(dir); err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, n := range names(t, dir) {
		have[n] = true
	}
	want := map[string]bool{}
	for _, n := range keep {
		want[n] = true
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("files (-want +have):\n%s", diff)
	}
}

func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	l, err := takeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = takeLock(dir)
	wantError(t, err, dir, fmt.Sprintf("process %d:", os.Getpid()), "--results")
	l.release()
	if l, err = takeLock(dir); err != nil {
		t.Fatalf("after its release: %v", err)
	}
	l.release()
}

// The lock of a process that was killed is free.
func TestLockOfTheDead(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), lockVariable+"="+dir)
	stdin, err := cmd.StdinPipe() // stays open until it is killed
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); strings.TrimSpace(line) != "locked" {
		t.Errorf("the other process says %q (%v)", line, err)
	}
	_, err = takeLock(dir)
	if kill := cmd.Process.Kill(); kill != nil {
		t.Fatal(kill)
	}
	_ = cmd.Wait()
	wantError(t, err, dir, fmt.Sprintf("process %d:", cmd.Process.Pid))
	l, err := takeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.release()
}
