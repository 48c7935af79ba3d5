package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"alamos/pkg/disk"
)

// File is a script or another file whose contents decide a result. Its identity is its
// contents, not its name or folder.
type File struct {
	Path   string // relative to the working directory
	SHA256 string // of the contents as they were read, in hexadecimal
}

const sumPrefix = "sha256:"

// MarshalText returns the canonical form: the hash of the contents as "sha256:..." if it is
// known, otherwise the path.
func (f File) MarshalText() ([]byte, error) {
	if f.SHA256 != "" {
		return []byte(sumPrefix + f.SHA256), nil
	}
	return []byte(f.Path), nil
}

// WithPath returns the hash and the path, "sha256:... path".
func (f File) WithPath() string {
	if f.SHA256 == "" {
		return f.Path
	}
	return sumPrefix + f.SHA256 + " " + f.Path
}

// UnmarshalText reads what MarshalText and WithPath write.
func (f *File) UnmarshalText(b []byte) error {
	*f = File{Path: string(b)}
	if identity, ok := strings.CutPrefix(string(b), sumPrefix); ok {
		f.SHA256, f.Path, _ = strings.Cut(identity, " ")
	}
	return nil
}

// Name returns the name of the file without folder and ending.
func (f File) Name() string {
	return strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path))
}

// Read reads the file, which must not have changed since it was loaded.
func (f File) Read() ([]byte, error) {
	data, err := disk.ReadFile(f.Path)
	if err == nil && disk.SumOf(data) != f.SHA256 {
		err = fmt.Errorf("%s has changed since the experiment was loaded: run again", f.Path)
	}
	return data, err
}

// Files reads each file once.
type Files struct {
	ReadFile func(path string) ([]byte, error) // nil reads from the disk
	Lenient  bool                              // a file that a value names may be missing
	Missing  []string                          // such files
	known    map[string][]byte
}

func (f *Files) Read(path string) (data []byte, err error) {
	if data, ok := f.known[path]; ok {
		return data, nil
	}
	if f.ReadFile != nil {
		data, err = f.ReadFile(path)
	} else {
		data, err = disk.ReadFile(path)
	}
	if err == nil {
		if f.known == nil {
			f.known = map[string][]byte{}
		}
		f.known[path] = data
	}
	return data, err
}

// Sum returns the SHA-256 of a file that can be read, otherwise "".
func (f *Files) Sum(path string) string {
	data, err := f.Read(path)
	if err != nil {
		return ""
	}
	return disk.SumOf(data)
}

// Beside resolves name relative to the folder of a file.
func Beside(file, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(file), name)
}

// FileFrom returns the path of a file relative to the folder dir, with slashes on every
// system. It returns a path unchanged if it has no such form.
func FileFrom(dir, file string) string {
	if name, err := filepath.Rel(dir, file); err == nil && file != "" {
		file = name
	}
	return filepath.ToSlash(file)
}

// Reason returns the error's text without the path, which the caller names itself.
func Reason(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return strings.Join(strings.Fields(fmt.Sprint(err)), " ")
}
