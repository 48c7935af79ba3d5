// The arithmetic of a sparse network for one instruction set. sparse.cpp includes this
// file once for each, in a namespace of its own and after choosing the set. A path must not
// change a result: sums are of integers, and single precision adds and multiplies in a
// written order, without fused operations.

// Sums of products of n numbers, by 64. a is at most 127, so that no pair of products
// overflows 16 bits.
ALAMOS_INLINE int32_t dot(const uint8_t *a, const int8_t *b, int n) {
#if defined(__AVX512VNNI__)
  __m512i sum = _mm512_setzero_si512();
  for (int i = 0; i < n; i += 64)
    sum = _mm512_dpbusd_epi32(sum, _mm512_load_si512(a + i), _mm512_load_si512(b + i));
  return _mm512_reduce_add_epi32(sum);
#elif defined(__AVX2__)
  __m256i sum = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
  for (int i = 0; i < n; i += 32) {
    __m256i pairs = _mm256_maddubs_epi16(_mm256_load_si256((const __m256i *)(a + i)),
                                         _mm256_load_si256((const __m256i *)(b + i)));
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
  }
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  return _mm_cvtsi128_si32(half) + _mm_extract_epi32(half, 1);
#else
  int32_t sum = 0;
  for (int i = 0; i < n; i++) sum += int32_t(a[i]) * b[i];
  return sum;
#endif
}

// The number of features in which two positions differ.
ALAMOS_INLINE int differences(const uint64_t *a, const uint64_t *b, int planes) {
  int n = 0;
  for (int i = 0; i < planes; i++) n += __builtin_popcountll(a[i] ^ b[i]);
  return n;
}

// to = from + rows[plus] - rows[minus], of columns numbers by 32. The sums wrap around, so
// their order does not matter.
ALAMOS_INLINE void update(int16_t *to, const int16_t *from, const int16_t *const *plus, int pluses,
                          const int16_t *const *minus, int minuses, int columns) {
  constexpr int tile = 8;
  for (int c = 0; c < columns;) {
    int wide = columns - c >= 32 * tile ? tile : 1;
    if (wide == tile) {
      Shorts sums[tile];
      for (int k = 0; k < tile; k++) sums[k] = shorts(from + c + 32 * k);
      for (int i = 0; i < pluses; i++)
        for (int k = 0; k < tile; k++) sums[k] += shorts(plus[i] + c + 32 * k);
      for (int i = 0; i < minuses; i++)
        for (int k = 0; k < tile; k++) sums[k] -= shorts(minus[i] + c + 32 * k);
      for (int k = 0; k < tile; k++) std::memcpy(to + c + 32 * k, &sums[k], sizeof(Shorts));
    } else {
      Shorts sum = shorts(from + c);
      for (int i = 0; i < pluses; i++) sum += shorts(plus[i] + c);
      for (int i = 0; i < minuses; i++) sum -= shorts(minus[i] + c);
      std::memcpy(to + c, &sum, sizeof sum);
    }
    c += 32 * wide;
  }
}

// Activations 0..127 of n sums, by 32, of which unit stands for 1.
ALAMOS_INLINE void activate(const int16_t *sums, uint8_t *to, int n, int shift, bool squared) {
  for (int i = 0; i < n; i += 32) {
    Shorts x = shorts(sums + i), low = {}, high = low + int16_t(255 >> shift);
    x = x < low ? low : x;
    x = x > high ? high : x;
    UShorts y = (UShorts)(x << shift);
    y = squared ? (y * y + 256) >> 9 : y >> 1;
    Octets bytes = __builtin_convertvector(y, Octets);
    std::memcpy(to + i, &bytes, sizeof bytes);
  }
}

// out[m] = x[n] w[n][m] + bias[m], of m by 16, in single precision.
ALAMOS_INLINE void dense(const float *x, int n, const float *w, const float *bias, int m, bool relu, float *out) {
  for (int j = 0; j < m; j += lanes) {
    Vector sum = load(bias + j);
    for (int i = 0; i < n; i++) sum += x[i] * load(w + int64_t(i) * m + j);
    if (relu) sum = sum < 0 ? Vector{} : sum;
    std::memcpy(out + j, &sum, sizeof sum);
  }
}

