// Package nn has the networks: built from a Spec, trained with gotch, evaluated on the
// processor by our own C++ and on other devices by libtorch, kept in safetensors files.
//
//   - A [Network] is its parameters, in Go memory, and the layers that the Spec
//     lists. Each layer has its parameters, its forward pass on gotch tensors, and its
//     steps in the processor's evaluator.
//   - A [Trainer] holds a copy of the parameters in libtorch and takes gradient
//     steps, each batch divided among threads. A network has at most one trainer at a
//     time; State and Compile see what it has learned.
//   - A [Model] is a frozen copy for inference, batch norm folded into the
//     convolutions. Any number of [Session]s share it, a goroutine each. On a CUDA
//     device their requests are gathered into batches in a queue, and two threads
//     evaluate these with the forward pass of training.
//   - A [Checkpoint] is the file of a network after a generation.
//   - A [Tower] and a [BarePass] measure the convolutions of such a model alone, and
//     training without its overhead.
//
// Trunk, activation, attention, dropout and heads are independent choices: any goes
// with any other. Where a sum or a norm is followed by an activation the two are one
// operation, in training as in the evaluator.
//
// Determinism. A step of training is a function of the parameters, the optimizer
// state, the batch, the precision, the number of threads and, with dropout, a
// seed. A position's priors and value are a function of the model and that
// position: blocks are padded to a constant size, and neither the other positions
// nor the place among them change a bit.
//
// The package does not know games: it sees packed planes and policy indices. It does
// not choose learning rates, shuffle samples or decide which checkpoint is best. It
// allocates libtorch memory explicitly and frees it explicitly: Trainer, Model and
// Session must be closed.
package nn
