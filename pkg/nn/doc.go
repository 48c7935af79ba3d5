// Package nn builds networks from a Spec, trains them with gotch, evaluates them with our
// own C++ on the processor and with libtorch on other devices, and stores them in
// safetensors files:
//
//	net, err := nn.New(nn.Spec{Planes: 16, PolicySize: 1968, Depth: 6, Width: 64}, seed)
//	model, err := net.Compile(nn.InferenceOptions{})
//	session, err := model.NewSession()
//	err = session.Evaluate(leaves) // fills their priors and values
//
// The types are:
//
//   - A [Network] is its parameters, in Go memory, and its architecture: lists of
//     layers (architecture.go). A graph computes them with gotch tensors, and a compiler
//     turns them into the steps of the processor's evaluator.
//   - A [Trainer] holds a copy of the parameters in libtorch and takes gradient
//     steps. It divides each batch among threads. A network has at most one trainer at
//     a time. State and Compile see the trained parameters.
//   - A [Model] is a frozen copy for inference, with batch norm folded into the
//     convolutions. Any number of [Session]s share it, each on its own goroutine. On a
//     CUDA device a queue gathers their requests into batches, and eight threads evaluate
//     these with the forward pass of training.
//   - A [Checkpoint] is the file of a network after a generation.
//   - A [Tower] and a [BarePass] measure the convolutions of a model alone, and
//     training without its overhead.
//
// Trunk, activation, attention, dropout and heads are largely independent choices: the when
// tags of [Spec] say which exclude each other. An activation that follows a sum or a norm is fused with it, in
// training and in the evaluator.
//
// A transformer (transformer.go) computes on vectors of squares, with libtorch's operations on
// the processor too. A sparse network (sparse.go) has no maps: a table of features takes the place of the
// trunk's layers. Its evaluator computes in integers, and always on the processor.
//
// Determinism. A training step is a function of the parameters, the optimizer state, the
// batch, the precision, the number of threads and, with dropout, a seed. A position's
// priors and value are a function of the model and that position. Blocks are padded to a
// constant size, so neither the other positions of a batch nor the order of positions
// changes a bit. Sparse networks give the same bits on every processor.
//
// The package does not know games: it sees packed planes and policy indices. It does not
// choose learning rates, shuffle samples or decide which checkpoint is best. It allocates
// and frees libtorch memory explicitly: Trainer, Model and Session must be closed.
package nn
