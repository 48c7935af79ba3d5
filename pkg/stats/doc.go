// Package stats has the two things that every room needs of probability: numbers with
// their confidence intervals ([Interval], [Mean], [Share]) and seeds ([Mix], [Derive]).
//
// It compares nothing and tests no hypotheses. Tests between runs are package diff's,
// ratings and sequential tests of matches package match's.
package stats
