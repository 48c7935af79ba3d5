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
	if line := lineAt(data, at.Line); hint == tokenHint {
		if i := indentTab(line); i >= 0 {
			at.Col = i + 1
			return at.Errorf("", "a tab in the indentation").WithHint("indent with spaces")
		}
	}
	return at.Errorf("", "%s", msg).WithHint(hint)
}

// after returns the position behind some text at the start of the file.
func (p Position) after(text []byte) Position {
	p.Line = bytes.Count(text, []byte("\n")) + 1
	p.Col = utf8.RuneCount(text[bytes.LastIndexByte(text, '\n')+1:]) + 1
	return p
}

func lineAt(data []byte, line int) []byte {
	for range line - 1 {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	first, _, _ := bytes.Cut(data, []byte("\n"))
	return first
}

// indentTab returns the index of the first tab that indents a line, or -1.
func indentTab(line []byte) int {
	for i, c := range line {
		switch c {
		case '\t':
			return i
		case ' ', '-':
		default:
			return -1
		}
	}
	return -1
}

var yamlPrefix = regexp.MustCompile(`^yaml: (line \d+: )?`)

const tokenHint = "put quotes around the text"

// explainSyntax rewrites an error of yaml.v3 as a plain message with a hint.
func explainSyntax(whole string) (msg, hint string) {
	text := yamlPrefix.ReplaceAllString(whole, "")
	for _, known := range []struct{ yaml, msg, hint string }{
		{"mapping values are not allowed", "a second \": \" in one value", "start a new line, or " + tokenHint},
		{"cannot start any token", "no value can start with this character", tokenHint},
		{"found a tab character", "a tab in the indentation", "indent with spaces"},
		{"did not find expected key", "this fits no block above it", "check the indentation and the quotes of this line"},
		{"did not find expected '-' indicator", "this fits no list above it", "start the line with \"- \" or check its indentation"},
		{"could not find expected ':'", "want \"key: value\"", "a ':' is missing"},
		{"did not find expected ',' or ']'", "a list that starts with '[' is not closed or lacks a comma", ""},
		{"did not find expected ',' or '}'", "a group that starts with '{' is not closed or lacks a comma", ""},
		{"found unexpected end of stream", "a quote is not closed", ""},
		{"found unexpected document indicator", "a quote is not closed before the end of the document", ""},
		{"did not find expected node content", "want a value", ""},
		{"did not find URI escape", "a tag that is not one", tokenHint},
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
