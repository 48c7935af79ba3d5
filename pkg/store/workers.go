package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"alamos/pkg/disk"
)

// workersFile is in the folder of an experiment while its run has workers on other machines.
const workersFile = "workers.json"

// Worker is a process that plays games for a run.
type Worker struct {
	Name     string    `json:"name"` // of its token
	Host     string    `json:"host"`
	Kind     Kind      `json:"kind"`
	Held     int       `json:"held"`     // games that it plays now
	Taken    int       `json:"taken"`    // games that the run has of it
	Verified int       `json:"verified"` // of them that another worker played again, with the same result
	Speed    float64   `json:"speed"`    // games per second
	Refused  string    `json:"refused,omitempty"`
	Seen     time.Time `json:"seen"`
}

// WriteWorkers notes the workers of a run in the folder of its experiment. Without workers it
// removes the note.
func WriteWorkers(dir string, workers []Worker) error {
	file := filepath.Join(dir, workersFile)
	if len(workers) == 0 {
		return disk.Remove(file)
	}
	b, err := json.Marshal(workers)
	if err != nil {
		return err
	}
	return disk.WriteBytes(file, b)
}

// ReadWorkers returns the workers of a run that is at work.
func ReadWorkers(dir string) (workers []Worker, err error) {
	b, err := disk.ReadFile(filepath.Join(dir, workersFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &workers)
	}
	return workers, err
}
