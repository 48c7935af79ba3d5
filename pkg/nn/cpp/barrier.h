// An all-reduce: the threads of a batch's shards wait for each other and sum.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace alamos {

class Barrier {
 public:
  explicit Barrier(int shards) : shards_(shards) {
    for (auto &p : parts_) p.resize(shards);
  }

  // Replaces values by their sums over the shards, in the order of the shards.
  // Every shard must call it equally often, with equally many values. Throws when another
  // shard has failed.
  void sum(int shard, std::vector<double> &values);

  // Ends all waiting, now and later.
  void abort();

 private:
  void wait();

  const int shards_;
  // Two sides, used in turn: shards may be one sum apart. A shard that writes to a
  // side again has passed the barrier between, and all had read the side by then.
  std::vector<std::vector<double>> parts_[2];
  std::vector<int> side_ = std::vector<int>(shards_);

  std::mutex mutex_;
  std::condition_variable all_arrived_;
  int arrived_ = 0;
  std::atomic<int> generation_{0};
  std::atomic<bool> aborted_{false};
};

}  // namespace alamos

struct alamos_barrier : alamos::Barrier {
  using alamos::Barrier::Barrier;
};
