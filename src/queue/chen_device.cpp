// SPDX-License-Identifier: Apache-2.0
#include "chen_device.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ballast/start_threads.hpp"

namespace ballast::detail {
namespace {

task_record make_halt() {
  task_record halt{};
  halt.describe({0, 1}, task_record::halt);
  return halt;
}

}  // namespace

chen_device::chen_device(std::shared_ptr<compute_device> device, compiled_kernels const& kernels,
                         chen_options const& options, std::size_t index, backlog& pool, chen_steps& steps)
    : device_(std::move(device)),
      kernels_(&kernels),
      options_(&options),
      index_(index),
      pool_(&pool),
      steps_(&steps),
      kernel_(device_, kernels, kernels.entry_for(source_key_of<chen_source_ref>), options.resident),
      memory_(device_, options),
      refills_(memory_.queues()),
      halts_(std::min(memory_.capacity(), kernel_.blocks()), make_halt()) {}

void chen_device::start() {
  step_ = steps_->current();
  thread_ = start_thread("controlling " + device_->name(), [this] {
    try {
      run();
    } catch (...) {
      pool_->fail(std::current_exception());
      steps_->fail();
      abandon_kernel();
    }
  });
}

/// The blocks see the word in device memory before they dequeue once more, and the pinned one when idle.
void chen_device::abandon_kernel() noexcept {
  kernel_.request_stop();
  try {
    memory_.write_stop();
  } catch (error const&) {
    // A lost device: its blocks are gone.
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
  kernel_.start(&source, sizeof source);
}

// `ending` is read before the pool is seen empty: what was submitted before the step was to end is in it.
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

/// Lines 7 to 23 of Algorithm 2, one pass.
bool chen_device::refill_next() {
  auto const queue = turn();
  if (!memory_.is_empty(queue)) return false;
  auto pieces = take_from_pool();
  if (pieces.empty()) return false;
  write_tasks(queue, std::move(pieces));
  return true;
}

std::uint32_t chen_device::turn() { return std::exchange(next_, (next_ + 1) % memory_.queues()); }

/// As many tasks as a queue holds, if there are so many.
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

/// One for each block; all queues are empty, so that no task is left when the last block leaves.
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

// The last tasks may take any time; whose timeout passes stops the queue.
void chen_device::await_end() {
  for (std::uint32_t looks = 0; kernel_.running(); ++looks) {
    if (steps_->stop_requested()) throw_if_stopped(0);
    back_off(looks);
  }
  kernel_.join(deadline::in(options_->resident.stop_timeout));
}

void chen_device::record_step() {
  device_share share;
  for (auto const& piece : given_) share.tasks += piece.count;
  auto const times = memory_.read_times();
  auto const offset = kernel_.clock_offset_ns();
  if (options_->times && share.tasks > 0)
    share.when = {std::int64_t(times.first_begin_ns) + offset, std::int64_t(times.last_end_ns) + offset,
                  std::int64_t(times.work_ns)};
  {
    std::lock_guard const hold(share_mutex_);
    share_ = share;
  }
  std::ranges::fill(refills_, refill{});
  used_ = false;
  for (auto const& piece : given_) pool_->finish(piece, index_, share.when);
}

bool chen_device::all_empty() const {
  for (std::uint32_t queue = 0; queue < memory_.queues(); ++queue)
    if (!memory_.is_empty(queue)) return false;
  return true;
}

/// Throws if the step cannot go on. The kernel is asked about rarely, since that is a call into the driver.
void chen_device::throw_if_stopped(std::uint32_t looks) {
  if (steps_->stop_requested())
    throw queue_stopped(device_->name(), pool_->unfinished(), "it was asked to stop");
  if (looks % 64 == 63 && !kernel_.running())
    throw queue_stopped(device_->name(), pool_->unfinished(), "its blocks left");
}

void chen_device::back_off(std::uint32_t looks) const {
  if (looks < 60) return;
  if (device_->is_cuda()) return std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(20));
}

/// With nothing to do: sleeps until somebody submits or ends the step.
void chen_device::sleep_idle(std::uint64_t epoch, std::uint32_t looks) {
  if (looks < 200) return back_off(looks);
  if (clock::now() - idle_since_ > options_->resident.idle_timeout) steps_->request_end();
  steps_->to_control.wait_past(epoch, clock::now() + std::chrono::milliseconds(20));
}

/// Whether the kernel's end leaves memory that can be read.
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
  for (std::uint32_t queue = 0; queue < memory_.queues(); ++queue) {
    give_back(queue, sound);
    refills_[queue] = {};
  }
  if (sound) memory_.clear();
  used_ = false;
}

/// Blocks claim from the back: the first tasks of a refill are those that nobody claimed.
void chen_device::give_back(std::uint32_t queue, bool sound) {
  auto const& last = refills_[queue];
  if (last.pieces.empty() || (last.complete && !sound)) return;
  std::uint64_t left = last.complete ? memory_.unclaimed(queue) : memory_.capacity();
  for (auto piece : last.pieces) {
    piece.count = std::min<std::size_t>(piece.count, left);
    left -= piece.count;
    if (piece.count > 0) pool_->give_back(piece);
  }
}

device_share chen_device::last_step() const {
  std::lock_guard const hold(share_mutex_);
  return share_;
}

std::string chen_device::describe() {
  auto text = "chen queues of " + std::string(kernels_->name()) + " on " + device_->name() + ":\n";
  for (std::uint32_t queue = 0; queue < memory_.queues(); ++queue)
    text += "queue " + std::to_string(queue) + ": " + std::to_string(memory_.written(queue)) +
            " tasks written, " + std::to_string(memory_.consumed(queue)) +
            " dequeued when it was last empty\n";
  return text + kernel_.describe_blocks();
}

}  // namespace ballast::detail
