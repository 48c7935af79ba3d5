// Package nn has the networks: built from a Spec, trained with gotch, evaluated
// with a C++ evaluator of our own, kept in safetensors files.
//
//   - A [Network] is its parameters, in Go memory, and the layers that the Spec
//     lists. Each layer knows three things about itself: its parameters, its
//     forward pass on gotch tensors, and its steps in the evaluator.
//   - A [Trainer] holds a copy of the parameters in libtorch and takes gradient
//     steps, each batch divided among threads that run the graph of gotch's
//     operations and a few of our own in C++. At most one trainer has a network at
//     a time; what it has learned is seen by State and Compile.
//   - A [Model] is a frozen copy for inference: batch norm folded into the
//     convolutions, weights packed for blocks of positions. Any number of
//     [Session]s share it, a goroutine each. On a CUDA device what they ask is
//     gathered into batches at a desk, and sent there by two threads, its lanes.
//   - A [Tower] is the bare convolutions of such a model, and a [Bare] the bare
//     passes of training, to measure them.
//
// Trunk, activation, attention, dropout and heads are choices beside each other:
// any goes with any other. Where a sum or a norm is followed by an activation the
// two are one operation, in training as in the evaluator.
//
// Determinism. A step of training is a function of the parameters, the optimizer
// state, the batch, the precision, the number of threads and, with dropout, a
// seed. A position's priors and value are a function of the model and that
// position: blocks are padded to a constant size, and neither the other positions
// nor the place among them change a bit.
//
// The package knows nothing of games: it sees packed planes and policy indices.
// It does not choose learning rates, shuffle samples or decide which checkpoint
// is best. It allocates libtorch memory explicitly and frees it explicitly:
// Trainer, Model and Session must be closed.
package nn
