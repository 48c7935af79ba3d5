package lab

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// thousands writes 7300 as 7,300.
func thousands(n int) string {
	s := []byte(strconv.Itoa(n))
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = slices.Insert(s, i, ',')
	}
	return string(s)
}

// generations writes a number of generations.
func generations(n int) string {
	if n == 1 {
		return "1 generation"
	}
	return fmt.Sprintf("%d generations", n)
}

// roughly writes a duration no more exactly than an estimate deserves.
func roughly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("about %.0f s", math.Max(1, math.Round(d.Seconds()/5)*5))
	case d < 2*time.Hour:
		return fmt.Sprintf("about %.0f min", d.Minutes())
	}
	return fmt.Sprintf("about %.1f h", d.Hours())
}
