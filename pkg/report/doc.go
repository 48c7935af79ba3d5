// Package report shows what runs have left of an experiment: tables as CSV,
// figures, and the notebook page.
//
// It reads the store and the experiment, and nothing else: what it writes can be
// made again from them in seconds, byte for byte. It computes no result, runs no
// network and no search.
package report
