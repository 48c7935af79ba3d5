package bench

import "math"

// rounded is x to the given number of decimals, for JSON: more would be noise.
// Zero, which stands for a figure that there is not, becomes null.
func rounded(x float64, decimals int) *float64 {
	if x == 0 {
		return nil
	}
	scale := math.Pow10(decimals)
	x = math.Round(x*scale) / scale
	return &x
}
