// SPDX-License-Identifier: Apache-2.0
#include "local_devices.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "ballast/detail/base/event_count.hpp"
#include "travel.hpp"

namespace ballast::detail {
namespace {

constexpr std::int64_t rate_window_ns = 5'000'000, ahead_window_ns = 5'000'000;
constexpr std::size_t result_parts = 64;

std::vector<pinned_buffer<std::byte>> make_parts(device_list const& devices, std::size_t bytes) {
  std::vector<pinned_buffer<std::byte>> parts;
  if (bytes == 0 || devices.empty()) return parts;
  for (std::size_t i = 0; i < result_parts; ++i) parts.emplace_back(devices.front(), bytes);
  return parts;
}

/// Notifies a bell.
class ringer final : public end_listener {
 public:
  explicit ringer(event_count& bell) : bell_(&bell) {}
  void note_end() noexcept override { bell_->notify(); }

 private:
  event_count* const bell_;
};

}  // namespace

void execution_rate::look(std::int64_t now_ns, std::uint64_t executed, bool is_busy) {
  executed_ += executed;
  if (!is_busy || !was_busy_) {
    was_busy_ = is_busy;
    since_ns_ = now_ns;
    executed_ = 0;
    return;
  }
  auto const passed = now_ns - since_ns_;
  if (passed < rate_window_ns || executed_ == 0) return;
  auto const seen = double(executed_) / double(passed);
  rate_ = rate_ == 0 ? seen : (rate_ + seen) / 2;
  since_ns_ = now_ns;
  executed_ = 0;
}

void feed_ahead::look(std::int64_t now_ns, std::uint64_t waiting, bool has_more) {
  bool const is_starved = was_full_ && has_more && waiting == 0;
  was_full_ = has_more;
  least_waiting_ = std::min(least_waiting_, waiting);
  if (is_starved) {
    ahead_ = std::min(2 * ahead_, max_ahead);
  } else if (!has_more && waiting == 0) {
    ahead_ = std::min(ahead_, workers_);
  } else if (now_ns - since_ns_ < ahead_window_ns) {
    return;
  } else if (has_more && least_waiting_ > ahead_ / 2) {
    ahead_ = std::max(least_, ahead_ - (ahead_ + 3) / 4);
  }
  since_ns_ = now_ns;
  least_waiting_ = ~std::uint64_t(0);
}

local_devices::local_devices(device_list devices, kernel_set const& kernels, balanced_options const& options,
                             std::size_t max_result_bytes)
    : result_parts_(make_parts(devices, max_result_bytes)),
      free_parts_(std::make_shared<part_list>()),
      queue_(devices, kernels, options),
      kernels_(&kernels),
      creates_(may_create_tasks(kernels)) {
  for (auto const& part : result_parts_) free_parts_->parts.push_back(part.data());
  for (std::size_t i = 0; i < devices.size(); ++i) workers_ += workers_of(i);
  ahead_ = feed_ahead(workers_);
}

/// The number of tasks that the devices have and have not begun. A worker reports that it begins a task; only
/// ranges report that tasks have ended.
std::uint64_t local_devices::waiting() {
  std::uint64_t begun = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) begun += queue_.on(i).claimed();
  return submitted_ - std::min(submitted_, begun);
}

std::uint32_t local_devices::workers_of(std::size_t device) {
  auto& on = queue_.on(device);
  return std::max(1u, on.workers_of_run() / kernels_->workers_of_block(on.device()));
}

std::uint64_t local_devices::running() {
  auto const given = std::min(running_, waiting() + workers_);
  if (!creates_) return given;
  std::uint64_t idle = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) idle += queue_.on(i).idle_workers();
  return std::max(given, workers_ - std::min<std::uint64_t>(idle, workers_));
}

bool local_devices::has_created(std::size_t device) {
  return creates_ && running_ > 0 && queue_.on(device).idle_workers() <= workers_of(device) / 16;
}

bool local_devices::has_created() {
  for (std::size_t i = 0; i < queue_.size(); ++i)
    if (!has_created(i)) return false;
  return true;
}

