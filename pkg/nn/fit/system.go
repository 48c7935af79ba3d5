package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// What the system has: programs, and packages that apt-get installs.

// errMissing reports that a program or a library is not installed.
var errMissing = errors.New("not installed")

// need returns what find finds. If that is missing, need installs Debian packages and looks
// again.
func need[T any](r *reporter, find func() (T, error), packages ...string) (T, error) {
	found, err := find()
	if !errors.Is(err, errMissing) {
		return found, err
	}
	if failed := aptInstall(r, packages...); failed != nil {
		return found, fmt.Errorf("%w; %w", err, failed)
	}
	return find()
}

// findProgram returns the absolute path of the first of these programs that is installed.
func findProgram(names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("%w: %s", errMissing, names[0])
}

var errNoApt = errors.New("cannot install packages: this needs apt-get, and root or a sudo that asks no password")

// aptInstall installs Debian packages. It returns errNoApt where it has no way
// to, and apt-get's own last lines where that fails (no network, say).
func aptInstall(r *reporter, packages ...string) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errNoApt
	}
	prefix := []string{apt}
	if os.Geteuid() != 0 {
		sudo, err := exec.LookPath("sudo")
		if err != nil || exec.Command(sudo, "-n", "true").Run() != nil {
			return errNoApt
		}
		prefix = []string{sudo, "-n", apt}
	}
	run := func(args ...string) error {
		args = slices.Concat(prefix, args)
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		_, err := output(cmd)
		return err
	}
	install := append([]string{"install", "-y", "--no-install-recommends"}, packages...)

	defer r.long("apt-get install %s", strings.Join(packages, " "))()
	if aptListsPresent("/var/lib/apt/lists") && run(install...) == nil {
		return nil
	}
	// No package lists, or stale ones that name files which are gone.
	if err := run("update"); err != nil {
		return err
	}
	return run(install...)
}

// aptListsPresent reports whether apt has package lists in dir.
func aptListsPresent(dir string) bool {
	lists, err := filepath.Glob(filepath.Join(dir, "*_Packages*"))
	return err == nil && len(lists) > 0
}

// output runs a command and returns what it prints on standard output. Its
// error carries the command and the last lines of what it printed.
func output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := lastLines(stderr.String()+stdout.String(), 12)
		return stdout.String(), fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said)
	}
	return stdout.String(), nil
}

// lastLines returns the last n lines of text, indented.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return "  " + strings.Join(lines, "\n  ")
}
