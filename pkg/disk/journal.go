package disk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Journal is an append-only file of the finished parts of a long piece of work. It exists
// until the final files of that work are written. A process may be killed while it writes
// an entry; the next process drops the torn end and continues. The first entry is the head,
// which identifies the work.
//
// An entry is the length of its data and the CRC-32 of its data, 4 bytes each, little
// endian, followed by the data.
//
// The journal does not sync. A killed process loses no entry, but a machine that loses
// power may lose the last ones.
type Journal struct {
	// Dropped is the number of torn or damaged bytes that were skipped.
	Dropped int64

	mu   sync.Mutex
	path string
	f    *os.File
	err  error // first failed write; entries after it could not be read back
}

const (
	entryHead = 8
	maxEntry  = 1 << 28
)

// OpenJournal opens a journal, creates it if it is missing, and calls replay for each entry
// after the head. It empties a journal with another head. It skips a damaged entry if a
// whole one follows.
func OpenJournal(path string, head []byte, replay func(entry []byte) error) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	j := &Journal{path: path, f: f}
	if err := j.restore(head, replay); err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: %w", path, err), f.Close())
	}
	return j, nil
}

// ReadJournal calls replay for each entry of a journal without changing the file. A missing
// file has no entries.
func ReadJournal(path string, head []byte, replay func(entry []byte) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	r := &entries{r: bufio.NewReaderSize(f, 1<<20), left: st.Size()}
	if first, whole, err := r.next(); err != nil || !whole || !bytes.Equal(first, head) {
		return err
	}
	for r.left > 0 {
		entry, whole, err := r.next()
		if err == nil && whole {
			err = replay(entry)
		}
		if err != nil {
			return fmt.Errorf("journal %s: %w", path, err)
		}
	}
	return nil
}

// restore replays the journal and truncates the file after its last whole entry.
func (j *Journal) restore(head []byte, replay func([]byte) error) error {
	st, err := j.f.Stat()
	if err != nil {
		return err
	}
	r := &entries{r: bufio.NewReaderSize(j.f, 1<<20), left: st.Size()}
	first, whole, err := r.next()
	if err != nil {
		return err
	}
	if !whole || !bytes.Equal(first, head) {
		if !whole {
			j.Dropped = st.Size()
		}
		if err := j.cut(0); err != nil {
			return err
		}
		return j.append(head)
	}
	end := st.Size() - r.left // of the last whole entry
	used := end
	for r.left > 0 {
		entry, whole, err := r.next()
		if err != nil {
			return err
		}
		if !whole {
			continue
		}
		if err := replay(entry); err != nil {
			return err
		}
		end = st.Size() - r.left
		used += entryHead + int64(len(entry))
	}
	j.Dropped = st.Size() - used
	return j.cut(end)
}

// cut truncates the file and moves the file offset to the new end.
func (j *Journal) cut(end int64) error {
	if err := j.f.Truncate(end); err != nil {
		return err
	}
	_, err := j.f.Seek(end, io.SeekStart)
	return err
}

// entries iterates over the entries of a journal.
type entries struct {
	r    io.Reader
	left int64 // unread bytes
}

// next returns the next entry and whether it is whole. If the length of an entry is
// invalid, the start of the following entry is unknown, so next discards the rest of the
// file.
func (e *entries) next() (entry []byte, whole bool, err error) {
	var h [entryHead]byte
	if e.left < entryHead {
		e.left = 0
		return nil, false, nil
	}
	if _, err := io.ReadFull(e.r, h[:]); err != nil {
		return nil, false, err
	}
	e.left -= entryHead
	n, sum := int64(binary.LittleEndian.Uint32(h[:])), binary.LittleEndian.Uint32(h[4:])
	if n > min(e.left, maxEntry) {
		e.left = 0
		return nil, false, nil
	}
	e.left -= n
	entry = make([]byte, n)
	if _, err := io.ReadFull(e.r, entry); err != nil {
		return nil, false, err
	}
	return entry, crc32.ChecksumIEEE(entry) == sum, nil
}

// Add appends an entry. It is safe for concurrent use. After a failure every call returns
// the same error.
func (j *Journal) Add(entry []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.append(entry)
	}
	return j.err
}

// append writes an entry with a single call, so a killed process tears at most the last
// entry.
func (j *Journal) append(entry []byte) error {
	if len(entry) > maxEntry {
		return fmt.Errorf("journal %s: an entry of %d bytes, more than the %d that it can hold", j.path, len(entry), maxEntry)
	}
	b := make([]byte, entryHead, entryHead+len(entry))
	binary.LittleEndian.PutUint32(b, uint32(len(entry)))
	binary.LittleEndian.PutUint32(b[4:], crc32.ChecksumIEEE(entry))
	step("append", j.path)
	if _, err := j.f.Write(append(b, entry...)); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

// Close closes the file but does not delete it. [Remove] it once the final files are
// written.
func (j *Journal) Close() error { return j.f.Close() }
