// SPDX-License-Identifier: Apache-2.0
#include "ballast/detail/resident/block_activities.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "ballast/detail/base/age.hpp"
#include "ballast/detail/base/host_waits.hpp"
#include "ballast/detail/resident/shown_task.cuh"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr std::uint64_t between_looks_ns = 20'000'000;
constexpr std::size_t most_described = 8;
constexpr auto longest_copy = std::chrono::milliseconds(100);

}  // namespace

block_activities::block_activities(std::shared_ptr<compute_device> const& device, std::uint32_t blocks)
    : on_cores_(device->capabilities().runs_on_cores),
      stride_(on_cores_ ? activity_stride_on_cores : 1),
      words_(device, std::size_t(blocks) * stride_),
      copy_(device, words_.size()),
      reader_(device->make_stream()),
      seen_(blocks) {
  clear(deadline::in(std::chrono::minutes(1)));  // this is no start
}

void block_activities::clear(deadline until) {
  std::unique_lock hold(mutex_, std::defer_lock);
  if (on_cores_) hold.lock();  // looks write there too
  last_running_ = 0;
  reader_->fill(words_.data(), 0, words_.bytes());
  reader_->synchronize(until);
}

void block_activities::clear_on_cores() {
  if (!on_cores_) return;
  std::lock_guard const hold(mutex_);
  for (std::size_t block = 0; block < seen_.size(); ++block)
    shown_worker::clear(words_.data()[block * stride_]);
}

void block_activities::look() {
  if (!on_cores_) return;
  auto const now = steady_now_ns();
  auto last = looked_ns_.load(std::memory_order_relaxed);
  if (now - last < between_looks_ns || !looked_ns_.compare_exchange_strong(last, now)) return;
  std::lock_guard const hold(mutex_);
  note(now);
}

void block_activities::note(std::uint64_t now_ns) {
  if (is_new_run_.exchange(false)) std::ranges::fill(seen_, seen_word{});
  for (std::size_t block = 0; block < seen_.size(); ++block) {
    auto const word = word_of(block);
    if (seen_[block].word != word || seen_[block].since_ns == 0) seen_[block] = {word, now_ns};
  }
}

std::uint64_t block_activities::word_of(std::size_t block) {
  if (!on_cores_) return copy_[block];
  auto& line = words_.data()[block * stride_];
  auto const word = std::atomic_ref(line).load(std::memory_order_relaxed);
  bool const runs = activity(word & 3) == activity::runs;
  if (!runs) return word;
  auto const number = shown_worker::look_at(line, word >> 2);
  auto const now = std::atomic_ref(line).load();  // a worker that shows nothing any more has left
  return activity(now & 3) == activity::runs ? number << 2 | (now & 3) : now;
}

std::string block_activities::describe(std::uint32_t blocks, char const* gone) {
  std::array<std::uint32_t, 4> counts{};
  std::vector<running_task> running;
  auto const now = steady_now_ns();
  try {
    std::lock_guard const hold(mutex_);
    if (!on_cores_) {
      reader_->copy(copy_.data(), words_.data(), words_.bytes());
      reader_->synchronize(deadline::in(std::chrono::seconds(2)));
    }
    note(now);
    for (std::uint32_t block = 0; block < blocks; ++block) {
      auto const& [word, since] = seen_[block];
      ++counts[word & 3];
      if (activity(word & 3) == activity::runs) running.push_back({block, word >> 2, since});
    }
  } catch (error const& failure) {
    return as_lines(std::string("the blocks' state cannot be read: ") + failure.what());
  }
  char const* const names[] = {"not started", "waiting for a task", "running a task", gone};
  std::string text;
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    if (counts[kind] != 0) text += counted(counts[kind], "block") + " " + names[kind] + "\n";
  return text + describe_running(std::move(running), now);
}

activity_sums block_activities::sums_on_cores(std::uint32_t blocks) {
  std::lock_guard const hold(mutex_);
  activity_sums sums;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    auto& line = words_.data()[std::size_t(block) * stride_];
    auto const word = std::atomic_ref(line).load(std::memory_order_relaxed);
    sums.running += activity(word & 3) == activity::runs ? 1 : 0;
    auto const [run, created] = shown_worker::counts_at(line);
    sums.run += run;
    sums.created += created;
  }
  return sums;
}

// A copy behind a resident kernel in one hardware queue is late, and each further one would take a place
// there.
activity_sums block_activities::look_at_all(std::uint32_t blocks) noexcept {
  if (on_cores_) return sums_on_cores(blocks);
  std::unique_lock const hold(mutex_, std::try_to_lock);
  if (!hold.owns_lock()) return {last_running_};
  try {
    if (!reader_->idle()) return {last_running_};
    reader_->copy(copy_.data(), words_.data(), words_.bytes());
    reader_->synchronize(deadline::in(longest_copy));
    auto const runs = [](std::uint64_t word) { return activity(word & 3) == activity::runs; };
    last_running_ = std::uint32_t(std::ranges::count_if(copy_.span().first(blocks), runs));
  } catch (std::exception const&) {}  // the last look's
  return {last_running_};
}

// Without the mutex, since names may be read from the device.
std::string block_activities::describe_running(std::vector<running_task> running,
                                               std::uint64_t now_ns) const {
  if (!names_.of || running.empty()) return {};
  auto const begin = [](auto const& one) { return std::tuple(one.since_ns, one.number); };
  std::ranges::sort(running, {}, begin);
  bool const has_oldest =
      running.size() == 1 || names_.are_in_order || running[0].since_ns < running[1].since_ns;
  std::string text;
  for (std::size_t i = 0; i < std::min(running.size(), most_described); ++i) {
    auto const name = name_of(running[i], now_ns);
    if (!name.empty()) text += (i == 0 && has_oldest ? "oldest task: " : "task: ") + name + "\n";
  }
  return text;
}

std::string block_activities::name_of(running_task const& one, std::uint64_t now_ns) const {
  std::string name;
  try {
    name = names_.of(one.number);
  } catch (std::exception const& failure) { name = std::string("it cannot be read: ") + failure.what(); }
  if (name.empty()) return {};
  auto const place = ", in resident block " + std::to_string(one.block);
  return name + place +
         (one.since_ns < now_ns ? " for at least " + text_of_age(double(now_ns - one.since_ns)) : "");
}

}  // namespace ballast::detail
