// Package stats holds the statistics that other packages share: numbers with confidence
// intervals ([Interval], [Mean], [Share]), tests of differences ([Welch], [Paired], [Holm]),
// records of games ([Record]) and seeds ([Mix], [Derive]).
//
// It knows no runs and no metrics. Packages report and diff decide what is compared, and
// package match computes ratings and sequential tests.
package stats
