#include "meeting.h"

#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace alamos {

namespace {

// How often a thread looks before it sleeps: some 20 microseconds, what going to
// sleep and being woken costs. Shards of one size are seldom further apart.
constexpr int looks = 500;

void breathe() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace

void Meeting::sum(int shard, std::vector<double> &values) {
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

void Meeting::wait() {
  int now;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    now = meetings_;
    if (!aborted_ && ++here_ == shards_) {
      here_ = 0;
      meetings_++;
      all_here_.notify_all();
      return;
    }
  }
  for (int i = 0; i < looks && meetings_ == now && !aborted_; i++) breathe();
  if (meetings_ == now && !aborted_) {
    std::unique_lock<std::mutex> lock(mutex_);
    all_here_.wait(lock, [&] { return meetings_ != now || aborted_; });
  }
  if (aborted_) throw std::runtime_error("alamos: another shard of the batch failed");
}

void Meeting::abort() {
  std::lock_guard<std::mutex> lock(mutex_);
  aborted_ = true;
  all_here_.notify_all();
}

}  // namespace alamos
