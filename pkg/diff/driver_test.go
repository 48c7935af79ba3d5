package diff

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestParseDriverArgs(t *testing.T) {
	seven := []string{"x.yaml", "/tmp/old", "0a", "100644", "/tmp/new", "0b", "100644"}
	for _, test := range []struct {
		args []string
		want DriverArgs
		bad  bool
	}{
		{seven[:1], DriverArgs{Path: "x.yaml", NewPath: "x.yaml", Unmerged: true}, false},
		{seven, DriverArgs{Path: "x.yaml", NewPath: "x.yaml", OldFile: "/tmp/old", NewFile: "/tmp/new"}, false},
		{append(seven[:7:7], "y.yaml", "similarity index 90%"), DriverArgs{Path: "x.yaml", NewPath: "y.yaml", OldFile: "/tmp/old", NewFile: "/tmp/new"}, false},
		{seven[:6], DriverArgs{}, true},
		{nil, DriverArgs{}, true},
	} {
		have, err := ParseDriverArgs(test.args)
		if have != test.want || (err != nil) != test.bad {
			t.Errorf("%q: %+v, %v", test.args, have, err)
		}
	}
}

// git breaks off when a driver fails, so that it never does.
func TestDriverNeverFails(t *testing.T) {
	inFolder(t, map[string]string{"old.txt": "alamos: 1\nname: x\n", "new.txt": "alamos: 1\nname: [\n", "base.yaml": "alamos: 1\nname: b\n"})
	for _, test := range []struct {
		args DriverArgs
		want string
	}{
		{DriverArgs{Path: "x.yaml", NewPath: "x.yaml", Unmerged: true}, "the file has conflicts"},
		{DriverArgs{Path: "x.yaml", NewPath: "x.yaml", OldFile: "old.txt", NewFile: "gone.txt"}, "note: compared line by line: b/x.yaml:1:1: cannot read the file"},
		{DriverArgs{Path: "x.yaml", NewPath: "x.yaml", OldFile: os.DevNull, NewFile: "old.txt"}, "  a/x.yaml: not there\n"},
		{DriverArgs{Path: "x.yaml", NewPath: "x.yaml", OldFile: "old.txt", NewFile: "new.txt"}, "note: compared line by line: b/x.yaml:"},
	} {
		var out bytes.Buffer
		if err := Driver(&out, test.args, Options{}, true, true); err != nil || !strings.Contains(out.String(), test.want) {
			t.Errorf("%+v: %v\n%s\nwant %s", test.args, err, &out, test.want)
		}
	}
}
