package store

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Machine is where a stage ran: provenance, never an input.
type Machine struct {
	Host      string   `json:"host"`
	CPU       string   `json:"cpu"`
	Cores     int      `json:"cores"`
	OS        string   `json:"os"`
	Go        string   `json:"go"`
	Alamos    string   `json:"alamos"`
	Precision string   `json:"precision"`         // of inference: "fp32" or "bf16"
	Devices   []string `json:"devices,omitempty"` // that networks played on: "cuda:0"; none: the processor
	GPU       string   `json:"gpu,omitempty"`     // the name of the first, where there is one
}

// Hardware is what networks played on, for people.
func (m Machine) Hardware() string {
	h := fmt.Sprintf("%s, %s", m.CPU, english.Plural(m.Cores, "core", ""))
	if len(m.Devices) > 0 {
		h += fmt.Sprintf(", %s (%s)", cmp.Or(m.GPU, "graphics card"), strings.Join(m.Devices, ", "))
	}
	return h
}
