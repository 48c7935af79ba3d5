package nn

import "testing"

// A library made of other C++ is refused, before anything of it is called.
func TestLibraryOfOtherCPP(t *testing.T) {
	if err := checkLibrary(); err != nil {
		t.Fatal(err)
	}
	if checkDigest("another digest", "a digest") == nil || checkDigest("", "a digest") == nil {
		t.Error("no error")
	}
}