void local_devices::fetch_created(std::uint64_t workers_elsewhere) {
  if (!creates_) return;
  std::uint64_t workers = workers_elsewhere, devices = 0;
  for (std::size_t i = 0; i < queue_.size(); ++i) has_created(i) ? devices += 1 : workers += workers_of(i);
  if (workers == 0 || devices == 0) return;
  auto const of_each = std::min<std::uint64_t>(~0u, (created_for_a_worker * workers + devices - 1) / devices);
  for (std::size_t i = 0; i < queue_.size(); ++i)
    if (has_created(i)) queue_.on(i).ask_for_created(std::uint32_t(of_each));
}

std::uint32_t local_devices::wanted() {
  auto const missing = ahead_.tasks() - std::min(ahead_.tasks(), waiting());
  auto const piece = std::max<std::uint64_t>(1, ahead_.tasks() / 4);
  return std::uint32_t(std::min(piece, missing));
}

bool local_devices::has_room_for(task_range const& range) const {
  auto const& arrived = range.load->arrived;
  if (arrived.staging_bytes() == 0 || range.load->result_part != nullptr) return true;
  std::lock_guard const hold(free_parts_->mutex);
  return !free_parts_->parts.empty();
}

// Gives the tasks of a message memory for their results, which is free again when the last range of the
// message is destroyed.
void local_devices::place_results(range_load& load) {
  if (load.arrived.staging_bytes() == 0 || load.result_part != nullptr) return;
  auto const take = [&] {
    std::lock_guard const hold(free_parts_->mutex);
    auto* const last = free_parts_->parts.back();
    free_parts_->parts.pop_back();
    return last;
  };
  auto* const part = take();
  load.result_part = {part, [free = free_parts_](std::byte* one) {
                        std::lock_guard const hold(free->mutex);
                        free->parts.push_back(one);
                      }};
  load.arrived.place_results(part);
}

void local_devices::execute(task_range range) {
  place_results(*range.load);
  auto const records = range.load->records(range.first, range.count);
  // The load owns members to which records refer.
  struct kept_tasks {
    prepared_tasks tasks;
    std::shared_ptr<range_load> load;
  };
  auto const kept = std::make_shared<kept_tasks const>(
      kept_tasks{{*kernels_, std::vector(records.begin(), records.end())}, range.load});
  auto const end = queue_.submit(std::shared_ptr<prepared_tasks const>(kept, &kept->tasks));
  if (auto const listener = std::exchange(listener_, nullptr))
    end.source()->notify_at_end(end.work(), listener);
  running_ += range.count;
  for (auto const& record : records) submitted_ += record.tasks();
  given_.push_back({std::move(range), end});
}

bool local_devices::is_idle() const {
  return std::ranges::all_of(given_, [](given const& one) { return one.end.ready(); });
}

void local_devices::notify(event_count& bell) { listener_ = std::make_shared<ringer>(bell); }

// Tasks that a range created arrive before its completion does.
local_devices::collected local_devices::collect(std::int64_t now_ns) {
  bool const is_busy = running_ >= workers_;
  auto const ended = std::ranges::partition(given_, [](given const& one) { return !one.end.ready(); });
  collected all;
  if (creates_) all.created = take_created();
  std::uint64_t tasks = 0;
  for (auto& one : ended) {
    one.end.wait();  // throws if it failed
    queue_.forget(one.end);
    tasks += one.range.count;
    all.executed.push_back(std::move(one.range));
  }
  given_.erase(ended.begin(), ended.end());
  running_ -= tasks;
  rate_.look(now_ns, tasks, is_busy);
  return all;
}

std::vector<local_devices::created_tasks> local_devices::take_created() {
  std::map<std::uint64_t, created_tasks> by_batch;
  for (auto const& [record, ring, batch] : queue_.take_created()) {
    auto& of_batch = by_batch[batch];
    if (of_batch.records.empty())
      of_batch.creator =
          std::ranges::find(given_, batch, [](given const& one) { return one.end.work().first; })->range;
    of_batch.records.push_back(record);
  }
  std::vector<created_tasks> all;
  for (auto& [batch, tasks] : by_batch) all.push_back(std::move(tasks));
  return all;
}

}  // namespace ballast::detail
