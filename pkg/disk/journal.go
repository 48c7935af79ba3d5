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
	"syscall"
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
	// Other is the head that the file had before, if it differed and the journal was emptied.
	Other []byte

	mu     sync.Mutex
	path   string
	f      *os.File
	places []int64 // of the entries after the head
	end    int64
	err    error // first failed write; entries after it could not be read back
}

const (
	entryHead = 8
	maxEntry  = 1 << 28
)

// OpenJournal opens a journal, creates it if it is missing, and calls replay for each entry
// after the head. It empties a journal with another head. It skips a damaged entry if a
// whole one follows. It fails with a [HeldError] if another process has the journal open and the
// file system has locks.
func OpenJournal(path string, head []byte, replay func(entry []byte) error) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the journal: %w", err)
	}
	if err := flock(f, syscall.LOCK_EX); errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(&HeldError{Path: path, Holder: "another process"}, f.Close())
	}
	j := &Journal{path: path, f: f}
	if err := j.restore(head, replay); err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: %w", path, err), f.Close())
	}
	return j, nil
}

// ReadJournal calls replay for each entry of a journal whose head begins with head, without
// changing the file. A missing file has no entries.
func ReadJournal(path string, head []byte, replay func(entry []byte) error) error {
	f, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	begins := func(have []byte) bool { return bytes.HasPrefix(have, head) }
	if _, _, err := scan(f, begins, func(_ int64, entry []byte) error { return replay(entry) }); err != nil {
		return fmt.Errorf("journal %s: %w", path, err)
	}
	return nil
}

// JournalHead returns the head of a journal. It is nil if there is no journal, or no whole head.
func JournalHead(path string) ([]byte, error) {
	f, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	head, _, err := nextEntry(f, st.Size())
	return head, err
}

// Tail follows a journal that another process writes. It does not change the file.
type Tail struct {
	Path string
	at   int64 // where the entries begin that were not read
	head []byte
}

// Read calls add for each entry after the head that was added since the last call. It calls
// reset first if the file is missing, or is another journal than before.
func (t *Tail) Read(reset func(), add func(entry []byte) error) error {
	f, err := Open(t.Path)
	if errors.Is(err, fs.ErrNotExist) {
		t.at, t.head = 0, nil
		reset()
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	head, size, err := nextEntry(f, st.Size())
	if err != nil || head == nil { // it is being written
		return err
	}
	if t.at == 0 || st.Size() < t.at || !bytes.Equal(head, t.head) {
		t.at, t.head = size, head
		reset()
	}
	r := io.NewSectionReader(f, t.at, st.Size()-t.at)
	for t.at < st.Size() {
		entry, size, err := nextEntry(r, st.Size()-t.at)
		if err != nil {
			return err
		}
		if entry == nil && t.at+size >= st.Size() {
			return nil // it is being written
		}
		t.at += size
		if entry != nil {
			if err := add(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// restore replays the journal and truncates the file after its last whole entry.
func (j *Journal) restore(head []byte, replay func([]byte) error) error {
	equals := func(have []byte) bool {
		if bytes.Equal(have, head) {
			return true
		}
		j.Other = bytes.Clone(have)
		return false
	}
	end, torn, err := scan(j.f, equals, func(at int64, entry []byte) error {
		j.places = append(j.places, at)
		return replay(entry)
	})
	if err != nil {
		return err
	}
	j.Dropped, j.end = torn, end
	if err := j.f.Truncate(end); err != nil || end > 0 {
		return err
	}
	return j.append(head)
}

// scan calls replay for each entry after the head, with its place. It returns where the last
// whole entry ends, 0 if it is not a journal with this head, and the number of torn or damaged
// bytes.
func scan(f *os.File, head func([]byte) bool, replay func(at int64, entry []byte) error) (end, torn int64, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	r := bufio.NewReaderSize(f, 1<<20)
	for at := int64(0); at < st.Size(); {
		entry, size, err := nextEntry(r, st.Size()-at)
		at += size
		switch {
		case err != nil:
			return 0, 0, err
		case end == 0 && entry == nil:
			return 0, st.Size(), nil
		case end == 0 && !head(entry):
			return 0, 0, nil
		case entry == nil:
			torn += size
			continue
		case end > 0:
			if err := replay(at-size, entry); err != nil {
				return 0, 0, err
			}
		}
		end = at
	}
	return end, torn, nil
}

// nextEntry reads the next entry, nil if it is damaged, and its size in the file, of which
// left bytes follow. If the length of an entry is invalid, the start of the following entry
// is unknown, so the size is that of the rest.
func nextEntry(r io.Reader, left int64) (entry []byte, size int64, err error) {
	var h [entryHead]byte
	if left < entryHead {
		return nil, left, nil
	}
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return nil, 0, err
	}
	n, sum := int64(binary.LittleEndian.Uint32(h[:])), binary.LittleEndian.Uint32(h[4:])
	if n == 0 || n > min(left-entryHead, maxEntry) { // a power loss may leave zeros, and no entry is empty
		return nil, left, nil
	}
	entry = make([]byte, n)
	if _, err := io.ReadFull(r, entry); err != nil {
		return nil, 0, err
	}
	if crc32.ChecksumIEEE(entry) != sum {
		entry = nil
	}
	return entry, entryHead + n, nil
}

// Add appends an entry, which must not be empty. It is safe for concurrent use. After a failure
// every call returns the same error.
func (j *Journal) Add(entry []byte) error {
	if len(entry) == 0 {
		return errors.New("journal: an entry is empty")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		at := j.end
		if j.err = j.append(entry); j.err == nil {
			j.places = append(j.places, at)
		}
	}
	return j.err
}

// Len returns the number of entries after the head.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.places)
}

// Entry returns entry i, 0 <= i < Len(), in the order in which the entries were added.
func (j *Journal) Entry(i int) ([]byte, error) {
	j.mu.Lock()
	at, end := j.places[i], j.end
	j.mu.Unlock()
	entry, _, err := nextEntry(io.NewSectionReader(j.f, at, end-at), end-at)
	if err == nil && entry == nil {
		err = errors.New("an entry was damaged after it was written")
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", j.path, err)
	}
	return entry, nil
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
	j.end += int64(entryHead + len(entry))
	return nil
}

// Close closes the file but does not delete it. [Remove] it once the final files are
// written.
func (j *Journal) Close() error {
	_ = syscall.Flock(int(j.f.Fd()), syscall.LOCK_UN) // as in Lock.Release; a file system may have no locks
	return j.f.Close()
}
