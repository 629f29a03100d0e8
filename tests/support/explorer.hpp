// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ballast::test {

/// What one thread of an explored program has done so far: the result of each of its atomic operations. A
/// program is a function of these alone, so a thread is resumed by running it again from its beginning with
/// the recorded results. No stacks are switched and no threads are made, so sanitizers see plain calls.
class thread_replay {
 public:
  using results = std::vector<std::uint64_t>;
  struct stopped {};  ///< thrown out of the program at the first operation that is not this step's

  explicit thread_replay(results& done) : done_(done) {}

  template <class Operation>
  std::uint64_t perform(Operation const& operation) {
    if (next_ < done_.size()) return done_[next_++];
    if (has_stepped_) throw stopped{};
    has_stepped_ = true;
    done_.push_back(operation());
    return done_[next_++];
  }

  /// The operation just performed was a poll that failed: forget it, and let others go first. A loop that
  /// polls several words forgets all its `polls`; that it may turn for ever is then no deadlock to the
  /// explorer.
  [[noreturn]] void wait(std::size_t polls = 1) {
    done_.resize(done_.size() - polls);
    throw stopped{};
  }

 private:
  results& done_;
  std::size_t next_ = 0;
  bool has_stepped_ = false;
};

inline thread_replay* running_thread = nullptr;  ///< null: operations take place at once

/// The atomic type of an explored structure: each operation is one step of its thread, and steps take place
/// one after another (sequential consistency: memory orders are not explored).
template <class Word>
class explored_atomic {
 public:
  explicit explored_atomic(Word& word) : word_(&word) {}

  Word load_relaxed() const {
    return step([&] { return *word_; });
  }
  Word load_acquire() const { return load_relaxed(); }
  Word load_sequential() const { return load_relaxed(); }
  void store_relaxed(Word value) const {
    step([&] { return *word_ = value; });
  }
  void store_release(Word value) const { store_relaxed(value); }
  void store_sequential(Word value) const { store_relaxed(value); }
  Word add_release(Word value) const { return add_relaxed(value); }
  Word add_relaxed(Word value) const {
    return step([&] { return std::exchange(*word_, static_cast<Word>(*word_ + value)); });
  }
  Word or_acq_rel(Word bits) const {
    return step([&] { return std::exchange(*word_, static_cast<Word>(*word_ | bits)); });
  }
  Word and_acq_rel(Word bits) const {
    return step([&] { return std::exchange(*word_, static_cast<Word>(*word_ & bits)); });
  }
  Word exchange_acq_rel(Word value) const {
    return step([&] { return std::exchange(*word_, value); });
  }
  bool compare_exchange_acq_rel(Word expected, Word value) const {
    return step([&] { return *word_ == expected ? (*word_ = value, Word{1}) : Word{0}; }) != 0;
  }
  static void fence_sequential() {}

 private:
  template <class Operation>
  static Word step(Operation const& operation) {
    return running_thread ? static_cast<Word>(running_thread->perform(operation)) : operation();
  }

  Word* word_;
};

/// What an explorer found.
struct exploration_report {
  std::uint64_t states = 0;
  std::uint64_t ends = 0;       ///< distinct states in which every thread has finished
  std::uint64_t failures = 0;   ///< of these, how many the check refused
  std::uint64_t deadlocks = 0;  ///< states in which all unfinished threads wait
};

/// Whether every interleaving ends, and as the check accepts; where there are fewer than `min_ends` ends, too
/// little was explored.
inline testing::AssertionResult always_right(exploration_report const& report, std::uint64_t min_ends = 2) {
  if (report.failures == 0 && report.deadlocks == 0 && report.ends >= min_ends)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << report.failures << " failures and " << report.deadlocks
                                     << " deadlocks at " << report.ends << " ends";
}

/// Enumerates every interleaving of small programs over `Shared`, a trivially copyable object that holds all
/// that they share. Interleavings that lead to the same memory and the same results so far are followed once;
/// after the first failure or deadlock no more are.
template <class Shared>
class explorer {
  static_assert(std::is_trivially_copyable_v<Shared>);

 public:
  using taken = std::vector<std::uint64_t>;       ///< what a program returns
  using program = std::function<taken(Shared&)>;  ///< one thread; uses `Shared` by explored_atomic only
  using check = std::function<bool(Shared&, taken const&)>;  ///< all that the programs returned, at an end

  using report = exploration_report;

  explorer(Shared const& start, std::vector<program> programs, check accepts)
      : programs_(std::move(programs)), accepts_(std::move(accepts)) {
    std::memcpy(static_cast<void*>(&memory_), &start, sizeof(Shared));
  }

  report explore() {
    follow({save(), std::vector<thread_replay::results>(programs_.size())});
    return report_;
  }

 private:
  struct state {
    std::string memory;
    std::vector<thread_replay::results> threads;
  };
  struct step_result {
    bool moved = false, finished = false;
    taken values;
  };

  std::string save() const { return {reinterpret_cast<char const*>(&memory_), sizeof(Shared)}; }
  void restore(state const& from) {
    std::memcpy(static_cast<void*>(&memory_), from.memory.data(), sizeof(Shared));
  }

  static std::string key(state const& at) {
    std::string bytes = at.memory;
    for (auto const& results : at.threads) {
      bytes.push_back(static_cast<char>(results.size()));
      bytes.append(reinterpret_cast<char const*>(results.data()), results.size() * sizeof(results[0]));
    }
    return bytes;
  }

  /// One operation of a thread, and what its program computes until the next.
  step_result step(state& at, std::size_t thread) {
    restore(at);
    step_result result;
    std::size_t const before = at.threads[thread].size();
    thread_replay replay(at.threads[thread]);
    running_thread = &replay;
    try {
      result.values = programs_[thread](memory_);
      result.finished = true;
    } catch (thread_replay::stopped const&) {}
    running_thread = nullptr;
    result.moved = at.threads[thread].size() != before;
    at.memory = save();
    return result;
  }

  void follow(state const& at) {
    if (report_.failures + report_.deadlocks != 0) return;
    if (!seen_.insert(key(at)).second) return;
    ++report_.states;
    taken all;
    bool moved = false, finished = true;
    for (std::size_t thread = 0; thread < programs_.size(); ++thread) {
      state next = at;
      step_result const result = step(next, thread);
      finished = finished && result.finished && !result.moved;
      all.insert(all.end(), result.values.begin(), result.values.end());
      if (!result.moved) continue;
      moved = true;
      follow(next);
    }
    if (finished) return end(at, all);
    if (!moved) ++report_.deadlocks;
  }

  void end(state const& at, taken const& all) {
    restore(at);
    ++report_.ends;
    if (!accepts_(memory_, all)) ++report_.failures;
  }

  std::vector<program> programs_;
  check accepts_;
  Shared memory_{};
  report report_;
  std::unordered_set<std::string> seen_;
};

}  // namespace ballast::test
