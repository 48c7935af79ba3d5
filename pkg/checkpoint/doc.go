// Package checkpoint is the file of a network after a generation: its weights, the
// optimizer's state, and what it takes to use them, the names of the encoder, the
// policy and the variant.
package checkpoint
