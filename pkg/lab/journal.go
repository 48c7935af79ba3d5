package lab

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// journal keeps what a long stage has finished, entry by entry, until the
// stage's files are written. A process may be killed in the middle of an entry:
// the next one drops the torn tail and goes on. An entry is its length and CRC
// (4 bytes each, little endian), then JSON; the first entry names the stage's
// inputs, and a journal of other inputs is thrown away.
type journal struct {
	mu   sync.Mutex
	path string
	f    *os.File
	err  error // of the first write that failed: what followed it could not be read back
}

const maxEntry = 1 << 28

// openJournal opens the journal of a stage and gives each entry that it has to
// replay.
func openJournal(path string, in Inputs, replay func(entry []byte) error) (*journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	j := &journal{path: path, f: f}
	if err := j.restore(in, replay); err != nil {
		f.Close()
		return nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return j, nil
}

func (j *journal) restore(in Inputs, replay func([]byte) error) error {
	head, err := json.Marshal(in)
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(j.f, 1<<20)
	first, end := readEntry(r)
	if string(first) != string(head) {
		if err := j.f.Truncate(0); err != nil {
			return err
		}
		if _, err := j.f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return j.append(head)
	}
	for {
		entry, n := readEntry(r)
		if n == 0 {
			break
		}
		if err := replay(entry); err != nil {
			return err
		}
		end += n
	}
	if err := j.f.Truncate(end); err != nil {
		return err
	}
	_, err = j.f.Seek(end, io.SeekStart)
	return err
}

// readEntry returns the next entry and its size on disk, 0 where there is no
// whole one.
func readEntry(r io.Reader) ([]byte, int64) {
	var h [8]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return nil, 0
	}
	n := binary.LittleEndian.Uint32(h[:])
	if n > maxEntry {
		return nil, 0
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil || crc32.ChecksumIEEE(b) != binary.LittleEndian.Uint32(h[4:]) {
		return nil, 0
	}
	return b, int64(len(h)) + int64(n)
}

// add appends an entry. It is safe for use by many goroutines.
func (j *journal) add(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.append(b)
	}
	return j.err
}

// append writes header and body with one call, so that a killed process tears
// at most the last entry.
func (j *journal) append(b []byte) error {
	buf := make([]byte, 8, 8+len(b))
	binary.LittleEndian.PutUint32(buf, uint32(len(b)))
	binary.LittleEndian.PutUint32(buf[4:], crc32.ChecksumIEEE(b))
	if _, err := j.f.Write(append(buf, b...)); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

func (j *journal) close() error { return j.f.Close() }

// dropJournal deletes a journal whose entries are in the stage's files.
func dropJournal(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
