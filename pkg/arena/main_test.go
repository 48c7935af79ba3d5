package arena

import (
	"os"
	"testing"

	"alamos/pkg/uci/enginetest"
)

func TestMain(m *testing.M) {
	if !enginetest.Main() {
		os.Exit(m.Run())
	}
}
