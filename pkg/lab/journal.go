package lab

import (
	"encoding/json"
	"fmt"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// journal keeps what a long stage has finished until the stage's files are
// written: entries of JSON under a head that names the stage's inputs. One of
// other inputs is thrown away.
type journal struct{ *disk.Journal }

// openJournal opens the journal of a stage and gives replay each entry that it
// has. What is damaged is not an error: it is done again.
func (t *trial) openJournal(path string, in store.Inputs, replay func(entry []byte) error) (*journal, error) {
	head, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	j, err := disk.OpenJournal(path, head, replay)
	if err != nil {
		return nil, fmt.Errorf("%w (delete it to do again what it has)", err)
	}
	if j.Dropped > 0 {
		t.Reporter.Note(fmt.Sprintf("%s: %s bytes are torn or damaged; what they held is done again", path, thousands(int(j.Dropped))))
	}
	return &journal{j}, nil
}

// peek gives replay what the journal of a stage has, and changes nothing.
func peek(path string, in store.Inputs, replay func(entry []byte) error) error {
	head, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return disk.ReadJournal(path, head, replay)
}

// add appends an entry. It is safe for use by many goroutines.
func (j *journal) add(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return j.Journal.Add(b)
}
