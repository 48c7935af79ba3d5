package run

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"alamos/pkg/store"
)

// ThisMachine describes this machine. alamos is the version of the program.
func ThisMachine(alamos string) store.Machine {
	host, _ := os.Hostname()
	return store.Machine{
		Host: host, CPU: cpuModel(), Cores: runtime.NumCPU(),
		GPU: gpuModel(), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Alamos: alamos,
	}
}

// gpuModel returns the name of the first NVIDIA GPU from the Linux driver, or "".
func gpuModel() string {
	files, _ := filepath.Glob("/proc/driver/nvidia/gpus/*/information")
	if len(files) == 0 {
		return ""
	}
	text, _ := os.ReadFile(files[0])
	return field(strings.NewReader(string(text)), "Model")
}

// cpuModel returns the name of the processor from Linux, or "unknown".
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	if name := field(f, "model name"); name != "" {
		return name
	}
	return "unknown"
}

// field returns the first value of name in lines of "name: value", or "".
func field(r io.Reader, name string) string {
	for s := bufio.NewScanner(r); s.Scan(); {
		if have, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(have) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
