package config

import (
	"bytes"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

// syntaxError locates a syntax error. yaml.v3 reports a line that may be that of the
// enclosing block, sometimes counted from 0, and no column. Therefore syntaxError searches
// for the shortest prefix of the file that already fails in the same way. The fault is at
// the last character of this prefix.
func syntaxError(start Position, data []byte, err error) *Error {
	whole := err.Error()
	length := sort.Search(len(data), func(n int) bool {
		_, err := documents(data[:n])
		return err != nil && err.Error() == whole
	})
	at := start.after(data[:max(length-1, 0)])
	msg, hint := explainSyntax(whole)
	line := bytes.Split(data, []byte("\n"))[at.Line-1]
	indent := line[:len(line)-len(bytes.TrimLeft(line, " -\t"))]
	if tab := bytes.IndexByte(indent, '\t'); tab >= 0 {
		at.Col = tab + 1
		return at.Errorf("", "a tab in the indentation").WithHint("indent with spaces")
	}
	return at.Errorf("", "%s", msg).WithHint(hint)
}

// after returns the position behind some text at the start of the file.
func (p Position) after(text []byte) Position {
	p.Line = bytes.Count(text, []byte("\n")) + 1
	p.Col = utf8.RuneCount(text[bytes.LastIndexByte(text, '\n')+1:]) + 1
	return p
}

var yamlPrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)

// explainSyntax rewrites an error of yaml.v3 as a plain message with a hint.
func explainSyntax(whole string) (msg, hint string) {
	text := yamlPrefix.ReplaceAllString(whole, "")
	for _, known := range []struct{ yaml, msg, hint string }{
		{"mapping values are not allowed", "a second \": \" in one value", "start a new line, or put quotes around the text"},
		{"cannot start any token", "no value can start with this character", "put quotes around the text"},
		{"did not find expected key", "this fits no block above it", "check the indentation and the quotes of this line"},
		{"did not find expected '-' indicator", "this fits no list above it", "start the line with \"- \" or check its indentation"},
		{"could not find expected ':'", "want \"key: value\"", "a ':' is missing"},
		{"did not find expected ',' or ']'", "a list that starts with '[' is not closed or lacks a comma", ""},
		{"did not find expected ',' or '}'", "a group that starts with '{' is not closed or lacks a comma", ""},
		{"found unexpected end of stream", "a quote is not closed", ""},
		{"did not find expected node content", "want a value", ""},
		{"unknown anchor", "aliases are not part of the language", "write the value out"},
		{"control characters are not allowed", "a control character", "write it as an escape in double quotes"},
		{"unknown escape character", "an escape that YAML does not know", "write \\\\ for a backslash, or use single quotes"},
	} {
		if strings.Contains(text, known.yaml) {
			return known.msg, known.hint
		}
	}
	return "not YAML: " + strings.Join(strings.Fields(text), " "), ""
}
