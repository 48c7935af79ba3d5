// The C interface: the whole of what Go sees of this library. The evaluator
// computes a frozen network on the processor; the operations are what training,
// and inference on other devices, need beside libtorch's own.
//
// Functions that can fail return NULL when they succeed, otherwise a message
// that the caller releases with free(). No C++ exception leaves them. Tensors are
// gotch's handles, pointers to at::Tensor; those that a function returns belong to
// the caller.
#ifndef ALAMOS_H
#define ALAMOS_H

#include <stdint.h>

#include "activation.h"

// Go links to these functions as weak symbols: a library that lacks one is found
// out by its digest (see alamos_sources), and not by the linker.
#ifdef __cplusplus
#define ALAMOS_API extern "C"
#else
#define ALAMOS_API extern __attribute__((weak))
#endif

// Digest of the C++ that the library is made of, as set-up computed it.
ALAMOS_API const char *alamos_sources(void);

// Sets how many threads OpenMP uses in calls from this OS thread. OpenBLAS, where
// libtorch is built on it, gets one thread for the whole process.
ALAMOS_API void alamos_set_threads(int openmp);

// ---- The evaluator of the processor.
//
// A model is a chain of layers over numbered registers, each a block of feature
// maps in channels-last order [block][64 squares][channels], and its heads: a
// value, and perhaps a policy and one of the moves left. It is built once, is
// read-only afterwards and may be shared by any number of sessions. A session holds
// the buffers of one caller and must not be used by two threads at the same time.
typedef struct alamos_model alamos_model;
typedef struct alamos_session alamos_session;

// An empty model. block is the number of positions that a convolution is packed
// for: each number of positions costs as much as the next multiple of it.
// constant[planes] is 1 for each plane whose word is a float32 that holds on all
// squares, 0 for each plane that is a bitboard. The planes become register 0.
// If libtorch is not 0, libtorch's operators convolve even where oneDNN can be
// called directly.
ALAMOS_API char *alamos_model_new(int block, int planes, const uint8_t *constant,
                                  int bf16, int libtorch, alamos_model **model);

// Appends act(conv(register[from]) + register[add]) and returns the number of its
// register in to: stride 1, padding kernel/2, weight [out][in][kernel][kernel], bias
// [out]. add is -1 for nothing to add; act is an alamos_activation.
ALAMOS_API char *alamos_model_conv(alamos_model *model, int from, int add, int in,
                                   int out, int kernel, int act, const float *weight,
                                   const float *bias, int *to);

// Appends act(scale[c] register[from] + shift[c]) over the channels c: a batch
// norm that does not follow a convolution, and so cannot be folded into one.
ALAMOS_API char *alamos_model_scale(alamos_model *model, int from, int channels,
                                    int act, const float *scale, const float *shift,
                                    int *to);

// The arrays of an attention: w1 is [hidden][channels], w2 [channels][hidden]. Those that are
// absent are NULL: b1 [hidden], b2 [channels], the shift w3 [channels][hidden] with b3
// [channels], spatial [2][7][7].
typedef struct alamos_attention {
  const float *w1, *b1, *w2, *b2, *w3, *b3, *spatial;
} alamos_attention;

// Appends act(attention(register[from]) + register[add]), see layers.h:
// squeeze-and-excitation, or with spatial the convolutional block attention module.
ALAMOS_API char *alamos_model_attention(alamos_model *model, int from, int add,
                                        int channels, int hidden, int act,
                                        const alamos_attention *arrays, int *to);

// The policy head: logits of size moves, weight [size][64][channels] over the
// squares and channels of register[from], bias [size].
ALAMOS_API char *alamos_model_policy(alamos_model *model, int from, int channels,
                                     int size, const float *weight, const float *bias);

// The policy head with maps as logits: the logit of move i is the sum of the numbers at
// places[i], of [size][2]. Place 64 m + s is square s of map m, and -1 is none. Without
// places, move i is at place i. Map m is weight[m] . x + bias[m], of the channels x of a
// square in register[from]; weight is [maps][channels], bias [maps].
//
// If pairs is not 0, x has a query and a key of so many channels each. 64 maps come before
// the others: map f at square s is the product of the query of f and the key of s. The
// other maps are functions of the key: weight is [maps][pairs].
ALAMOS_API char *alamos_model_policy_maps(alamos_model *model, int from, int channels,
                                          int pairs, int maps, const float *weight,
                                          const float *bias, int size,
                                          const int32_t *places);

// Heads of dense layers, and what their outputs become.
enum alamos_head {
  ALAMOS_VALUE_TANH,    // one output, tanh
  ALAMOS_VALUE_LINEAR,  // one output, bent to -1..1
  ALAMOS_VALUE_WDL,     // three outputs, softmax: win, draw, loss; value win - loss
  ALAMOS_MOVES_LEFT,    // one output, unchanged
};

