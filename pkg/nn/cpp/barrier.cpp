#include "barrier.h"

#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace alamos {

namespace {

// How often a thread spins before it sleeps: some 20 microseconds, what going to
// sleep and being woken costs. Shards of one size are seldom further apart.
constexpr int spins = 500;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

void Barrier::sum(int shard, std::vector<double> &values) {
  if (shards_ == 1) return;
  auto &parts = parts_[side_[shard] ^= 1];
  parts[shard] = values;
  wait();
  for (size_t i = 0; i < values.size(); i++) {
    double s = 0;
    for (const auto &p : parts) s += p[i];
    values[i] = s;
  }
}

void Barrier::wait() {
  int now;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    now = generation_;
    if (!aborted_ && ++arrived_ == shards_) {
      arrived_ = 0;
      generation_++;
      all_arrived_.notify_all();
      return;
    }
  }
  for (int i = 0; i < spins && generation_ == now && !aborted_; i++) relax();
  if (generation_ == now && !aborted_) {
    std::unique_lock<std::mutex> lock(mutex_);
    all_arrived_.wait(lock, [&] { return generation_ != now || aborted_; });
  }
  if (aborted_) throw std::runtime_error("alamos: another shard of the batch failed");
}

void Barrier::abort() {
  std::lock_guard<std::mutex> lock(mutex_);
  aborted_ = true;
  all_arrived_.notify_all();
}

}  // namespace alamos
