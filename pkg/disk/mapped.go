package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Mapped is memory that a temporary file backs: the system keeps in the memory of the machine what
// is in use, and the rest on the disk. The file has no name and ends with the process.
type Mapped struct {
	file   *os.File
	size   int64
	blocks [][]byte
}

// NewMapped returns mapped memory without a block. The file is in dir.
func NewMapped(dir string) (*Mapped, error) {
	f, err := os.CreateTemp(dir, partName("mapped"))
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Mapped{file: f}, nil
}

// Block returns a new block of zeros. Its size must be a multiple of the size of a page. The space
// on the disk is reserved, so that a full disk is an error here.
func (m *Mapped) Block(size int) ([]byte, error) {
	err := unix.Fallocate(int(m.file.Fd()), 0, m.size, int64(size))
	if errors.Is(err, unix.EOPNOTSUPP) { // zeros that are written take space too
		_, err = m.file.WriteAt(make([]byte, size), m.size)
	}
	if err != nil {
		return nil, &fs.PathError{Op: fmt.Sprintf("reserve %d bytes after %d", size, m.size), Path: m.file.Name(), Err: err}
	}
	b, err := unix.Mmap(int(m.file.Fd()), m.size, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, &fs.PathError{Op: fmt.Sprintf("map %d bytes", size), Path: m.file.Name(), Err: err}
	}
	m.size += int64(size)
	m.blocks = append(m.blocks, b)
	_ = unix.Madvise(b, unix.MADV_RANDOM) // only advice
	return b, nil
}

// Close gives the memory back. Nothing may use the blocks afterwards.
func (m *Mapped) Close() error {
	var err error
	for _, b := range m.blocks {
		err = errors.Join(err, unix.Munmap(b))
	}
	m.blocks = nil
	return errors.Join(err, m.file.Close())
}

// Expect tells the system that the bytes from one place to another of a block will be used soon.
func Expect(block []byte, from, to int) {
	from -= from % os.Getpagesize()
	_ = unix.Madvise(block[from:to], unix.MADV_WILLNEED) // only advice
}
