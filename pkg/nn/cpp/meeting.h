// Where the threads of a batch's shards wait for each other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace alamos {

class Meeting {
 public:
  explicit Meeting(int shards) : shards_(shards) {
    for (auto &p : parts_) p.resize(shards);
  }

  // Replaces values by their sums over the shards, in the order of the shards.
  // Every shard must call it as often, with as many values. Throws when another
  // shard has failed.
  void sum(int shard, std::vector<double> &values);

  // Ends all waiting, now and later.
  void abort();

 private:
  void wait();

  const int shards_;
  // Shards may be one meeting apart: whoever writes to a side for the second time
  // has left the meeting between, at which all had read it.
  std::vector<std::vector<double>> parts_[2];
  std::vector<int> side_ = std::vector<int>(shards_);

  std::mutex mutex_;
  std::condition_variable all_here_;
  int here_ = 0;
  std::atomic<int> meetings_{0};
  std::atomic<bool> aborted_{false};
};

}  // namespace alamos
