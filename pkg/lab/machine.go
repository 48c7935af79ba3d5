package lab

import (
	"bufio"
	"os"
	"runtime"
	"strings"

	"alamos/pkg/store"
)

func thisMachine(alamos string) store.Machine {
	host, _ := os.Hostname()
	return store.Machine{
		Host: host, CPU: cpuModel(), Cores: runtime.NumCPU(),
		OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Alamos: alamos,
	}
}

// cpuModel is the processor's name as Linux knows it, or "unknown".
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
