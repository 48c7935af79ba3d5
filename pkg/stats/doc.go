// Package stats holds the probability helpers that other packages share: numbers with
// confidence intervals ([Interval], [Mean], [Share]) and seeds ([Mix], [Derive]).
//
// It compares nothing and tests no hypotheses. Package diff compares runs, and package
// match computes ratings and sequential tests.
package stats
