package hook

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
)

// escapes are attempts to leave the process. Each must fail with EPERM in a confined
// process, and succeeds in any other.
var escapes = []struct {
	name string
	try  func(folder string) error
}{
	{"read a file", func(string) error { _, err := os.ReadFile("/etc/passwd"); return err }},
	{"write a file", func(dir string) error { return os.WriteFile(filepath.Join(dir, "new"), []byte("x"), 0o666) }},
	{"make a folder", func(dir string) error { return os.Mkdir(filepath.Join(dir, "folder"), 0o777) }},
	{"link a file", func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "link")) }},
	{"remove a file", func(dir string) error { return os.Remove(filepath.Join(dir, "victim")) }},
	{"rename a file", func(dir string) error { return os.Rename(filepath.Join(dir, "old"), filepath.Join(dir, "moved")) }},
	{"list a folder", func(dir string) error { _, err := os.ReadDir(dir); return err }},
	{"ask about a file", func(dir string) error { _, err := os.Stat(dir); return err }},
	{"listen on a port", func(string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			l.Close()
		}
		return err
	}},
	{"make a Unix socket", func(string) error {
		_, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		return err
	}},
	{"start a program", func(string) error { return exec.Command("/bin/true").Run() }},
	{"become a program", func(dir string) error { // a file that no kernel starts
		err := syscall.Exec(filepath.Join(dir, "victim2"), nil, nil)
		if errors.Is(err, syscall.EACCES) {
			return nil
		}
		return err
	}},
	{"signal its parent", func(string) error { return syscall.Kill(os.Getppid(), 0) }},
	{"change its limits", func(string) error {
		return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	}},
	{"change its folder", func(dir string) error { return os.Chdir(dir) }},
	{"load another filter", func(string) error {
		_, _, e := syscall.Syscall(syscall.SYS_PRCTL, 22, 0, 0) // PR_SET_SECCOMP without a mode
		if e == syscall.EINVAL {
			return nil
		}
		return fault(e)
	}},
}

// fault returns an error for the number of an error, nil for 0.
func fault(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

const escapeVariable = "ALAMOS_HOOK_TEST_ESCAPE" // the folder, and whether to confine first

// tryEscapes is the main function of a process that tries all escapes and prints a line for
// each.
func tryEscapes(dir string, confined bool) {
	if confined {
		if err := confine(); err != nil {
			fmt.Println("confine:", err)
			return
		}
	}
	for _, e := range escapes {
		fmt.Printf("%s: %v\n", e.name, errors.Is(e.try(dir), syscall.EPERM))
	}
	// What scripts need still works: threads, memory, the collector.
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			runtime.LockOSThread()
			_ = bytes.Repeat([]byte("x"), 1<<20)
			runtime.GC()
		})
	}
	wait.Wait()
	fmt.Println("lives")
}

func TestScriptsAreConfined(t *testing.T) {
	if !seccomp.Supported() {
		t.Skip("this kernel has no seccomp")
	}
	for _, confined := range []bool{false, true} {
		dir := t.TempDir()
		for _, name := range []string{"victim", "victim2", "old"} {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%v %s", escapeVariable, confined, dir))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("confined %v: %v\n%s", confined, err, out)
		}
		if !strings.Contains(string(out), "lives") {
			t.Errorf("confined %v: threads or memory do not work:\n%s", confined, out)
		}
		for _, e := range escapes {
			if want := fmt.Sprintf("%s: %v\n", e.name, confined); !strings.Contains(string(out), want) {
				t.Errorf("confined %v: want %q in\n%s", confined, want, out)
			}
		}
	}
}
