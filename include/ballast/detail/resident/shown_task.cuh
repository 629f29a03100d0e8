// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "ballast/detail/base/host_waits.hpp"
#include "ballast/detail/resident/control.cuh"
#include "ballast/detail/resident/task_record.cuh"
#include "ballast/kernel_set.hpp"

namespace ballast::detail {

/// What the host reads of a task that a pool's worker runs on cores, as the number of an activity.
struct shown_task {
  std::uint32_t block = 0, kernel = 0;
  std::uint64_t run = 0;  ///< tasks that the worker has run: its low bits distinguish tasks of one block

  std::uint64_t number() const {
    return std::uint64_t(block) << 30 | (run & run_mask) << kernel_bits | kernel;
  }
  static shown_task of(std::uint64_t number) {
    return {std::uint32_t(number >> 30), std::uint32_t(number) & ((1u << kernel_bits) - 1),
            number >> kernel_bits & run_mask};
  }
  /// Names the task for users; empty before a worker's first.
  std::string text(kernel_set const& kernels) const {
    if (kernel >= kernels.kernels().size()) return {};
    return "kernel " + kernels.kernels()[kernel].name + ", block " + std::to_string(block);
  }

 private:
  static constexpr std::uint32_t kernel_bits = 7;
  static constexpr std::uint64_t run_mask = (1u << (30 - kernel_bits)) - 1;
};

/// The tasks that a pool's worker has run and created.
struct task_counts {
  std::uint64_t run = 0, created = 0;
};

/// While it lives, the host may look at the task of a worker on cores, and at how many it has run and
/// created. The worker stores nothing more for that: one store a task would cost the smallest tasks 2 to 5%.
class shown_worker {
  enum : int { address = 1, is_looked_at, run_at_end, created_at_end };  ///< words of the line

  template <class Read>
  static auto read_at(std::uint64_t& line, Read const& read) {
    std::atomic_ref looks((&line)[is_looked_at]);
    looks.store(1);
    auto const found = read(reinterpret_cast<shown_worker const*>(std::atomic_ref((&line)[address]).load()));
    looks.store(0);
    return found;
  }

 public:
  /// `line`: the worker's activity word, which begins a line of its own. Made before the word says that the
  /// worker runs anything.
  shown_worker(std::uint64_t& line, task_record& task, std::uint64_t const& run, std::uint64_t const& created)
      : task_(&task), run_(&run), created_(&created), line_(&line) {
    task.describe({0, 1}, task_record::halt);
    at(address).store(reinterpret_cast<std::uint64_t>(this));
  }
  ~shown_worker() {
    at(run_at_end).store(*run_);
    at(created_at_end).store(*created_);
    at(0).store(std::uint64_t(activity::left));  // also if a task threw
    at(address).store(0);
    while (at(is_looked_at).load() != 0) yield_core();
  }
  shown_worker& operator=(shown_worker&&) = delete;

  /// The task of the worker with this line; `otherwise` if it shows none. One thread at a time may call.
  static std::uint64_t look_at(std::uint64_t& line, std::uint64_t otherwise) {
    return read_at(line,
                   [&](shown_worker const* shown) { return shown == nullptr ? otherwise : shown->look(); });
  }
  /// What the worker with this line has run and created so far, or had when it left. One thread at a time may
  /// call.
  static task_counts counts_at(std::uint64_t& line) {
    return read_at(line, [&](shown_worker const* shown) {
      if (shown != nullptr) return shown->counts();
      return task_counts{std::atomic_ref((&line)[run_at_end]).load(),
                         std::atomic_ref((&line)[created_at_end]).load()};
    });
  }
  /// Before a launch.
  static void clear(std::uint64_t& line) {
    for (int const word : {0, int(run_at_end), int(created_at_end)}) std::atomic_ref((&line)[word]).store(0);
  }

 private:
  std::atomic_ref<std::uint64_t> at(int word) const { return std::atomic_ref(line_[word]); }

  // The worker writes by plain stores, whole words each. A look between two tasks may mix them, and the next
  // one differs.
  [[gnu::noinline]] __attribute__((no_sanitize("thread"))) std::uint64_t look() const {
    std::uint64_t const volatile* const run = run_;
    std::uint32_t const volatile* const words = task_->data;
    return shown_task{words[10], words[11] & 0x7f, *run}.number();
  }
  [[gnu::noinline]] __attribute__((no_sanitize("thread"))) task_counts counts() const {
    std::uint64_t const volatile *const run = run_, *const created = created_;
    return {*run, *created};
  }

  task_record const* task_;
  std::uint64_t const *run_, *created_;
  std::uint64_t* line_;
};

}  // namespace ballast::detail
