//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

const (
	rising = 0.3  // share of the epochs in which the rate rises
	low    = 0.04 // share of the highest rate with which it begins
	last   = 1e-4 // share with which it ends
)

// Rate is the one-cycle schedule of Smith and Topin (2017): over all epochs of the
// experiment the rate rises to training.schedule.initial and falls to almost
// nothing, along half waves.
func Rate(p alamos.Progress) float64 {
	total := float64(p.Generations*p.EpochsEach - 1)
	if total < 1 {
		return p.Initial
	}
	at := float64(len(p.Epochs)) / total
	if at < rising {
		return p.Initial * wave(low, 1, at/rising)
	}
	return p.Initial * wave(1, last, (at-rising)/(1-rising))
}

// wave goes from a to b along half a cosine as x goes from 0 to 1.
func wave(a, b, x float64) float64 {
	return b + (a-b)*(1+math.Cos(math.Pi*x))/2
}
