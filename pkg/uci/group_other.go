//go:build !unix

package uci

import "os/exec"

func newGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
