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
	// ErrInvalid: the data contradicts itself, or has a number that the figure
	// cannot show, an infinite one for example; a missing number is NaN.
	ErrInvalid = errors.New("invalid data")
	// ErrSize: the picture is too small for its content, or absurdly large.
	ErrSize = errors.New("size cannot be drawn")
)

// largest is the magnitude beyond which differences of two numbers could
// overflow; no quantity that a lab measures comes near.
const largest = 1e300

// checkNumbers accepts NaN (missing) and every number that can be drawn.
func checkNumbers(where string, list ...float64) error {
	for _, v := range list {
		switch {
		case math.IsInf(v, 0):
			return fmt.Errorf("plots: %s: %w (write NaN for a missing number)", where, ErrInvalid)
		case math.Abs(v) > largest:
			return fmt.Errorf("plots: %s: %g: %w", where, v, ErrInvalid)
		}
	}
	return nil
}
