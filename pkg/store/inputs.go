package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"alamos/pkg/config"
)

// Inputs is everything that decides what a stage writes: settings by their
// path, files by their checksum, the version of the stage's code.
type Inputs map[string]string

// Settings adds a group of settings under its path.
func (in Inputs) Settings(path string, group any) {
	var v any
	if err := json.Unmarshal(config.JSON(group), &v); err != nil {
		panic(err)
	}
	in.flatten(path, v)
}

func (in Inputs) flatten(path string, v any) {
	if m, ok := v.(map[string]any); ok {
		for k, v := range m {
			in.flatten(path+"."+k, v)
		}
		return
	}
	b, _ := json.Marshal(v)
	in[path] = strings.Trim(string(b), `"`)
}

// List adds a list of names whose order matters; each may have an input of its
// own under kind and its name, as "player random" belongs to the players.
func (in Inputs) List(kind string, names []string) {
	b, _ := json.Marshal(names) // texts can always be marshaled
	in[kind+"s"] = string(b)
}

// list reads what List wrote, nil where there is none.
func (in Inputs) list(kind string) (names []string) {
	_ = json.Unmarshal([]byte(in[kind+"s"]), &names)
	return names
}

// Hash is the SHA-256 of the inputs in hexadecimal: equal for equal ones only.
func (in Inputs) Hash() string {
	b, _ := json.Marshal(in) // with sorted keys
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// Change says in a few words how inputs differ from those of an earlier run.
func (in Inputs) Change(was Inputs) string {
	keys := maps.Clone(in)
	maps.Copy(keys, was)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		kind, name, _ := strings.Cut(k, " ")
		plural := strings.TrimSuffix(k, "s")
		switch {
		case in[k] == was[k]:
			continue
		case name != "" && (in[k] == "" || was[k] == "") && in.list(kind) != nil && was.list(kind) != nil:
			continue // the list tells of it
		case in.list(plural) != nil && was.list(plural) != nil:
			out = append(out, describeList(k, was.list(plural), in.list(plural)))
		default:
			out = append(out, describe(k, was[k], in[k]))
		}
		if len(out) > 3 {
			return strings.Join(append(out[:3], "and more"), ", ")
		}
	}
	return strings.Join(out, ", ")
}

// describeList says which names are new (+) and gone (-).
func describeList(key string, was, is []string) string {
	var out []string
	for _, n := range was {
		if !slices.Contains(is, n) {
			out = append(out, "-"+n)
		}
	}
	for _, n := range is {
		if !slices.Contains(was, n) {
			out = append(out, "+"+n)
		}
	}
	if len(out) == 0 {
		return key + " in another order"
	}
	return key + " " + strings.Join(out, " ")
}

func describe(key, was, is string) string {
	switch {
	case key == "code": // of the stage, see package stage
		return fmt.Sprintf("alamos computes this in another way now (version %s -> %s)", was, is)
	case len(was) == 64 || len(is) == 64: // a checksum says nothing to a reader
		return key + " changed"
	case was == "":
		return fmt.Sprintf("%s %s (new)", key, is)
	case is == "":
		return fmt.Sprintf("%s %s (gone)", key, was)
	}
	return fmt.Sprintf("%s %s -> %s", key, was, is)
}
