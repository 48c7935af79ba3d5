package run

import (
	"encoding/json"
	"fmt"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// Journal keeps what a long stage has finished until the stage's files are
// written: entries of JSON under a head that names the stage's inputs. One of
// other inputs is thrown away.
type Journal struct{ *disk.Journal }

// OpenJournal opens the journal of a stage and gives replay each entry that it
// has. What is damaged is not an error: it is done again.
func (t *Trial) OpenJournal(path string, in store.Inputs, replay func(entry []byte) error) (*Journal, error) {
	head, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	j, err := disk.OpenJournal(path, head, replay)
	if err != nil {
		return nil, fmt.Errorf("%w (delete it to do again what it has)", err)
	}
	if j.Dropped > 0 {
		t.Report.Note(fmt.Sprintf("%s: %s bytes are torn or damaged; what they held is done again", path, humanize.Comma(int64(j.Dropped))))
	}
	return &Journal{j}, nil
}

// Peek gives replay what the journal of a stage has, and changes nothing.
func Peek(path string, in store.Inputs, replay func(entry []byte) error) error {
	head, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return disk.ReadJournal(path, head, replay)
}

// Keep appends an entry. It is safe for use by many goroutines.
func (j *Journal) Keep(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return j.Journal.Add(b)
}
