// SPDX-License-Identifier: Apache-2.0
#include "backlog.hpp"

#include <algorithm>

namespace ballast::detail {

batch_parts::batch_parts(std::size_t tasks, std::size_t parts) {
  for (std::size_t part = 0; part < parts; ++part) {
    auto const first = tasks * part / parts;
    parts_.push_back({first, tasks * (part + 1) / parts - first});
  }
}

batch_parts::range batch_parts::take(std::size_t device, std::uint64_t max_count) {
  auto& own = parts_[device % parts_.size()];
  auto& from = own.count > 0 ? own : *std::ranges::max_element(parts_, {}, &range::count);
  auto const count = std::size_t(std::min<std::uint64_t>(max_count, from.count));
  from.count -= count;
  if (&from != &own) return {from.first + from.count, count};
  from.first += count;
  return {from.first - count, count};
}

bool batch_parts::empty() const {
  return std::ranges::all_of(parts_, [](auto const& part) { return part.count == 0; });
}

void backlog::throw_if_closed() const {
  if (closed_) throw error("the queue is closed; start() opens it again");
  if (failure_) std::rethrow_exception(failure_);
}

completion backlog::add(std::shared_ptr<prepared_tasks const> tasks) {
  {
    std::lock_guard const hold(mutex_);
    throw_if_closed();  // before much memory is taken
  }
  if (tasks->has_grids()) tasks = std::make_shared<prepared_tasks const>(tasks->expand_grids());
  auto const size = tasks->records().size();
  auto batch = std::make_shared<backlog_batch>(std::move(tasks), batch_parts(size, parts_), size,
                                               std::vector<device_share>(devices_));
  std::lock_guard const hold(mutex_);
  throw_if_closed();
  batch->number = next_;
  batches_.emplace(next_, batch);
  if (size > 0) open_.push_back(std::move(batch));
  waiting_ += size;
  auto const number = next_++;
  return run_ == nullptr ? completion() : run_->completion_of(number);
}

std::optional<backlog_piece> backlog::take(std::size_t device, std::uint64_t max_count) {
  std::lock_guard const hold(mutex_);
  if (open_.empty() || max_count == 0) return std::nullopt;
  auto const batch = open_.front();
  auto const range = batch->left.take(device, max_count);
  ++batch->given;
  waiting_ -= range.count;
  if (batch->left.empty()) open_.pop_front();
  return backlog_piece{batch, range.first, range.count};
}

void backlog::give_back(backlog_piece const& piece) {
  std::lock_guard const hold(mutex_);
  returned_.push_back(piece);
  --piece.batch->given;
  piece.batch->has_lost = true;
}

void backlog::lose(backlog_piece const& piece) {
  std::lock_guard const hold(mutex_);
  --piece.batch->given;
  piece.batch->has_lost = true;
  changed_.notify();
}

void backlog::settle() {
  std::lock_guard const hold(mutex_);
  is_settled_ = true;
  changed_.notify();
}

void backlog::enter() {
  std::lock_guard const hold(mutex_);
  ++takers_;
}

void backlog::leave() {
  std::lock_guard const hold(mutex_);
  --takers_;
  changed_.notify();
}

std::uint64_t backlog::idle_elsewhere(std::size_t device) const {
  std::uint64_t sum = 0;
  for (std::size_t other = 0; other < idle_.size(); ++other)
    if (other != device) sum += idle_[other];
  return sum;
}

void backlog::finish(backlog_piece const& piece, std::size_t device, execution const& when) {
  std::lock_guard const hold(mutex_);
  auto& share = piece.batch->shares[device];
  share.when.first_begin_ns =
      share.tasks == 0 ? when.first_begin_ns : std::min(share.when.first_begin_ns, when.first_begin_ns);
  share.when.last_end_ns = std::max(share.when.last_end_ns, when.last_end_ns);
  share.when.work_ns += when.work_ns;
  share.tasks += piece.count;
  --piece.batch->given;
  bool const is_last = piece.batch->unfinished.fetch_sub(piece.count) == piece.count;
  if (is_last || (piece.batch->has_lost && piece.batch->given == 0)) changed_.notify();
}

void backlog::add_created(backlog_piece const& piece, task_record const& record) {
  std::lock_guard const hold(mutex_);
  created_.push_back({record, 0, piece.batch->number});
  changed_.notify();
}

std::vector<created_task> backlog::take_created() {
  std::lock_guard const hold(mutex_);
  return std::exchange(created_, {});
}

void backlog::fail(std::exception_ptr why) {
  std::lock_guard const hold(mutex_);
  if (!failure_) failure_ = why;
  changed_.notify();
}

std::exception_ptr backlog::failure() const {
  std::lock_guard const hold(mutex_);
  return failure_;
}

void backlog::rethrow_failure() const {
  if (auto const why = failure()) std::rethrow_exception(why);
}

std::shared_ptr<backlog_batch> backlog::find(std::uint64_t number) const {
  std::lock_guard const hold(mutex_);
  auto const found = batches_.find(number);
  return found == batches_.end() ? nullptr : found->second;
}

bool backlog::finished(std::uint64_t number) const {
  auto const batch = find(number);
  return !batch || batch->unfinished.load() == 0;
}

// After a failure other devices go on, until somebody stops them.
bool backlog::has_ended(std::uint64_t number) const {
  auto const batch = find(number);
  if (!batch || batch->unfinished.load() == 0) return true;
  std::lock_guard const hold(mutex_);
  if (is_settled_) return true;
  bool const nobody_takes = takers_ == 0 || (batch->has_lost && batch->left.empty());
  return failure_ && batch->given == 0 && nobody_takes;
}

std::uint64_t backlog::unfinished() const {
  std::lock_guard const hold(mutex_);
  std::uint64_t sum = 0;
  for (auto const& [number, batch] : batches_) sum += batch->unfinished.load();
  return sum;
}

std::vector<std::uint64_t> backlog::unfinished_batches() const {
  std::lock_guard const hold(mutex_);
  std::vector<std::uint64_t> numbers;
  for (auto const& [number, batch] : batches_)
    if (batch->unfinished.load() != 0) numbers.push_back(number);
  return numbers;
}

std::uint64_t backlog::end() const {
  std::lock_guard const hold(mutex_);
  return next_;
}

void backlog::sleep_until_finished(std::uint64_t number, clock::time_point until) {
  auto const seen = changed_.epoch();
  if (!finished(number) && !failure()) changed_.wait_past(seen, until);
}

std::vector<device_share> backlog::shares(std::uint64_t number) const {
  auto const batch = find(number);
  if (!batch) throw error("the record of this batch was dropped by forget()");
  if (batch->unfinished.load() != 0) throw error("shares() needs a batch that has run");
  std::lock_guard const hold(mutex_);
  return batch->shares;
}

void backlog::forget(std::uint64_t number) {
  if (!finished(number)) throw error("forget() needs a batch that has run");
  std::lock_guard const hold(mutex_);
  batches_.erase(number);
}

std::vector<task> backlog::take_all(kernel_set const& kernels) {
  std::lock_guard const hold(mutex_);
  for (auto const& batch : open_)
    for (auto const& range : batch->left.rest()) returned_.push_back({batch, range.first, range.count});
  std::vector<task> all;
  for (auto const& piece : returned_)
    for (auto const& record : piece.batch->tasks->records().subspan(piece.first, piece.count))
      all.push_back(task_of(kernels, record));
  open_.clear();
  returned_.clear();
  waiting_ = 0;
  return all;
}

void backlog::close() {
  std::lock_guard const hold(mutex_);
  closed_ = true;
}

void backlog::open(source_run* run) {
  std::lock_guard const hold(mutex_);
  batches_.clear();
  open_.clear();
  returned_.clear();
  created_.clear();
  waiting_ = 0;
  failure_ = nullptr;
  run_ = run;
  is_settled_ = false;
  takers_ = 0;
  closed_ = false;
}

}  // namespace ballast::detail
