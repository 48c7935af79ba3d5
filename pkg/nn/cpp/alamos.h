// The C interface of the evaluator: the whole of what Go sees of it.
//
// A model is a frozen network: a chain of layers over numbered registers, each a
// block of feature maps in channels-last order [block][64 squares][channels], and
// its heads: a value, and perhaps a policy and one of the moves left. It is built
// once, is read-only afterwards and may be shared by any number of sessions. A
// session holds the buffers of one caller and must not be used by two threads at
// the same time.
//
// Functions that can fail return NULL when they succeed, otherwise a message
// that the caller releases with free(). No C++ exception leaves them.
#ifndef ALAMOS_H
#define ALAMOS_H

#include <stdint.h>

#include "activation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct alamos_model alamos_model;
typedef struct alamos_session alamos_session;

// Digest of the C++ that the library is made of, as set-up computed it.
const char *alamos_sources(void);

// 1 when this processor computes with bfloat16 in hardware, else 0.
int alamos_has_bf16(void);

// Threads that OpenMP uses in calls from this OS thread, and the threads of
// OpenBLAS in this process, where libtorch is built on it.
void alamos_set_threads(int openmp, int openblas);

// An empty model. block is the number of positions that a convolution is packed
// for: each number of positions costs as much as the next multiple of it.
// constant[planes] is 1 for each plane whose word is a float32 that holds on all
// squares, 0 for each plane that is a bitboard. The planes become register 0.
// device is NULL for the processor; with libtorch its own operators convolve then
// even where oneDNN can be asked directly. Otherwise it is a device by the name
// that libtorch gives it, "cuda:0".
char *alamos_model_new(int block, int planes, const uint8_t *constant, int bf16,
                       int libtorch, const char *device, alamos_model **model);

// Appends act(conv(register[from]) + register[add]) and tells in which register
// it is: stride 1, padding kernel/2, weight [out][in][kernel][kernel], bias
// [out]. add is -1 for nothing to add; act is ReLU if relu is not 0, else
// nothing.
char *alamos_model_conv(alamos_model *model, int from, int add, int in, int out,
                        int kernel, int act, const float *weight,
                        const float *bias, int *to);

// Appends act(scale[c] register[from] + shift[c]) over the channels c: a batch
// norm that no convolution can take over, since none stands before it.
char *alamos_model_scale(alamos_model *model, int from, int channels, int act,
                         const float *scale, const float *shift, int *to);

// Appends act(attention(register[from]) + register[add]), see attention.h:
// squeeze-and-excitation where spatial is NULL, else the convolutional block
// attention module. w1 is [hidden][channels], w2 [channels][hidden], spatial
// [2][7][7].
char *alamos_model_attention(alamos_model *model, int from, int add,
                             int channels, int hidden, int act,
                             const float *w1, const float *w2,
                             const float *spatial, int *to);

// The policy head: logits of size moves, weight [size][64][channels] over the
// squares and channels of register[from], bias [size].
char *alamos_model_policy(alamos_model *model, int from, int channels, int size,
                          const float *weight, const float *bias);

// The policy head whose logits are maps: that of move 64 p + s is in map p, of so
// many, at square s: weight [maps][channels], bias [maps].
char *alamos_model_policy_maps(alamos_model *model, int from, int channels,
                               int maps, const float *weight, const float *bias);

// Heads of dense layers, and what becomes of their outputs.
enum alamos_head {
  ALAMOS_VALUE_TANH,    // one output, tanh
  ALAMOS_VALUE_LINEAR,  // one output, cut to -1..1
  ALAMOS_VALUE_WDL,     // three outputs, softmax: win, draw, loss; value win - loss
  ALAMOS_MOVES_LEFT,    // one output, as it is
};

// Starts a head over register[from]. With conv, a 1x1 convolution to one channel
// (conv [channels], conv_bias) and ReLU come first, else the numbers of the
// register, [64][channels], go straight into the dense layers.
char *alamos_model_head(alamos_model *model, int kind, int from, int channels,
                        const float *conv, float conv_bias);

// Appends a dense layer to the head started last: weight [out][in], bias [out]. If
// relu is not 0 it is a hidden one, with ReLU; else it is the output.
char *alamos_model_dense(alamos_model *model, int in, int out, int relu,
                         const float *weight, const float *bias);

void alamos_model_free(alamos_model *model);

// A session of a finished model, which must outlive it.
char *alamos_session_new(const alamos_model *model, alamos_session **session);

// Evaluates n positions: planes [n][planes]; the moves of position i are
// indices[offsets[i]..offsets[i+1]). Writes priors (softmax over a position's
// indices >= 0, 0 for index -1) if the model has a policy, values [n], wdl [n][3]
// if the value is of that kind, and left [n] if the model has that head. A
// position's result does not depend on the others, nor on n.
char *alamos_session_run(alamos_session *session, int n, const uint64_t *planes,
                         const int32_t *offsets, const int32_t *indices,
                         float *priors, float *values, float *wdl, float *left);

void alamos_session_free(alamos_session *session);

// A tower is a measuring device: a chain of 3x3 convolutions, the first from
// planes to width channels and the others of these, for a batch, each with a
// ReLU. Running it does these and nothing else: on one thread, or on a device as
// alamos_model_new has it, and then it returns when that is done.
typedef struct alamos_tower alamos_tower;
char *alamos_tower_new(int batch, int planes, int width, int convolutions,
                       int bf16, const char *device, alamos_tower **tower);
char *alamos_tower_run(alamos_tower *tower);
void alamos_tower_free(alamos_tower *tower);

#ifdef __cplusplus
}
#endif
#endif
