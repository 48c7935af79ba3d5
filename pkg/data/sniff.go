package data

import (
	"bytes"
	"fmt"
	"strings"
)

// formats are what files begin with.
var formats = []struct{ head, what string }{
	{"\x1f\x8b", "compressed by gzip"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd"},
	{"BZh", "compressed by bzip2"},
	{"\xfd7zXZ\x00", "compressed by xz"},
	{"\x04\x22\x4d\x18", "compressed by lz4"},
	{"PK\x03\x04", "compressed by zip"},
	{"7z\xbc\xaf\x27\x1c", "compressed by 7-Zip"},
	{"PAR1", "a file in Parquet"},
	{"\x06\x00\x00\x00", "training data of lc0"},
	{"[Event ", "games in PGN"},
	{"alamos:", "an experiment"},
}

// sniffed is how much of a file tells what it is.
const sniffed = 512

// formatOf tells what a file is; "" where nothing known begins so.
func formatOf(head []byte) (what string) {
	for _, f := range formats {
		if bytes.HasPrefix(head, []byte(f.head)) {
			return f.what
		}
	}
	return ""
}

// foreign tells what a file is that is not what was wanted, and what to do about it.
func foreign(head []byte, want string) error {
	switch what := formatOf(head); {
	case strings.HasPrefix(what, "compressed"):
		return fmt.Errorf("it is %s, which is not read here: decompress it first", what)
	case what != "":
		return fmt.Errorf("it is %s, not %s: one source has files of one kind", what, want)
	}
	if len(head) == 0 {
		return fmt.Errorf("the file is empty")
	}
	return fmt.Errorf("it is not %s: it begins with %q", want, head[:min(8, len(head))])
}
