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

// Journal keeps what a long piece of work has finished, entry by entry, until
// its files are written. A process may be killed in the middle of an entry: the
// next one drops the torn end and goes on. The first entry is the head, which
// names the work.
//
// An entry is its length and the CRC-32 of its bytes, 4 bytes each, little
// endian, then the bytes.
//
// Entries reach the disk when the kernel writes them: a killed process loses
// none, a machine that loses its power may lose the last.
type Journal struct {
	// Dropped is how many bytes of the file were of no use: torn or damaged.
	Dropped int64

	mu   sync.Mutex
	path string
	f    *os.File
	err  error // of the first write that failed: what followed it could not be read back
}

const (
	entryHead = 8
	maxEntry  = 1 << 28
)

// OpenJournal opens the journal of a work, makes it where there is none, and
// gives replay each entry that it has. A journal with another head is emptied.
// A damaged entry is passed over where a whole one follows it.
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

// ReadJournal gives replay each entry that the journal of a work has, and changes
// nothing. There may be none.
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

// restore replays the journal and leaves the file at the end of its last whole
// entry.
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

// cut makes the file end at a place and goes there.
func (j *Journal) cut(end int64) error {
	if err := j.f.Truncate(end); err != nil {
		return err
	}
	_, err := j.f.Seek(end, io.SeekStart)
	return err
}

// entries reads a journal's entries.
type entries struct {
	r    io.Reader
	left int64 // bytes that have not been looked at
}

// next returns the next entry and tells whether it is whole. Nothing is left
// where an entry does not say where the one after it begins.
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

// Add appends an entry. It is safe for use by many goroutines. Once it has
// failed it fails for ever, with the same error.
func (j *Journal) Add(entry []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = j.append(entry)
	}
	return j.err
}

// append writes an entry with one call, so that a killed process tears at most
// the last.
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

// Close closes the file, which stays where it is: [Remove] it when its entries
// are in other files.
func (j *Journal) Close() error { return j.f.Close() }
