package hook

import (
	"fmt"
	"os"
	"syscall"
)

// limitData lets this process map at most the given bytes of writable memory
// beyond what it has. It is the second line behind watch, for a script that
// asks for much at once; the runtime then ends the process. Unlike its address
// space, a Go process's writable memory follows what it uses.
func limitData(more int64) error {
	statm, err := os.ReadFile("/proc/self/statm") // in pages; the sixth number is data and stack
	if err != nil {
		return err
	}
	var size, resident, shared, text, lib, data int64
	if _, err := fmt.Sscan(string(statm), &size, &resident, &shared, &text, &lib, &data); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return err
	}
	limit.Cur = min(limit.Max, uint64(data*int64(os.Getpagesize())+more))
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
