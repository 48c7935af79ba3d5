package main

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// A terminal of no size is shown lines, or it would be shown nothing at all.
func TestTerminalOfNoSize(t *testing.T) {
	ioctl := func(f *os.File, request uintptr, value unsafe.Pointer) {
		t.Helper()
		if _, _, err := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(value)); err != 0 {
			t.Skip("no pseudoterminals here:", err)
		}
	}
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudoterminals here:", err)
	}
	defer control.Close()
	var locked, number int32
	ioctl(control, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	ioctl(control, syscall.TIOCGPTN, unsafe.Pointer(&number))
	terminal, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudoterminals here:", err)
	}
	defer terminal.Close()
	for _, size := range []struct {
		rows, columns, _, _ uint16
		bars                bool
	}{{0, 0, 0, 0, false}, {24, 80, 0, 0, true}, {24, 0, 0, 0, false}} {
		ioctl(terminal, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
		if c := newConsole(terminal, 1); c.tty != size.bars {
			t.Errorf("%d rows of %d columns: bars %v", size.rows, size.columns, c.tty)
		}
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if newConsole(file, 1).tty {
		t.Error("a file has bars")
	}
}