// Starts a head over register[from]. With conv, a 1x1 convolution to one channel
// (conv [channels], conv_bias) and ReLU come first. Otherwise the numbers of the
// register, [64][channels], go straight into the dense layers, or if pooled is not 0
// the means and then the maxima of the channels over the squares.
ALAMOS_API char *alamos_model_head(alamos_model *model, int kind, int from,
                                   int channels, int pooled, const float *conv,
                                   float conv_bias);

// Appends a dense layer to the head started last: weight [out][in], bias [out]. If
// relu is not 0 it is a hidden layer, with ReLU; else it is the output.
ALAMOS_API char *alamos_model_dense(alamos_model *model, int in, int out, int relu,
                                    const float *weight, const float *bias);

ALAMOS_API void alamos_model_free(alamos_model *model);

// A session of a finished model, which must outlive it.
ALAMOS_API char *alamos_session_new(const alamos_model *model, alamos_session **session);

// Evaluates n positions: planes [n][planes]; the moves of position i are
// indices[offsets[i]..offsets[i+1]). Writes priors (softmax over a position's
// indices >= 0, 0 for index -1) if the model has a policy, values [n], wdl [n][3]
// if the value is of that kind, and left [n] if the model has that head. A
// position's result does not depend on the others, nor on n.
ALAMOS_API char *alamos_session_run(alamos_session *session, int n,
                                    const uint64_t *planes, const int32_t *offsets,
                                    const int32_t *indices, float *priors,
                                    float *values, float *wdl, float *left);

// Runs the layers on one block of whatever register 0 holds, and neither input nor
// heads: what evaluation could cost at least.
ALAMOS_API char *alamos_session_layers(alamos_session *session);

ALAMOS_API void alamos_session_free(alamos_session *session);

// ---- Sparse networks. A position is a set of features: each plane has 64, which are the
// squares of a board, or levels of the number of a constant plane. The features select rows of
// a table, whose sum is that of a view; there is a view of each side. The sums of the
// side to move and of the other become activations, which the layers of the heads read.
typedef struct alamos_sparse_shape {
  int planes;               // at most 128
  const uint8_t *constant;  // [planes], as in alamos_model_new
  const int32_t *swap;      // [planes]: where the other side's view has the plane, -1: it has no features
  int ranks;                // of the board
  int king;                 // plane of the own king
  int buckets;              // tables
  const int32_t *bucket_of; // [64]: table for each square of the king
  int mirror;               // if not 0, views are reflected so that the mover's king is on the left
  int width, policy_width;  // columns of the table for the value and for the policy
  int squared;              // activations clamp(x, 0, 1)^2, otherwise clamp(x, 0, 1)
} alamos_sparse_shape;

// A frozen network for inference in integers: 16 bits for the sums, 8 bits for the first
// layer of each head. All instruction sets give the same result to the bit. It is read-only
// once its heads are whole, and any number of threads may use it.
typedef struct alamos_sparse alamos_sparse;

// features are [buckets * planes * 64][width + policy_width], bias [width + policy_width].
// path is an instruction set of this processor, below alamos_sparse_paths(); 0 is the best.
ALAMOS_API char *alamos_sparse_new(const alamos_sparse_shape *shape, const float *features,
                                   const float *bias, int path, alamos_sparse **model);
ALAMOS_API int alamos_sparse_paths(void);

// The policy head: weight [size][2 policy_width], bias [size].
ALAMOS_API char *alamos_sparse_policy(alamos_sparse *model, int size, const float *weight,
                                      const float *bias);

// Starts a head of a kind of alamos_head, and appends a layer to it, as alamos_model_dense.
// The first layer reads 2 width activations.
ALAMOS_API char *alamos_sparse_head(alamos_sparse *model, int kind);
ALAMOS_API char *alamos_sparse_dense(alamos_sparse *model, int in, int out, int relu,
                                     const float *weight, const float *bias);

// The words of memory that a caller keeps between evaluations, 0 at first. With it sums are
// made from those of similar positions; it does not change results.
ALAMOS_API int64_t alamos_sparse_memory(const alamos_sparse *model);

// Evaluates n positions as alamos_session_run does. The indices are those of the reflected
// moves where the views are reflected.
ALAMOS_API char *alamos_sparse_run(const alamos_sparse *model, uint64_t *memory, int n,
                                   const uint64_t *planes, const int32_t *offsets,
                                   const int32_t *indices, float *priors, float *values,
                                   float *wdl, float *left);
