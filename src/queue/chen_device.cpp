// SPDX-License-Identifier: Apache-2.0
#include "chen_device.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "ballast/start_threads.hpp"
#include "stopped_queue.hpp"

namespace ballast::detail {
namespace {

// On the host a copy of up to 16 KiB moves whole words, which the blocks may poll meanwhile.
constexpr std::uint32_t max_queues = 16, max_tasks = 256;

std::uint32_t checked(char const* argument, std::uint32_t value, std::uint32_t limit) {
  if (value < 1 || value > limit) throw_bad_argument(argument, value, "1 to " + std::to_string(limit));
  return value;
}

std::uint32_t words_for(std::uint32_t tasks) { return chen_load_head + tasks * chen_words_per_task; }

std::uint32_t whole_lines(std::uint32_t words) {
  return (words + words_per_line - 1) / words_per_line * words_per_line;
}

task_record make_halt() {
  task_record halt{};
  halt.describe({0, 1}, task_record::halt);
  return halt;
}

}  // namespace

chen_memory::chen_memory(std::shared_ptr<compute_device> device, chen_options const& options)
    : timeout_(options.timeout),
      capacity_(checked("tasks_per_queue", options.tasks_per_queue, max_tasks)),
      stride_(whole_lines(words_for(capacity_))),
      counts_(device, checked("queues", options.queues, max_queues)),
      loads_(device, std::size_t(options.queues) * stride_),
      stop_(device, 1),
      times_(device, options.times ? 1 : 0),
      consumed_(device, std::size_t(options.queues) * words_per_line),
      staging_(device, loads_.size()),
      staged_written_(device, options.queues),
      staged_one_(device, 1),
      staged_times_(device, 1),
      written_(options.queues),
      copies_(device->make_stream()) {
  staged_one_[0] = 1;
  clear();
  (void)copies_->record();  // makes a device's first event here, not beside a resident kernel
}

void chen_memory::clear() {
  copies_->fill(counts_.data(), 0, counts_.bytes());
  copies_->fill(loads_.data(), 0, loads_.bytes());
  copies_->fill(stop_.data(), 0, stop_.bytes());
  std::ranges::fill(consumed_.span(), 0u);
  for (auto& written : written_) written = 0;
  copies_->synchronize(deadline::in(timeout_));
}

chen_source_ref chen_memory::source(resident_control const& control) {
  chen_source_ref ref;
  ref.control = control;
  ref.counts = counts_.data();
  ref.loads = loads_.data();
  ref.stop = stop_.data();
  ref.times = times_.data();
  ref.consumed = consumed_.data();
  ref.queues = queues();
  ref.stride = stride_;
  return ref;
}

std::uint64_t chen_memory::consumed(std::uint32_t queue) const {
  auto& word = consumed_[std::size_t(queue) * words_per_line];
  return atomic_ref<std::uint64_t, scope::system>(word).load_acquire();
}

// An empty queue has been read to its end, and so have the copies that filled it: the staged words are free.
void chen_memory::write(std::uint32_t queue, std::span<task_record const> tasks, deadline until) {
  auto* const from = staged(queue);
  from[0] = tasks.size();
  std::memcpy(from + chen_load_head, tasks.data(), tasks.size_bytes());
  copies_->copy(load(queue), from, words_for(std::uint32_t(tasks.size())) * sizeof(std::uint64_t));
  await_copies(until);
  staged_written_[queue] = written(queue) + tasks.size();
  copies_->copy(&counts_.data()[queue].written, &staged_written_[queue], sizeof(std::uint64_t));
  written_[queue] = staged_written_[queue];
}

// host_write_fence(): records an event after the copies, and waits until it is reached.
void chen_memory::await_copies(deadline until) {
  auto const fence = copies_->record();
  wait_limit limit(until);
  for (std::uint32_t looks = 0; !fence->reached(); ++looks) {
    if (limit.passed()) throw timed_out("a copy into a queue in device memory", "its event is not reached");
    if (looks > 60) std::this_thread::yield();
  }
}

void chen_memory::write_stop() { copies_->copy(stop_.data(), &staged_one_[0], stop_.bytes()); }

std::uint64_t chen_memory::unclaimed(std::uint32_t queue) {
  copies_->copy(staged(queue), load(queue), sizeof(std::uint64_t));
  copies_->synchronize(deadline::in(timeout_));
  return std::uint64_t(std::max<std::int64_t>(0, std::int64_t(staged(queue)[0])));
}

void chen_memory::forget_times() {
  if (times_.size() == 0) return;
  staged_times_[0] = {~std::uint64_t(0), 0, 0};
  copies_->copy(times_.data(), &staged_times_[0], times_.bytes());
  copies_->synchronize(deadline::in(timeout_));
}

batch_times chen_memory::read_times() {
  if (times_.size() == 0) return {0, 0, 0};
  copies_->copy(&staged_times_[0], times_.data(), times_.bytes());
  copies_->synchronize(deadline::in(timeout_));
  return staged_times_[0];
}

chen_device::chen_device(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                         chen_options const& options, std::size_t index, backlog& pool, chen_steps& steps)
    : device_(std::move(device)),
      kernels_(&kernels),
      options_(&options),
      index_(index),
      pool_(&pool),
      steps_(&steps),
      kernel_(device_, kernels, kernels.entry_for(entry_key_of<chen_source_ref>), options.resident),
      memory_(device_, options),
      refills_(memory_.queues()),
      halts_(std::min(memory_.capacity(), kernel_.blocks()), make_halt()) {}

void chen_device::start() {
  step_ = steps_->current();
  auto work = [this] {
    try {
      run();
    } catch (...) {
      pool_->fail(std::current_exception());
      steps_->fail();
      abandon_kernel();
    }
  };
  thread_ = start_thread("controlling " + device_->name(), std::move(work), "ballast-chen");
}

/// Asks the blocks to leave: they see the word in device memory before they dequeue again, and the pinned
/// word when idle.
void chen_device::abandon_kernel() noexcept {
  kernel_.request_stop();
  try {
    memory_.write_stop();
  } catch (error const&) {
    // The device is lost, and its blocks with it.
  }
}

void chen_device::join() {
  if (thread_.joinable()) thread_.join();
}

void chen_device::run() {
  while (auto const step = steps_->await_begin(step_)) {
    run_step();
    step_ = step;
    steps_->device_done();
  }
}

void chen_device::run_step() {
  used_ = true;
  given_.clear();
  launch();
  feed();
  send_halts();
  await_end();
  record_step();
}

void chen_device::launch() {
  throw_if_stopped(0);
  memory_.forget_times();
  auto const source = memory_.source(kernel_.next_control());
  (void)kernel_.start(&source, sizeof source);  // only kernels with a server return false
}

// Reads `ending` before it checks the pool: tasks submitted before the request to end the step are then in
// the pool.
void chen_device::feed() {
  idle_since_ = clock::now();
  for (std::uint32_t looks = 0;; ++looks) {
    throw_if_stopped(looks);
    auto const epoch = steps_->to_control.epoch();
    bool const ending = steps_->ending();
    if (refill_next()) {
      looks = 0;
      idle_since_ = clock::now();
    } else if (pool_->waiting() > 0 || !all_empty()) {
      back_off(looks);
    } else if (ending) {
      return;
    } else {
      sleep_idle(epoch, looks);
    }
  }
}

/// Carries out one pass of lines 7 to 23 of Algorithm 2; true if it refilled a queue.
bool chen_device::refill_next() {
  auto const queue = turn();
  if (!memory_.is_empty(queue)) return false;
  auto pieces = take_from_pool();
  if (pieces.empty()) return false;
  write_tasks(queue, std::move(pieces));
  return true;
}

std::uint32_t chen_device::turn() { return std::exchange(next_, (next_ + 1) % memory_.queues()); }

/// Takes as many tasks as a queue holds, or all that are left.
std::vector<backlog_piece> chen_device::take_from_pool() {
  std::vector<backlog_piece> pieces;
  for (std::uint64_t left = memory_.capacity(); left > 0;) {
    auto const piece = pool_->take(index_, left);
    if (!piece) break;
    left -= piece->count;
    pieces.push_back(*piece);
  }
  return pieces;
}

void chen_device::write_tasks(std::uint32_t queue, std::vector<backlog_piece> pieces) {
  refills_[queue] = {std::move(pieces), false};
  staged_tasks_.clear();
  for (auto const& piece : refills_[queue].pieces) {
    auto const tasks = piece.batch->tasks->records().subspan(piece.first, piece.count);
    staged_tasks_.insert(staged_tasks_.end(), tasks.begin(), tasks.end());
    record_given(piece);
  }
  memory_.write(queue, staged_tasks_, deadline::in(options_->timeout));
  refills_[queue].complete = true;
}

void chen_device::record_given(backlog_piece const& piece) {
  if (!given_.empty() && given_.back().batch == piece.batch)
    given_.back().count += piece.count;
  else
    given_.push_back(piece);
}

/// Sends one halt for each block; all queues are empty, so that no task is left when the last block leaves.
void chen_device::send_halts() {
  std::size_t left = kernel_.blocks();
  for (std::uint32_t looks = 0; left > 0; ++looks) {
    throw_if_stopped(looks);
    auto const queue = turn();
    auto const some = std::span(halts_).first(std::min(left, halts_.size()));
    if (!memory_.is_empty(queue)) {
      back_off(looks);
      continue;
    }
    refills_[queue] = {};
    memory_.write(queue, some, deadline::in(options_->timeout));
    left -= some.size();
  }
}

// The last tasks may take any time; a caller whose timeout passes may stop the queue.
void chen_device::await_end() {
  for (std::uint32_t looks = 0; kernel_.running(); ++looks) {
    if (steps_->stop_requested()) throw_if_stopped(0);
    back_off(looks);
  }
  kernel_.join(deadline::in(options_->resident.stop_timeout));
}

void chen_device::record_step() {
  device_share share;
  share.tasks = tasks_given();
  if (share.tasks > 0) share.when = times_of_step();
  trace_step(share.tasks, share.when);
  {
    std::lock_guard const hold(share_mutex_);
    share_ = share;
  }
  std::ranges::fill(refills_, refill{});
  used_ = false;
  for (auto const& piece : given_) pool_->finish(piece, index_, share.when);
}

std::uint64_t chen_device::tasks_given() const {
  std::uint64_t tasks = 0;
  for (auto const& piece : given_) tasks += piece.count;
  return tasks;
}

/// The time from the start of the first task to the end of the last one, if a task ran and they are timed.
execution chen_device::times_of_step() {
  if (!options_->times) return {};
  auto const times = memory_.read_times();
  auto const offset = kernel_.clock_offset_ns();
  return {std::int64_t(times.first_begin_ns) + offset, std::int64_t(times.last_end_ns) + offset,
          std::int64_t(times.work_ns)};
}

void chen_device::trace_step(std::uint64_t tasks, execution const& when) const {
  if (!options_->trace_to || tasks == 0) return;
  options_->trace_to.record({.device = index_,
                             .label = kernels_->name(),
                             .step = std::int64_t(steps_->current()),
                             .tasks = tasks,
                             .begin_ns = when.first_begin_ns,
                             .end_ns = std::max(when.first_begin_ns, when.last_end_ns),
                             .counts = {{"work_ns", std::uint64_t(when.work_ns)}}});
}

bool chen_device::all_empty() const {
  for (std::uint32_t queue = 0; queue < memory_.queues(); ++queue)
    if (!memory_.is_empty(queue)) return false;
  return true;
}

/// Throws if the step cannot continue. Rarely queries the kernel, since that is a call to the driver.
void chen_device::throw_if_stopped(std::uint32_t looks) {
  if (steps_->stop_requested()) {
    device_->check();  // reports a loss in any case
    throw stopped_queue(device_->name(), pool_->unfinished(), "it was asked to stop");
  }
  if (looks % 64 == 63 && !kernel_.running())
    throw stopped_queue(device_->name(), pool_->unfinished(), "its blocks left");
}

void chen_device::back_off(std::uint32_t looks) const {
  if (looks < 60) return;
  if (device_->capabilities().needs_polling) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(20));
}

