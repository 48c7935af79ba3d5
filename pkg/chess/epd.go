package chess

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// epdLine splits a line after the four fields of EPD, and after the clocks and the
// three-check counters if they follow as in FEN.
var epdLine = regexp.MustCompile(`^((?:[^\s;]+\s+){3}[^\s;]+(?:\s+\+?\d\+\d)?(?:\s+\d+){0,2}(?:\s+\+?\d\+\d)?)((?:[\s;].*)?)$`)

// ReadEPD calls f with each line of a file of positions: openings, puzzles or perft suites.
// fen is the position, which has no clocks unless the line has them as in FEN. operations is
// the rest of the line. Empty lines, lines that begin with # and a byte order mark are skipped.
// Errors begin with the file's name, which is for messages only, and the number of the line.
func ReadEPD(r io.Reader, file string, f func(line int, fen, operations string) error) error {
	scanner := bufio.NewScanner(r)
	line := 0
	for scanner.Scan() {
		line++
		text := scanner.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		text = strings.TrimSpace(text)
		if text == "" || text[0] == '#' {
			continue
		}
		var err error
		if parts := epdLine.FindStringSubmatch(text); parts != nil {
			err = f(line, parts[1], strings.TrimSpace(parts[2]))
		} else {
			err = fmt.Errorf("a position of %d fields: want four: pieces, side to move, castling, en passant", len(strings.Fields(text)))
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, line, err)
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: the line is too long: want at most %d bytes", file, line+1, bufio.MaxScanTokenSize)
	} else if err != nil {
		return fmt.Errorf("%s:%d: %w", file, line+1, err)
	}
	return nil
}
