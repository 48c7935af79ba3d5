package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// The seal is a checksum over the whole file that lives inside it, as a value
// of the Parquet footer: the SHA-256 of the file's bytes with the seal's own
// hexadecimal digits read as zeros. So other readers see an ordinary file, and
// we need to parse nothing that has not been checked.
const (
	keyChecksum = "alamos.checksum"
	sealPrefix  = "alamos-sha256:"
	sealDigits  = 2 * sha256.Size
)

// unsealed is the value of keyChecksum until seal is called.
var unsealed = sealPrefix + string(bytes.Repeat([]byte{'0'}, sealDigits))

var (
	errNoSeal   = errors.New("no alamos checksum: cut short, or written by another program")
	errSealDiff = errors.New("checksum does not match: its bytes have changed since it was written")
)

// sealAt finds the digits of the seal: the last in the file, since the footer
// comes after all rows.
func sealAt(file []byte) (digits []byte, ok bool) {
	i := bytes.LastIndex(file, []byte(sealPrefix))
	if i < 0 || len(file)-i-len(sealPrefix) < sealDigits {
		return nil, false
	}
	i += len(sealPrefix)
	return file[i : i+sealDigits : i+sealDigits], true
}

// sealer passes a file on as it is written, and seals it: the checksum is known
// when all else is, so the end of the file is held back until then.
type sealer struct {
	out  io.Writer
	sum  hash.Hash // of what was passed on
	held bool
	end  []byte // what is held back
}

func newSealer(out io.Writer) *sealer { return &sealer{out: out, sum: sha256.New()} }

func (s *sealer) Write(b []byte) (int, error) {
	if s.held {
		s.end = append(s.end, b...)
		return len(b), nil
	}
	s.sum.Write(b)
	return s.out.Write(b)
}

// hold begins the end of the file, which has the seal, its digits zeros.
func (s *sealer) hold() { s.held = true }

// seal writes the end of the file.
func (s *sealer) seal() error {
	digits, ok := sealAt(s.end)
	if !ok {
		return errNoSeal
	}
	s.sum.Write(s.end)
	hex.Encode(digits, s.sum.Sum(nil))
	_, err := s.out.Write(s.end)
	return err
}

// checkSeal returns an error unless the file is as seal left it.
func checkSeal(in io.ReaderAt, size int64) error {
	// The file ends with its footer, the length of that, and four letters.
	var last [8]byte
	if size < int64(len(last)) {
		return errNoSeal
	}
	if _, err := in.ReadAt(last[:], size-int64(len(last))); err != nil && err != io.EOF {
		return err
	}
	length := int64(binary.LittleEndian.Uint32(last[:4])) + int64(len(last))
	if length > size {
		return errNoSeal
	}
	end := make([]byte, length)
	if _, err := in.ReadAt(end, size-length); err != nil && err != io.EOF {
		return err
	}
	digits, ok := sealAt(end)
	if !ok {
		return errNoSeal
	}
	have := bytes.Clone(digits)
	copy(digits, unsealed[len(sealPrefix):])
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(in, 0, size-length)); err != nil {
		return err
	}
	sum.Write(end)
	if !bytes.Equal(have, hex.AppendEncode(nil, sum.Sum(nil))) {
		return errSealDiff
	}
	return nil
}
