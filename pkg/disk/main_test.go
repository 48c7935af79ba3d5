package disk

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// lockVariable in the environment names a folder that this test binary, run
// again, locks until the end of its input.
const lockVariable = "ALAMOS_TEST_LOCK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(lockVariable); dir != "" {
		l, err := TakeLock(dir)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("locked")
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = l.Release()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// wantError wants an error that has all these texts.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, s := range texts {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error %q does not say %q", err, s)
		}
	}
}

// names are those in a folder, sorted.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		out = append(out, e.Name())
	}
	return out
}
