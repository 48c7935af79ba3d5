package uci

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Option is an option that an engine offers.
type Option struct {
	Name    string
	Type    string // "check", "spin", "combo", "string" or "button"
	Default string // as the engine wrote it; "<empty>" becomes ""
	Min     int    // of a spin, if HasMin
	Max     int    // of a spin, if HasMax
	HasMin  bool
	HasMax  bool
	Vars    []string // the values of a combo
}

// emptyValue is how UCI writes an empty value.
const emptyValue = "<empty>"

// Setting is a value for an option.
type Setting struct {
	Name  string
	Value string // "" for a button
}

// ParseOption reads a line "option name N type T [default D] [min M] [max M] [var V]...".
// Names and values may contain spaces: a keyword begins a new field only where this field
// is valid.
func ParseOption(line string) (o Option, err error) {
	bad := func(format string, args ...any) (Option, error) {
		return Option{}, fmt.Errorf("option line %q: "+format, append([]any{clip(line)}, args...)...)
	}
	words := strings.Fields(line)
	at := slices.Index(words, "type") // the name ends here
	switch {
	case len(words) < 2 || words[0] != "option" || words[1] != "name":
		return bad("does not begin with option name")
	case at < 0 || at+1 >= len(words):
		return bad("no type")
	case at == 2:
		return bad("no name")
	}
	o.Name, o.Type = strings.Join(words[2:at], " "), words[at+1]
	if !slices.Contains([]string{"check", "spin", "combo", "string", "button"}, o.Type) {
		return bad("unknown type %q", clip(o.Type))
	}
	// The words default, min, max and var begin fields, except that the default of type string
	// is the rest of the line.
	for rest := words[at+2:]; len(rest) > 0; {
		end := 1
		for end < len(rest) && (o.Type == "string" && rest[0] == "default" || !slices.Contains([]string{"default", "min", "max", "var"}, rest[end])) {
			end++
		}
		value := strings.Join(rest[1:end], " ")
		switch rest[0] {
		case "default":
			if o.Default = value; value == emptyValue {
				o.Default = ""
			}
		case "min":
			o.Min, err = strconv.Atoi(value)
			o.HasMin = true
		case "max":
			o.Max, err = strconv.Atoi(value)
			o.HasMax = true
		case "var":
			o.Vars = append(o.Vars, value)
		}
		if err != nil {
			return bad("%s is not a whole number: %q", rest[0], clip(value))
		}
		rest = rest[end:]
	}
	return o, nil
}

// line returns the "option" line that offers the option.
func (o *Option) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "option name %s type %s", o.Name, o.Type)
	if o.Type != "button" {
		b.WriteString(" default " + cmp.Or(o.Default, emptyValue))
	}
	if o.HasMin {
		fmt.Fprintf(&b, " min %d", o.Min)
	}
	if o.HasMax {
		fmt.Fprintf(&b, " max %d", o.Max)
	}
	for _, v := range o.Vars {
		b.WriteString(" var " + v)
	}
	return b.String()
}

// command returns the line that sets the option.
func (o *Option) command(value string) string {
	if o.Type == "button" {
		return "setoption name " + o.Name
	}
	return "setoption name " + o.Name + " value " + cmp.Or(value, emptyValue)
}

// parseSetOption reads the words after "setoption". Names and values may contain spaces.
func parseSetOption(words []string) (name, value string, err error) {
	if len(words) < 2 || words[0] != "name" {
		return "", "", fmt.Errorf("want name NAME value VALUE")
	}
	words = words[1:]
	if at := slices.Index(words, "value"); at >= 0 {
		words, value = words[:at], strings.Join(words[at+1:], " ")
	}
	if name = strings.Join(words, " "); name == "" {
		return "", "", fmt.Errorf("no name")
	}
	return name, value, nil
}

// check returns an error if the option does not accept the value.
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

// spelled returns a value of a check or combo in the option's own spelling, because users
// may write it differently, and "" for an empty string.
func (o *Option) spelled(value string) string {
	switch o.Type {
	case "check", "combo":
		for _, v := range append(slices.Clip(o.Vars), "true", "false") {
			if strings.EqualFold(v, value) {
				return v
			}
		}
	case "string":
		if value == emptyValue {
			return ""
		}
	}
	return value
}
