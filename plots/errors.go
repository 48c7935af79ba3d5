package plots

import (
	"errors"
	"fmt"
	"math"
)

// What can be wrong with the data of a figure. Errors of this package wrap
// one of these; test with errors.Is.
var (
	// ErrNoData: there is nothing to draw: no series, no points, or only NaN.
	ErrNoData = errors.New("no data to draw")
	// ErrLength: lists that belong together differ in length.
	ErrLength = errors.New("lists differ in length")
	// ErrInfinite: a number is infinite; a missing number is NaN.
	ErrInfinite = errors.New("number is infinite")
	// ErrRange: a number lies outside of what the figure can show.
	ErrRange = errors.New("number out of range")
	// ErrSize: the picture is too small for its content, or absurdly large.
	ErrSize = errors.New("size cannot be drawn")
	// ErrName: a file name has a directory in it or is empty.
	ErrName = errors.New("not a plain file name")
	// ErrBoard: a text is no position or no square of a chess board.
	ErrBoard = errors.New("not a chess position")
)

// largest is the magnitude beyond which differences of two numbers could
// overflow; no quantity that a lab measures comes near.
const largest = 1e300

// checkNumbers accepts NaN (missing) and every number that can be drawn.
func checkNumbers(where string, list ...float64) error {
	for _, v := range list {
		switch {
		case math.IsInf(v, 0):
			return fmt.Errorf("plots: %s: %w (write NaN for a missing number)", where, ErrInfinite)
		case math.Abs(v) > largest:
			return fmt.Errorf("plots: %s: %g: %w", where, v, ErrRange)
		}
	}
	return nil
}
