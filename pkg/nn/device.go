package nn

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sugarme/gotch"
	"golang.org/x/sys/cpu"
)

// Names of devices. A number selects one CUDA device, as in "cuda:1".
const (
	CPU     = "cpu"
	CUDA    = "cuda"     // the first CUDA device
	AllCUDA = "cuda:all" // all CUDA devices
)

// Devices parses a list such as "cuda:0,cuda:1" and checks that each device exists. The
// list has one or more CUDA devices by number, or CPU alone. Auto is the first CUDA device
// if there is one, otherwise CPU. "" is CPU.
func Devices(list string) ([]string, error) {
	if list == "" || list == CPU || list == Auto && !hasDriver() {
		return []string{CPU}, nil
	}
	if err := checkLibrary(); err != nil {
		return nil, err
	}
	there := 0
	if gotch.CUDA.IsAvailable() {
		there = int(gotch.CUDA.DeviceCount())
	}
	names := strings.Split(list, ",")
	switch {
	case list == Auto && there == 0:
		return []string{CPU}, nil
	case list == Auto, list == AllCUDA:
		names = []string{CUDA}
		for i := 1; i < there && list == AllCUDA; i++ {
			names = append(names, fmt.Sprintf("%s:%d", CUDA, i))
		}
	}
	var devices []string
	for _, name := range names {
		if name == CUDA {
			name += ":0"
		}
		number, numbered := strings.CutPrefix(name, CUDA+":")
		i, err := strconv.Atoi(number)
		switch {
		case !numbered || err != nil || i < 0:
			return nil, fmt.Errorf("device: no %q; there is auto, cpu, cuda, cuda:0 and so on, several of these with commas between, and cuda:all", name)
		case there == 0:
			return nil, fmt.Errorf("device: no %s: libtorch finds no CUDA device; there is cpu (a libtorch without CUDA, as Debian's, never finds one; nvidia-smi says whether the driver works)", name)
		case i >= there:
			return nil, fmt.Errorf("device: no %s: there is cuda:0 to cuda:%d", name, there-1)
		case slices.Contains(devices, fmt.Sprintf("%s:%d", CUDA, i)):
			return nil, fmt.Errorf("device: %s is in %q twice", name, list)
		}
		devices = append(devices, fmt.Sprintf("%s:%d", CUDA, i))
	}
	return devices, nil
}

// Precision returns the precision that a name means on a device. Auto means the fastest
// one.
func Precision(precision, device string) (string, error) {
	half := device != CPU || hasBF16()
	switch auto := precision == "" || precision == Auto; {
	case precision == FP32 || auto && !half:
		return FP32, nil
	case !auto && precision != BF16:
		return "", fmt.Errorf("precision: no %q; there is auto, fp32, bf16", precision)
	case !half:
		return "", errors.New("precision: this processor has no bf16 arithmetic (avx512_bf16); use fp32 or auto")
	}
	return BF16, nil
}

// openDevices returns the devices of a list, ready to compute, and the precision that a
// name means there.
func openDevices(list, precision string) (devices []string, resolved string, err error) {
	if err := checkLibrary(); err != nil {
		return nil, "", err
	}
	if devices, err = Devices(list); err != nil {
		return nil, "", err
	}
	for _, device := range devices {
		if err := checkDevice(device); err != nil {
			return nil, "", err
		}
	}
	resolved, err = Precision(precision, devices[0])
	return devices, resolved, err
}

// hasBF16 reports whether the processor has the bfloat16 instructions that our C++ uses.
func hasBF16() bool {
	return cpu.X86.HasAVX512BF16 && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
}

// Default batch sizes of self-play on the processor and on a CUDA device.
const (
	DefaultBatch     = 32
	DefaultBatchCUDA = 512
)

// Throughput returns the number of sessions, each on its own goroutine, and the batch size
// that evaluate the most positions per second on the devices (see Devices). The processor
// gets one session per core. Other devices get two per core, so that every core can search
// while other goroutines wait for a batch.
func Throughput(list string) (sessions, batch int, err error) {
	devices, err := Devices(list)
	if err != nil {
		return 0, 0, err
	}
	if devices[0] == CPU {
		return runtime.GOMAXPROCS(0), DefaultBatch, nil
	}
	return max(2*runtime.GOMAXPROCS(0), 2*len(devices)), DefaultBatchCUDA, nil
}

// Latency is [Throughput] for a single game, where the search waits for each batch. The
// sessions share a batch, with each positions per session.
func Latency(list string) (sessions, each int, err error) {
	devices, err := Devices(list)
	if err != nil {
		return 0, 0, err
	}
	if devices[0] == CPU {
		return runtime.GOMAXPROCS(0), 16, nil
	}
	return len(devices), 64, nil
}

// hasDriver reports whether a CUDA driver is installed. It does not load libtorch, which
// takes a third of a second. The second path is that of WSL.
func hasDriver() bool {
	for _, name := range []string{"/dev/nvidiactl", "/dev/dxg"} {
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return false
}
