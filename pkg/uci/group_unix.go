//go:build unix

package uci

import (
	"os/exec"
	"syscall"
)

// newGroup makes the process the leader of a group of its own, so that what it
// starts can be ended with it, and so that an interrupt at the terminal reaches
// us and not the engine.
func newGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends the process and everything it has started.
func killGroup(cmd *exec.Cmd) {
	// The group outlives its leader while it has members; when it has none the
	// call fails, and there is nothing to do.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
