package lab

import (
	"bufio"
	"os"
	"runtime"
	"strings"
)

// Machine is where a stage ran: provenance, never an input.
type Machine struct {
	Host      string `json:"host"`
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	OS        string `json:"os"`
	Go        string `json:"go"`
	Alamos    string `json:"alamos"`
	Precision string `json:"precision"` // of inference: "fp32" or "bf16"
}

func thisMachine(alamos string) Machine {
	host, _ := os.Hostname()
	return Machine{
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