ALAMOS_API void alamos_sparse_free(alamos_sparse *model);

// Softmax in place over each position's priors, as alamos_session_run does it.
ALAMOS_API void alamos_softmax(int n, const int32_t *offsets, const int32_t *indices,
                               float *priors);

// ---- Operations of training that libtorch lacks, or has slowly. They are recorded
// for the backward pass as libtorch's own operations are.
//
// A batch is trained in shards, each on a thread of its own that runs the same
// operations on its part of the positions. Where a result depends on all
// positions their threads wait for each other at the barrier and sum in the order of
// the shards: the result depends on the number of shards, never on timing.

// The shards of a batch, for one step.
typedef struct alamos_barrier alamos_barrier;
ALAMOS_API alamos_barrier *alamos_barrier_new(int shards);
// Ends all waiting for a shard that failed: the others fail too.
ALAMOS_API void alamos_barrier_abort(alamos_barrier *barrier);
ALAMOS_API void alamos_barrier_free(alamos_barrier *barrier);

// Expands packed planes [n][count] to maps out [n][64][count], channels last:
// float32, or bfloat16 if bf16 is not 0. constant as in alamos_model_new.
ALAMOS_API void alamos_expand(int n, int count, const uint64_t *planes,
                              const uint8_t *constant, int bf16, void *out);

// Batch norm over maps x [N, C, 8, 8] of float32 or bfloat16, with what follows
// it: y = act(gamma (x - mean) / sqrt(var + epsilon) + beta + add). add has x's type
// and shape, or is NULL. mean and var are the running statistics, float32 [C], which
// all shards share.
//
// If training is not 0 the statistics are those of the whole batch, and their
// share momentum goes into the running ones. Else there is no backward pass.
ALAMOS_API char *alamos_norm(alamos_barrier *barrier, int shard, const void *x,
                             const void *gamma, const void *beta, const void *mean,
                             const void *var, const void *add, int act, int training,
                             double momentum, double epsilon, void **y);

// The means [N, C], float32, of maps x [N, C, 8, 8] over the squares.
ALAMOS_API char *alamos_pool(const void *x, void **mean);

// out = x gates, of maps x [N, C, 8, 8] and gates [N, C], float32.
ALAMOS_API char *alamos_gate(const void *x, const void *gates, void **out);

// out = act(x + y), of maps of one shape and type.
ALAMOS_API char *alamos_add(const void *x, const void *y, int act, void **out);

// out [N, A], the sums of the numbers x [N, F] at places [rows, A] of int64. A place of F
// is none.
ALAMOS_API char *alamos_gather(const void *x, const void *places, void **out);

// What backward passes of a shard leave for the gradients of tables and of weights of which they
// used some rows: these are too large for a gradient of each shard.
typedef struct alamos_late alamos_late;
ALAMOS_API alamos_late *alamos_late_new(void);
ALAMOS_API void alamos_late_free(alamos_late *late);

// Gives a gradient to those leaves for whose parameters the shards left something. Then each of
// some shards adds what belongs to its columns, in the order of the shards that left it.
ALAMOS_API char *alamos_late_start(alamos_late *const *lates, int count, void *const *leaves, int leaf_count);
ALAMOS_API char *alamos_late_add(alamos_late *const *lates, int count, void *const *leaves, int leaf_count, int shard,
                                 int shards);

// Activations of packed planes [n][planes], first in the view of the side to move and then of
// the other: [n, 2 width] for the value and [n, 2 policy_width] for the policy. features and
// bias as in alamos_sparse_new, float32. The gradient of features goes to late, which may be NULL
// if no backward pass follows.
ALAMOS_API char *alamos_sparse_sums(const alamos_sparse_shape *shape, const void *features, const void *bias, int n,
                                    const uint64_t *planes, alamos_late *late, void **value, void **policy);

// A linear layer x W' + b with few outputs, by 16, of x [N, D], with D by 16: [N, outputs].
ALAMOS_API char *alamos_sparse_few(const void *x, const void *weight, const void *bias, void **out);

// The sums of the table's rows [2n, columns] with libtorch's operation, on the table's device:
// row 2i for the side to move of position i, row 2i+1 for the other. The sums and the gradients
// of equal calls are the same to the bit, which those of index_add are not on a graphics card.
ALAMOS_API char *alamos_sparse_bags(const alamos_sparse_shape *shape, const void *features, int n,
                                    const uint64_t *planes, void **out);

