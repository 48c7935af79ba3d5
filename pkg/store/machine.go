package store

// Machine is where a stage ran: provenance, never an input.
type Machine struct {
	Host      string `json:"host"`
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	OS        string `json:"os"`
	Go        string `json:"go"`
	Alamos    string `json:"alamos"`
	Precision string `json:"precision"` // of inference: "fp32" or "bf16"
	// Devices are those that networks played on, "cpu" or "cuda:0" and so on; of
	// older runs none are known, which was the processor.
	Devices []string `json:"devices,omitempty"`
	GPU     string   `json:"gpu,omitempty"` // its name, where there is one
}
