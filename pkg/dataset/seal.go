package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// seal writes the checksum of a file whose seal's digits are zeros.
func seal(file []byte) error {
	digits, ok := sealAt(file)
	if !ok {
		return errNoSeal
	}
	sum := sha256.Sum256(file)
	hex.Encode(digits, sum[:])
	return nil
}

// checkSeal returns an error unless the file is as seal left it.
func checkSeal(file []byte) error {
	digits, ok := sealAt(file)
	if !ok {
		return errNoSeal
	}
	before := bytes.Clone(digits)
	copy(digits, unsealed[len(sealPrefix):])
	sum := sha256.Sum256(file)
	copy(digits, before)
	if !bytes.Equal(before, hex.AppendEncode(nil, sum[:])) {
		return errSealDiff
	}
	return nil
}
