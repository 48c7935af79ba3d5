package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mounter is true where this process may mount: for root, and for anybody in a
// name space of their own. Elsewhere it runs the test again in such a one, and
// skips it where the kernel does not allow that either.
func mounter(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() == 0 {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case cmd.Process == nil:
		t.Skipf("needs the right to mount a small disk: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	}
	return false
}

// smallDisk mounts a disk for the results of a site; the function that it returns
// changes the disk's options.
func smallDisk(t *testing.T, s site) (remount func(flags uintptr, options string)) {
	t.Helper()
	dir := filepath.Join(s.dir, "results")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("needs the right to mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return func(flags uintptr, options string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, options); err != nil {
			t.Fatal(err)
		}
	}
}

// A full disk ends the run with an error at any point. With room again, the run ends in the
// files of an undisturbed one.
func TestFullDisk(t *testing.T) {
	if !mounter(t) {
		return
	}
	s := newSite(t)
	remount := smallDisk(t, s)
	stops := map[string]bool{}
	for size := 64; ; size += size / 4 {
		remount(0, fmt.Sprintf("size=%dk", size))
		r, err := s.try(context.Background(), nil)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("disk of %d KiB: error %v, want a full disk", size, err)
		}
		wantError(t, err, s.results(), "make room and run again")
		stops[fmt.Sprint(len(r.ran)+len(r.cached))] = true
		if size > 1<<16 {
			t.Fatal("64 MiB are not enough")
		}
	}
	if len(stops) < 3 {
		t.Errorf("the disk was full in %d stages only", len(stops))
	}
	s.same(t)
}

// So does a limit of the size of files, which needs no rights.
func TestFilesTooLong(t *testing.T) {
	s := newSite(t)
	plain := undisturbed(t)
	failed := 0
	for _, limit := range []int{100, 4_000, 20_000, 60_000, 150_000} {
		out, err := s.command(t, []string{fmt.Sprintf("%s=%d", limitVariable, limit)}).CombinedOutput()
		if err == nil {
			continue
		}
		failed++
		for _, text := range []string{s.results(), syscall.EFBIG.Error(), "raise the limit of a file's size", "what was finished is kept"} {
			if !strings.Contains(string(out), text) {
				t.Errorf("limit %d: the error does not say %q:\n%s", limit, text, out)
			}
		}
	}
	if failed < 3 {
		t.Errorf("%d runs failed", failed)
	}
	s.run(t)
	s.sameAs(t, plain)
}

// On a disk that cannot be written a run is refused, whether anything is there
// yet or all of it.
func TestReadOnlyDisk(t *testing.T) {
	if !mounter(t) {
		return
	}
	s := newSite(t)
	remount := smallDisk(t, s)
	readOnly := func() {
		t.Helper()
		remount(syscall.MS_RDONLY, "")
		r, err := s.try(context.Background(), nil)
		wantError(t, err, s.results(), "read-only", "make it writable", "--results")
		r.stages(t, map[string]string{})
		if !errors.Is(err, syscall.EROFS) {
			t.Errorf("error %v", err)
		}
		remount(0, "size=64m")
	}
	readOnly()
	s.run(t)
	readOnly()
	s.same(t)
}

// So it is in a folder that its owner has locked against writing. Root writes to
// it all the same.
func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("for root no folder is read-only")
	}
	s := newSite(t)
	if err := os.Mkdir(filepath.Join(s.dir, "results"), 0o555); err != nil {
		t.Fatal(err)
	}
	r, err := s.try(context.Background(), nil)
	refused(t, s, r, err, s.results(), "permission denied", "make it writable", "--results")
}