// Softmax in place over the entries of x[n] whose index is not -1; 0 for the others. x has
// room for n by 16.
ALAMOS_INLINE void soft_max(float *x, const int32_t *index, int n) {
  float top = -std::numeric_limits<float>::infinity(), sum = 0;
  for (int i = 0; i < n; i++)
    if (index[i] >= 0 && x[i] > top) top = x[i];
  for (int i = 0; i < n; i += lanes) {
    Vector v = load(x + i) - top;
    v = v < -87.0f ? Vector{} - 87.0f : v;
    v = exponential(v > 0 ? Vector{} : v);
    std::memcpy(x + i, &v, sizeof v);
  }
  for (int i = 0; i < n; i++) sum += x[i] = index[i] < 0 ? 0 : x[i];
  for (int i = 0; i < n && sum > 0; i++) x[i] /= sum;
}

// Finds or makes the sums of a view, and returns their place in the memory.
ALAMOS_INLINE Sums *sums_of(const alamos_sparse &m, Memory &memory, const View &view) {
  const Sums *from = nullptr;
  int fewest = 0;  // changes: without sums to begin from, all features
  for (int p = 0; p < m.planes; p++) fewest += __builtin_popcountll(view.words[p]);
  for (int i = 0; i < remembered; i++) {
    Sums *s = memory.place(m, i);
    if (s->bucket != view.bucket) continue;
    int n = differences(s->words(), view.words, m.planes);
    if (n == 0) return s;
    if (n < fewest) fewest = n, from = s;
  }
  Sums *to = memory.next(m);
  const int16_t *plus[max_changes], *minus[max_changes];
  int pluses = 0, minuses = 0;
  const int16_t *table = m.features.data() + int64_t(view.bucket) * m.planes * 64 * m.columns;
  const int16_t *base = from ? from->numbers(m) : m.bias.data();
  auto flush = [&]() ALAMOS_FLAT {
    update(to->numbers(m), base, plus, pluses, minus, minuses, m.columns);
    base = to->numbers(m);
    pluses = minuses = 0;
  };
  for (int p = 0; p < m.planes; p++) {
    uint64_t before = from ? from->words()[p] : 0, now = view.words[p];
    for (uint64_t w = now & ~before; w; w &= w - 1) {
      if (pluses == max_changes) flush();
      plus[pluses++] = table + (int64_t(p) * 64 + __builtin_ctzll(w)) * m.columns;
    }
    for (uint64_t w = before & ~now; w; w &= w - 1) {
      if (minuses == max_changes) flush();
      minus[minuses++] = table + (int64_t(p) * 64 + __builtin_ctzll(w)) * m.columns;
    }
  }
  flush();
  to->bucket = view.bucket;
  std::memcpy(to->words(), view.words, sizeof(uint64_t) * m.planes);
  return to;
}

inline void run(const alamos_sparse &m, Memory &memory, const View *views, const Answer &a) {
  alignas(64) uint8_t value[max_width], policy[max_width];
  const Sums *sums[2];
  for (int v = 0; v < 2; v++) {
    sums[v] = sums_of(m, memory, views[v]);
    activate(sums[v]->numbers(m), value + v * m.width, m.width, m.shift, m.squared);
    activate(sums[v]->numbers(m) + m.width, policy + v * m.policy_width, m.policy_width, m.shift, m.squared);
  }
  for (const Head &h : m.heads) {
    alignas(64) float x[2][max_hidden];
    const First &f = h.first;
    for (int i = 0; i < f.out; i++) {
      x[0][i] = float(dot(value, f.row(i), f.in)) * f.scale[i] + f.bias[i];
      if (!h.rest.empty() && x[0][i] < 0) x[0][i] = 0;
    }
    int at = 0;
    for (size_t k = 0; k < h.rest.size(); k++, at ^= 1) {
      const Dense &d = h.rest[k];
      dense(x[at], d.in, d.weight.data(), d.bias.data(), d.padded, k + 1 < h.rest.size(), x[at ^ 1]);
    }
    finish(h.kind, x[at], a);
  }
  const First &p = m.policy;
  if (p.out == 0) return;
  for (int j = 0; j < a.moves; j++) {
    int i = a.indices[j];
    a.logits[j] = i < 0 ? 0 : float(dot(policy, p.row(i), p.in)) * p.scale[i] + p.bias[i];
  }
  soft_max(a.logits, a.indices, a.moves);
  std::memcpy(a.priors, a.logits, sizeof(float) * a.moves);
}
