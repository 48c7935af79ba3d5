package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that runs full ends the run with an error; with room again, the run
// goes on to the files of an undisturbed one.
func TestFullDisk(t *testing.T) {
	s := newSite(t)
	disk := filepath.Join(s.dir, "results")
	if err := os.Mkdir(disk, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("needs the right to mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	full := func(size string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size="+size); err != nil {
			t.Fatal(err)
		}
		_, err := s.try(context.Background(), nil)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("disk of %s: error %v, want a full disk", size, err)
		} else if !strings.Contains(err.Error(), s.results()) {
			t.Errorf("disk of %s: error %v names no file", size, err)
		}
	}
	for _, size := range []string{"64k", "1100k", "3500k"} {
		full(size)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	s.run(t)
	s.same(t)
}
