// The C interface of the operations of training that libtorch lacks, or has
// slowly. Tensors are gotch's handles, pointers to at::Tensor; those that come
// out belong to the caller. All is recorded for the backward pass as libtorch's
// own operations are.
//
// A batch is trained in shards, each on a thread of its own that runs the same
// operations on its part of the positions. Where a result depends on all
// positions their threads meet: they wait for each other and sum in the order of
// the shards: the result depends on the number of shards, never on timing.
//
// Functions that can fail return NULL when they succeed, otherwise a message
// that the caller releases with free(). No C++ exception leaves them.
#ifndef ALAMOS_TRAINING_H
#define ALAMOS_TRAINING_H

#include <stdint.h>

#include "activation.h"

#ifdef __cplusplus
extern "C" {
#endif

// The shards of a batch, for one step.
typedef struct alamos_meeting alamos_meeting;
alamos_meeting *alamos_meeting_new(int shards);
// Lets no thread wait any longer for one that failed: they fail too.
void alamos_meeting_abort(alamos_meeting *meeting);
void alamos_meeting_free(alamos_meeting *meeting);

// Expands packed planes [n][count] to maps out [n][64][count], channels last:
// float32, or bfloat16 if bf16 is not 0. constant as in alamos_model_new.
void alamos_expand(int n, int count, const uint64_t *planes,
                   const uint8_t *constant, int bf16, void *out);

// Batch norm over maps x [N, C, 8, 8] of float32 or bfloat16, with what follows
// it: y = act(gamma (x - mean) / sqrt(var + epsilon) + beta + add). add is of
// x's type and shape, or NULL; act is an alamos_activation. mean and var are the running statistics, float32
// [C], which all shards share.
//
// If training is not 0 the statistics are those of the whole batch, and their
// share momentum goes into the running ones. Else there is no backward pass.
char *alamos_norm(alamos_meeting *meeting, int shard, const void *x,
                  const void *gamma, const void *beta, const void *mean,
                  const void *var, const void *add, int act, int training,
                  double momentum, double epsilon, void **y);

// The means [N, C], float32, of maps x [N, C, 8, 8] over the squares.
char *alamos_pool(const void *x, void **mean);

// out = x gates, of maps x [N, C, 8, 8] and gates [N, C], float32.
char *alamos_gate(const void *x, const void *gates, void **out);

// out = act(x + y), of maps of one shape and type.
char *alamos_add(const void *x, const void *y, int act, void **out);

// The cross entropy of logits [n, A], summed over positions and multiplied by
// scale: a float32 tensor of one number. The moves of position i are
// indices[offsets[i]..offsets[i+1]) with their targets; an index of -1, whose
// target is 0, counts for nothing.
char *alamos_policy_loss(const void *logits, const int32_t *offsets,
                         const int32_t *indices, const float *targets,
                         double scale, void **loss);

// The part of one shard in a step of stochastic gradient descent, of as many as
// there are shards: with g the sum of the shards' gradients, d = g + decay w;
// m = momentum m + d; w = w - rate m. weights and momenta are count tensors of
// float32, leaves are [shards][count], the tensors that have the gradients.
// halves[i] is NULL, or a tensor of bfloat16 that becomes the rounded weights:
// then the gradients are bfloat16 too.
char *alamos_sgd(int shard, int shards, int count, void *const *weights,
                 void *const *halves, void *const *momenta,
                 void *const *leaves, double rate, double momentum,
                 double decay);

// The part of one shard in a step of Adam (Kingma and Ba 2015, algorithm 1), the
// step-th from 1 on, the tensors as for alamos_sgd: with g the sum of the shards'
// gradients plus decay w, mean = beta1 mean + (1 - beta1) g; square = beta2 square
// + (1 - beta2) g^2; w = w - rate (mean / (1 - beta1^step)) / (sqrt(square / (1 -
// beta2^step)) + epsilon). If decoupled is not 0 it is AdamW (Loshchilov and
// Hutter 2019): g is without the decay, and w = (1 - rate decay) w beforehand.
char *alamos_adam(int shard, int shards, int count, void *const *weights,
                  void *const *halves, void *const *means,
                  void *const *squares, void *const *leaves, int64_t step,
                  double rate, double beta1, double beta2, double epsilon,
                  double decay, int decoupled);

// The same three by libtorch's operations, on any device and for a batch in one
// part: alamos_expand to maps [n, count, 8, 8] on the device of that name, the
// caller's, and the two optimizers. The memory of tensors may be that of a device.
char *alamos_expand_on(const char *device, int n, int count,
                       const uint64_t *planes, const uint8_t *constant,
                       int bf16, void **out);
char *alamos_sgd_on(int count, void *const *weights, void *const *halves,
                    void *const *momenta, void *const *leaves, double rate,
                    double momentum, double decay);
char *alamos_adam_on(int count, void *const *weights, void *const *halves,
                     void *const *means, void *const *squares,
                     void *const *leaves, int64_t step, double rate,
                     double beta1, double beta2, double epsilon, double decay,
                     int decoupled);

// Copies numbers, converted to the type of the target.
char *alamos_copy(const void *to, const void *from);

// Drops the gradients of tensors.
char *alamos_forget_gradients(int count, void *const *leaves);

#ifdef __cplusplus
}
#endif
#endif
