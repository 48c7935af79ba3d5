// Package checkpoint is the file of a network after a generation: its weights, the
// optimizer's state, and what it takes to use them, the names of the encoder, the
// policy and the variant.
//
// It holds nothing of how the network was come by, neither samples nor settings of a
// search, and a file without its header is an error: another program's weights are
// no checkpoint.
package nn