/// Called when idle: sleeps until tasks are submitted or the step must end.
void chen_device::sleep_idle(std::uint64_t epoch, std::uint32_t looks) {
  if (looks < 200) return back_off(looks);
  if (clock::now() - idle_since_ > options_->resident.idle_timeout) steps_->request_end();
  steps_->to_control.wait_past(epoch, clock::now() + std::chrono::milliseconds(20));
}

/// True if the kernel ended in a way that leaves its memory readable.
bool chen_device::try_join() {
  try {
    kernel_.join(deadline::in(options_->resident.stop_timeout));
    device_->check();
    return true;
  } catch (device_lost const&) { return false; }
}

void chen_device::collect() {
  if (!used_) return;
  bool const sound = try_join();
  auto ran = tasks_given();
  for (std::uint32_t queue = 0; queue < memory_.queues(); ++queue) {
    ran -= give_back(queue, sound);
    refills_[queue] = {};
  }
  if (sound && ran > 0) trace_step(ran, times_of_step());
  if (sound) memory_.clear();
  used_ = false;
}

/// Gives the tasks that no block will run back to the pool, and returns their number. Blocks claim from the
/// back: the unclaimed tasks are the first ones of a refill.
std::uint64_t chen_device::give_back(std::uint32_t queue, bool sound) {
  auto const& last = refills_[queue];
  if (last.pieces.empty() || (last.complete && !sound)) return 0;
  std::uint64_t const unclaimed = last.complete ? memory_.unclaimed(queue) : memory_.capacity();
  auto left = unclaimed;
  for (auto piece : last.pieces) {
    piece.count = std::min<std::size_t>(piece.count, left);
    left -= piece.count;
    if (piece.count > 0) pool_->give_back(piece);
  }
  return unclaimed - left;
}

device_share chen_device::last_step() const {
  std::lock_guard const hold(share_mutex_);
  return share_;
}

std::string chen_device::describe() {
  auto text = "queues on " + device_->name() + ": " + std::to_string(memory_.queues()) + "\n";
  for (std::uint32_t queue = 0; queue < memory_.queues(); ++queue)
    text += "queue " + std::to_string(queue) + ": " + counted(memory_.written(queue), "task") + " written, " +
            std::to_string(memory_.consumed(queue)) + " dequeued when it was last empty\n";
  return text + kernel_.describe_blocks();
}

}  // namespace ballast::detail
