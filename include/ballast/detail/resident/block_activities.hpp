// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ballast/deadline.hpp"
#include "ballast/detail/resident/control.cuh"
#include "ballast/device.hpp"
#include "ballast/stream.hpp"

namespace ballast::detail {

/// How a source's number of a running task becomes words.
struct task_names {
  /// Empty if nothing is known of the task. May throw.
  std::function<std::string(std::uint64_t number)> of;
  bool are_in_order = true;  ///< a task with a lower number began earlier
};

/// What the blocks of a kernel do in sum.
struct activity_sums {
  std::uint32_t running = 0;  ///< blocks that run a task
  /// Tasks that workers of pools on cores have run and created in this launch; else 0.
  std::uint64_t run = 0, created = 0;
};

/// What the blocks of a resident kernel do, and since when. Workers write a word each, those of pools on
/// cores have a shown_worker; the host notes at its looks when it first saw the same. Any thread may call.
class block_activities {
 public:
  block_activities(std::shared_ptr<compute_device> const& device, std::uint32_t blocks);

  /// For resident_control.
  std::uint64_t* words() const { return words_.data(); }
  /// Before a start. Throws timed_out: a kernel on another part of the GPU may delay it.
  void clear(deadline until);
  /// Forgets what was seen of earlier runs.
  void begin_run() { is_new_run_ = true; }
  /// On cores, before a launch that clear() does not precede: stores a few words for each block.
  void clear_on_cores();
  /// Before the first start.
  void name_tasks_by(task_names names) { names_ = std::move(names); }
  /// Called again and again by a thread that waits. Looks on cores alone, where no copy is needed, and at
  /// most every 20 ms.
  void look();
  /// A line for each kind of activity, and one for each of the longest running tasks. `gone` is the word for
  /// blocks that have left. Reads a GPU's words by a copy. Never throws.
  std::string describe(std::uint32_t blocks, char const* gone);
  /// One look at the first `blocks` blocks. On cores it reads words of memory. On a GPU it copies a word of
  /// each block, and waits for the copy, 0.1 s at most. If the copy is late, the device is lost, or another
  /// thread copies, it returns what the last look found, and it never has two copies under way. Never throws.
  activity_sums look_at_all(std::uint32_t blocks) noexcept;

 private:
  struct seen_word {
    std::uint64_t word = 0, since_ns = 0;
  };
  struct running_task {
    std::uint32_t block;
    std::uint64_t number, since_ns;
  };

  void note(std::uint64_t now_ns);
  activity_sums sums_on_cores(std::uint32_t blocks);
  std::uint64_t word_of(std::size_t block);
  std::string describe_running(std::vector<running_task> running, std::uint64_t now_ns) const;
  std::string name_of(running_task const& one, std::uint64_t now_ns) const;

  bool const on_cores_;
  std::uint32_t const stride_;  ///< words from block to block
  device_buffer<std::uint64_t> words_;
  pinned_buffer<std::uint64_t> copy_;
  std::unique_ptr<stream> reader_;  ///< after what it copies: a late copy ends before that is freed
  task_names names_;
  std::mutex mutex_;  ///< for copy_ and seen_
  std::vector<seen_word> seen_;
  std::atomic<std::uint32_t> last_running_ = 0;  ///< on a GPU
  std::atomic<std::uint64_t> looked_ns_ = 0;
  std::atomic<bool> is_new_run_ = false;
};

}  // namespace ballast::detail
