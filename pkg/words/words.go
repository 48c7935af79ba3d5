package words

import (
	"fmt"
	"slices"
	"strconv"
)

// Thousands writes 7300 as 7,300.
func Thousands[N int | int64 | uint64](n N) string {
	s := []byte(strconv.FormatInt(int64(n), 10))
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = slices.Insert(s, i, ',')
	}
	return string(s)
}

// Plural counts things: "1 trial", "2 trials".
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