// The logits [moves] of a linear layer for the listed moves only: row indices[j] of weight
// [A, D] times the features of the move's position, of x [n, D], plus bias [A]. It is 0 for an
// index of -1. The moves of position i are offsets[i] up to offsets[i+1]. The gradient of weight
// goes to late, as in alamos_sparse_sums.
ALAMOS_API char *alamos_sparse_rows(const void *x, const void *weight, const void *bias, const int32_t *offsets,
                                    const int32_t *indices, alamos_late *late, void **out);

// The cross entropy of logits [n, A], summed over positions and multiplied by
// scale: a float32 tensor of one number. The legal moves of position i are
// indices[offsets[i]..offsets[i+1]) with their targets; an index of -1, whose
// target is 0, counts for nothing. The softmax is over the legal moves if legal,
// otherwise over all A. If legal, the logits may be those of moves only, of one
// dimension: an index is then a place among them.
ALAMOS_API char *alamos_policy_loss(const void *logits, int n, const int32_t *offsets,
                                    const int32_t *indices, const float *targets,
                                    int legal, double scale, void **loss);

// Drops the gradients of tensors.
ALAMOS_API char *alamos_drop_gradients(int count, void *const *leaves);

// ---- Optimizers.
enum alamos_optimizer_kind {
  ALAMOS_SGD,    // d = g + decay w; m = beta1 m + d; w = w - rate m, or with Nesterov
                 // momentum w = w - rate (d + beta1 m)
  ALAMOS_ADAM,   // Kingma and Ba 2015, algorithm 1, with g + decay w as the gradient
  ALAMOS_ADAMW,  // Loshchilov and Hutter 2019: w = (1 - rate decay) w before Adam's step
};

typedef struct alamos_optimizer alamos_optimizer;

// An optimizer of count parameters. weights and the moments first and second (NULL
// for SGD) are float32; leaves [sets][count] are the tensors that have the gradients, each
// set those of a shard of a part of the batch: their sums in this order are the batch's.
// halves[i] is NULL, or a bfloat16 tensor that becomes the rounded weights: then the
// gradients are bfloat16 too. Parameter i decays if decays[i] is not 0. If clip is more than
// 0, gradients whose norm, over all parameters together, is greater are scaled to this norm.
// If generic is not 0, libtorch's operations compute the steps, with one shard, on the device
// of the weights.
ALAMOS_API char *alamos_optimizer_new(int kind, int generic, int sets, int count,
                                      void *const *weights, void *const *halves,
                                      void *const *leaves, void *const *first,
                                      void *const *second, const uint8_t *decays,
                                      double beta1, double beta2, double epsilon,
                                      double decay, int nesterov, double clip,
                                      alamos_optimizer **optimizer);

// The part of one shard in a step, in which the first so many shards take part. They wait for
// each other at the barrier. step counts from 1 on. norm becomes the
// norm of the gradient before it is clipped, or NaN where it was not measured: with a generic
// optimizer in most steps, and if there is neither a barrier nor a limit.
ALAMOS_API char *alamos_optimizer_step(const alamos_optimizer *optimizer,
                                       alamos_barrier *barrier, int shard, int shards,
                                       int64_t step, double rate, double *norm);
ALAMOS_API void alamos_optimizer_free(alamos_optimizer *optimizer);

// ---- Devices: "cuda:0" and so on, and "cpu", where everything is done at once.

// Checks that the device is there, and sets how all of CUDA computes: the same every
// time, and in the precision asked for.
ALAMOS_API char *alamos_device_check(const char *device);

// Gives the calling OS thread a queue of work of its own on the device, for good. A
// thread may enter one device, any number of times.
ALAMOS_API char *alamos_device_enter(const char *device);

// Waits until the device has done what the calling thread asked for. The thread
// sleeps meanwhile.
ALAMOS_API char *alamos_device_wait(const char *device);

// A tensor [numbers] of zeros, of float32 or else int64, in memory of the processor
// that the device reads and writes by itself.
ALAMOS_API char *alamos_transfer_memory(const char *device, int64_t numbers,
                                        int single, void **out);

// Starts a copy of a tensor to a device.
ALAMOS_API char *alamos_send(const void *from, const char *device, void **out);

// Copies numbers, converted to the type of the target. If wait is 0 the copy is only
// started.
ALAMOS_API char *alamos_copy(const void *to, const void *from, int wait);

// Packed planes, words [N, P] of int64, as maps [N, P, 8, 8], channels last.
// constant is [P] of bool, or NULL where no plane is constant.
ALAMOS_API char *alamos_expand_on(const void *words, const void *constant, int bf16,
                                  void **out);

// out = act(conv(x) + add), stride 1, padding kernel/2; add may be NULL. There is no
// backward pass.
ALAMOS_API char *alamos_convolve(const void *x, const void *weight, const void *bias,
                                 const void *add, int act, void **out);

#endif
