package uci

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Option is a setting that an engine offers.
type Option struct {
	Name    string
	Type    string // "check", "spin", "combo", "string" or "button"
	Default string // as the engine wrote it; "<empty>" is read as ""
	Min     int    // of a spin, when HasMin
	Max     int    // of a spin, when HasMax
	HasMin  bool
	HasMax  bool
	Vars    []string // the values of a combo
}

// Setting is a value for an option.
type Setting struct {
	Name  string
	Value string // "" for a button
}

// ParseOption reads a line "option name N type T [default D] [min M] [max M]
// [var V]...". Names and values may have spaces: a word of the protocol begins a
// new field only where such a field can stand.
func ParseOption(line string) (Option, error) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "option" {
		return Option{}, fmt.Errorf("not an option line: %q", clip(line))
	}
	fields, err := optionFields(words[1:])
	if err != nil {
		return Option{}, fmt.Errorf("option line %q: %w", clip(line), err)
	}
	var o Option
	for _, f := range fields {
		switch f.key {
		case "name":
			o.Name = f.value
		case "type":
			o.Type = f.value
		case "default":
			o.Default = f.value
			if o.Default == "<empty>" {
				o.Default = ""
			}
		case "min":
			o.Min, err = strconv.Atoi(f.value)
			o.HasMin = true
		case "max":
			o.Max, err = strconv.Atoi(f.value)
			o.HasMax = true
		case "var":
			o.Vars = append(o.Vars, f.value)
		}
		if err != nil {
			return Option{}, fmt.Errorf("option line %q: %s is no whole number: %q", clip(line), f.key, clip(f.value))
		}
	}
	switch o.Type {
	case "check", "spin", "combo", "string", "button":
	default:
		return Option{}, fmt.Errorf("option line %q: unknown type %q", clip(line), clip(o.Type))
	}
	if o.Name == "" {
		return Option{}, fmt.Errorf("option line %q: no name", clip(line))
	}
	return o, nil
}

type optionField struct{ key, value string }

// optionFields splits the words after "option". The name runs to the word
// "type"; after the type, the words default, min, max and var begin fields,
// except in an option of type string, whose default runs to the end of the line.
func optionFields(words []string) ([]optionField, error) {
	if len(words) == 0 || words[0] != "name" {
		return nil, fmt.Errorf("does not begin with a name")
	}
	at := slices.Index(words, "type")
	if at < 0 || at+1 >= len(words) {
		return nil, fmt.Errorf("no type")
	}
	kind := words[at+1]
	fields := []optionField{{"name", strings.Join(words[1:at], " ")}, {"type", kind}}
	var value []string
	key := ""
	end := func() {
		if key != "" {
			fields = append(fields, optionField{key, strings.Join(value, " ")})
		}
	}
	for _, w := range words[at+2:] {
		begins := w == "default" || w == "min" || w == "max" || w == "var"
		if begins && !(kind == "string" && key == "default") {
			end()
			key, value = w, nil
			continue
		}
		value = append(value, w)
	}
	end()
	return fields, nil
}

// check says whether the option can have the value.
func (o *Option) check(value string) error {
	if strings.ContainsAny(value, "\r\n") {
		return fmt.Errorf("a value cannot have line breaks")
	}
	switch o.Type {
	case "check":
		if value != "true" && value != "false" {
			return fmt.Errorf("want true or false, have %q", value)
		}
	case "spin":
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("want a whole number, have %q", value)
		}
		if o.HasMin && n < o.Min || o.HasMax && n > o.Max {
			return fmt.Errorf("want %d to %d, have %d", o.Min, o.Max, n)
		}
	case "combo":
		if !slices.ContainsFunc(o.Vars, func(v string) bool { return strings.EqualFold(v, value) }) {
			return fmt.Errorf("%q is not among its %d values", value, len(o.Vars))
		}
	case "button":
		if value != "" {
			return fmt.Errorf("a button has no value, have %q", value)
		}
	}
	return nil
}

// command is the line that sets the option.
func (o *Option) command(value string) string {
	if o.Type == "button" {
		return "setoption name " + o.Name
	}
	if value == "" {
		value = "<empty>"
	}
	return "setoption name " + o.Name + " value " + value
}

// clip shortens what an engine wrote for an error message.
func clip(s string) string {
	const width = 120
	if len(s) <= width {
		return s
	}
	return strings.ToValidUTF8(s[:width], "") + "..."
}
