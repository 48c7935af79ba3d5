// What a sparse network reads: positions as sets of features. Each plane has 64 features:
// the squares of a board, or the levels of a plane with one number, of which it has one.
#pragma once

#include <cstdint>
#include <vector>

#include "alamos.h"

namespace alamos {

constexpr int max_planes = 128;

// The level of the number in a constant plane as a set of one, empty for 0. There are 12
// levels for each 1, so that halves, thirds and quarters are exact.
uint64_t levels(uint64_t word);

// Exchanges left and right of a board, whose bytes are ranks.
inline uint64_t reflect(uint64_t w) {
  w = (w >> 1 & 0x5555555555555555) | (w & 0x5555555555555555) << 1;
  w = (w >> 2 & 0x3333333333333333) | (w & 0x3333333333333333) << 2;
  return (w >> 4 & 0x0f0f0f0f0f0f0f0f) | (w & 0x0f0f0f0f0f0f0f0f) << 4;
}

struct SparseShape {
  int planes = 0, ranks = 0, king = 0, buckets = 0;
  bool mirror = false;
  std::vector<uint8_t> constant;
  std::vector<int32_t> swap;
  int32_t bucket_of[64] = {};

  SparseShape() = default;
  explicit SparseShape(const alamos_sparse_shape &s);

  // Writes the features of a position, words [planes], as the side to move or the other sees it.
  void view(const uint64_t *in, bool other, bool reflected, uint64_t *out) const;

  // Whether the views of a position are reflected.
  bool reflects(const uint64_t *in) const;

  // The bucket of the king of a view's side; 0 without a king.
  int bucket(const uint64_t *words) const { return words[king] ? bucket_of[__builtin_ctzll(words[king])] : 0; }
};

}  // namespace alamos
