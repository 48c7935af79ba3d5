package run

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/store"
)

// memoryIn returns the number of bytes that this process can use at most: the memory and the
// swap space of the machine, or less in a cgroup, as in a container or a job of a cluster. It
// finds them in files of Linux below root. Without these it returns 0, which is unknown.
func memoryIn(root fs.FS) int64 {
	info := map[string]int64{} // in kB
	text, _ := fs.ReadFile(root, "proc/meminfo")
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		info[name], _ = strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
	}
	memory, swap := info["MemTotal"]<<10, info["SwapTotal"]<<10
	both := memory + swap
	text, _ = fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		folder, limits := "sys/fs/cgroup", map[string]*int64{"memory.max": &memory, "memory.swap.max": &swap}
		if parts[0] != "0" { // version 1, which has a tree for each controller
			folder, limits = "sys/fs/cgroup/memory", map[string]*int64{"memory.limit_in_bytes": &memory, "memory.memsw.limit_in_bytes": &both}
			if parts[1] != "memory" {
				continue
			}
		}
		for group := path.Join("/", parts[2]); ; group = path.Dir(group) { // the limits of all groups around it hold
			for name, limited := range limits {
				text, _ := fs.ReadFile(root, path.Join(folder, group, name))
				if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
					*limited = min(*limited, n)
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return min(memory+swap, both)
}

// need is the memory that the samples of a replay window take.
type need struct {
	generations int
	samples     float64
	bytes       float64
}

// stored returns the need of a window whose sample files exist.
func (w window) stored() (n need, err error) {
	n.generations = w.last - w.first + 1
	for g := w.first; g <= w.last; g++ {
		samples, bytes, err := data.Memory(w.trial.Results.Path(store.SamplesFile(g)))
		if err != nil {
			return n, err
		}
		n.samples += float64(samples)
		n.bytes += float64(bytes)
	}
	return n, nil
}

// movesPerPosition is a usual number of moves of a position, for an estimate.
const movesPerPosition = 30

// planned returns the estimated need of a window with a number of positions.
func (w window) planned(positions float64) need {
	words := w.trial.Setup.Codec.Planes.Count()
	if w.trial.Settings.Network.FutureBoard > 0 {
		words += encode.FutureWords
	}
	return need{w.last - w.first + 1, positions, positions * float64(data.SampleBytes(words, movesPerPosition))}
}

// isLarge reports whether the samples take more than half of the memory of the machine. An unknown
// need or memory is not large.
func (n need) isLarge(memory int64) bool { return memory > 0 && 2*n.bytes > float64(memory) }

// text says that samples are large.
func (n need) text(memory int64) string {
	return fmt.Sprintf("the replay window of %s has %s samples, which take %s, and this machine has %s of memory: training reads them from a temporary file, at the pace of the disk",
		english.Plural(n.generations, "generation", ""), humanize.Comma(int64(n.samples)), humanize.IBytes(uint64(n.bytes)), humanize.IBytes(uint64(memory)))
}
