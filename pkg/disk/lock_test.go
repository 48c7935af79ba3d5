package disk

import (
	"bufio"
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

// A copy of the lock's file, as a process has that is being started, does not keep the
// lock.
func TestLockIsNotKeptByACopy(t *testing.T) {
	dir := t.TempDir()
	l, err := TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Dup(int(l.f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if l, err = TakeLock(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestLock(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	l, err := TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	_, err = TakeLock(dir)
	wantError(t, err, dir, fmt.Sprintf("process %d on %s since 20", os.Getpid(), host), " UTC")
	var held *HeldError
	if !errors.As(err, &held) || held.Path != dir {
		t.Errorf("error %#v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if l, err = TakeLock(dir); err != nil {
		t.Fatalf("after its release: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

// A holder that has not signed yet is refused all the same, and a longer text of
// an earlier holder does not show through.
func TestLockSignature(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, lockName)
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 400)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	if b, err := os.ReadFile(path); err != nil || strings.Contains(string(b), "x\n") || strings.Count(string(b), "\n") != 1 {
		t.Errorf("the lock's file is %q (%v)", b, err)
	}
	if err := os.Truncate(path, 3); err != nil {
		t.Fatal(err)
	}
	_, err = TakeLock(dir)
	wantError(t, err, "another process")
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
	_, err = TakeLock(dir)
	if kill := cmd.Process.Kill(); kill != nil {
		t.Fatal(kill)
	}
	_ = cmd.Wait()
	wantError(t, err, dir, fmt.Sprintf("process %d on ", cmd.Process.Pid))
	l, err := TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestHeld(t *testing.T) {
	dir := t.TempDir()
	held := func() *HeldError {
		t.Helper()
		h, err := Held(dir)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if h := held(); h != nil {
		t.Errorf("a folder without a lock is held: %v", h)
	}
	l, err := TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if h := held(); h == nil || !strings.Contains(h.Holder, fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("held by %v, want this process", h)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if h := held(); h != nil {
		t.Errorf("a lock that was given back is held: %v", h)
	}
}

// Those who share a lock keep out who wants it alone, and the other way round.
func TestShareLock(t *testing.T) {
	dir := t.TempDir()
	a, err := ShareLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ShareLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	var held *HeldError
	if _, err := TakeLock(dir); !errors.As(err, &held) {
		t.Errorf("taken while it is shared: %v", err)
	}
	if err := errors.Join(a.Release(), b.Release()); err != nil {
		t.Fatal(err)
	}
	alone, err := TakeLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Release()
	if _, err := ShareLock(dir); !errors.As(err, &held) {
		t.Errorf("shared while it is taken: %v", err)
	}
}

// A key is locked by one opened file at a time, and other keys are free. A second one waits
// until the first is released, or its context ends.
func TestKeyLocks(t *testing.T) {
	open := func() *KeyLocks {
		l, err := OpenKeyLocks(filepath.Join(t.TempDir(), "..", "new", "locks"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	a, b := open(), open()
	never := func() { t.Error("waited") }
	release, err := a.Lock(context.Background(), "one", never)
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Lock(context.Background(), "two", never)
	if err != nil {
		t.Fatal(err)
	}
	other()
	waits := 0
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := b.Lock(ctx, "one", func() { waits++; cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	second, err := b.Lock(context.Background(), "one", func() { waits++; release() })
	if err != nil {
		t.Fatal(err)
	}
	second()
	if waits != 2 {
		t.Errorf("waited %d times, want 2", waits)
	}
	third, err := a.Lock(context.Background(), "one", never)
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	third()
}
