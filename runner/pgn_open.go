package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// openPGN opens a file of games, or standard input for "-", and unpacks what
// begins as gzip or zstd does, whatever its name.
func openPGN(path string, stdin io.Reader) (io.ReadCloser, error) {
	file := io.NopCloser(stdin)
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		file = f
	}
	packed := bufio.NewReaderSize(file, 64<<10)
	f := &pgnFile{packed, []io.Closer{file}}
	magic, err := packed.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		var z *gzip.Reader
		if z, err = gzip.NewReader(packed); err == nil {
			f = &pgnFile{z, []io.Closer{z, file}}
		}
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(packed); err == nil {
			f = &pgnFile{z, []io.Closer{z.IOReadCloser(), file}}
		}
	case err == io.EOF: // shorter than any magic
		err = nil
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// pgnFile is a file with what unpacks it.
type pgnFile struct {
	io.Reader
	closers []io.Closer
}

func (f *pgnFile) Close() error {
	var err error
	for _, c := range f.closers {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	return err
}
