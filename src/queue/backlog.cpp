// SPDX-License-Identifier: Apache-2.0
#include "backlog.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "ballast/balance.hpp"
#include "stopped_queue.hpp"

namespace ballast::detail {

namespace {

std::vector<std::size_t> equal_parts(std::size_t tasks, std::size_t parts) {
  std::vector<std::size_t> borders;
  for (std::size_t part = 0; part <= parts; ++part) borders.push_back(tasks * part / parts);
  return borders;
}

learned_costs::kind kind_of(prepared_tasks const& tasks) {
  auto const records = tasks.records();
  return {records.empty() ? 0 : records.front().kernel(), records.size()};
}

/// The number of sections of a batch, so fine that a part is off by at most a hundredth if costs are smooth.
std::size_t sections_of(std::size_t tasks, std::size_t parts) {
  constexpr std::size_t sections_of_a_part = 64;
  return parts == 1 || tasks <= parts ? 0 : parts * sections_of_a_part;
}

void append_rest(std::shared_ptr<backlog_batch> const& of, std::vector<backlog_piece>& to) {
  for (auto const& left : of->left.take_rest()) to.push_back({of, left.first, left.count});
}

std::vector<task> tasks_in(std::vector<backlog_piece> const& pieces, kernel_set const& kernels) {
  std::vector<task> all;
  for (auto const& piece : pieces)
    for (auto const& record : piece.batch->tasks->records().subspan(piece.first, piece.count))
      all.push_back(task_of(kernels, record));
  return all;
}

}  // namespace

batch_costs::batch_costs(std::size_t tasks, std::size_t sections)
    : tasks_(tasks), ns_(std::min(tasks, sections)) {}

void batch_costs::add(task_run const& tasks, double ns) {
  if (ns_.empty() || tasks.count == 0) return;
  auto section = tasks.first * ns_.size() / tasks_;
  for (auto at = tasks.first; at < tasks.end(); ++section) {
    auto const end = std::min(begin_of(section + 1), tasks.end());
    ns_[section] += ns * double(end - std::min(at, end)) / double(tasks.count);
    at = std::max(at, end);
  }
}

bool batch_costs::are_known() const {
  return std::ranges::any_of(ns_, [](double ns) { return ns > 0; });
}

std::vector<std::size_t> batch_costs::cut(std::size_t parts) const {
  if (!are_known()) return equal_parts(tasks_, parts);
  std::vector<std::size_t> borders{0};
  for (double const sections : ends_in_proportion(costed_items(ns_), std::vector(parts, 1.0))) {
    auto const whole = std::size_t(sections), begin = begin_of(whole), end = begin_of(whole + 1);
    borders.push_back(begin + std::size_t(std::lround((sections - double(whole)) * double(end - begin))));
  }
  return borders;
}

void learned_costs::learn(kind const& of, batch_costs costs) {
  std::erase_if(known_, [&](known const& one) { return one.of == of; });
  if (known_.size() == max_known) known_.erase(known_.begin());
  known_.push_back({of, std::move(costs)});
}

std::vector<std::size_t> learned_costs::cut(kind const& of, std::size_t parts) const {
  auto const found = std::ranges::find(known_, of, &known::of);
  return found == known_.end() ? equal_parts(of.tasks, parts) : found->costs.cut(parts);
}

batch_parts::batch_parts(std::vector<std::size_t> const& borders) {
  auto const parts = borders.size() - 1;
  for (std::size_t i = 0; i < parts; ++i) {
    bool const is_first = i == 0, is_last = i + 1 == parts;
    auto const first = borders[i], end = borders[i + 1];
    auto const middle = is_first ? first : is_last ? end : first + (end - first) / 2;
    parts_.push_back({{first, middle - first}, {middle, end - middle}});
  }
}

task_run batch_parts::take(std::size_t device, std::uint64_t max_count) {
  auto const own = device % parts_.size();
  auto& of_own = parts_[own];
  if (of_own.count() > 0)
    return of_own.behind.count >= of_own.before.count ? take_front(of_own.behind, max_count)
                                                      : take_back(of_own.before, max_count);
  auto const other = find_other(own);
  auto& from = parts_[other];
  if (other > own) return take_front(from.before.count > 0 ? from.before : from.behind, max_count);
  return take_back(from.behind.count > 0 ? from.behind : from.before, max_count);
}

std::size_t batch_parts::find_other(std::size_t own) const {
  auto const first = own == 0 ? own : own - 1, last = std::min(own + 1, parts_.size() - 1);
  auto const neighbour = parts_[first].count() > parts_[last].count() ? first : last;
  if (parts_[neighbour].count() > 0) return neighbour;
  return std::size_t(std::ranges::max_element(parts_, {}, &part::count) - parts_.begin());
}

task_run batch_parts::take_front(task_run& from, std::uint64_t max_count) {
  auto const count = std::size_t(std::min<std::uint64_t>(max_count, from.count));
  from.first += count;
  from.count -= count;
  return {from.first - count, count};
}

task_run batch_parts::take_back(task_run& from, std::uint64_t max_count) {
  auto const count = std::size_t(std::min<std::uint64_t>(max_count, from.count));
  from.count -= count;
  return {from.end(), count};
}

bool batch_parts::empty() const {
  return std::ranges::all_of(parts_, [](auto const& part) { return part.count() == 0; });
}

std::vector<task_run> batch_parts::rest() const {
  std::vector<task_run> all;
  for (auto const& part : parts_)
    for (auto const& run : {part.before, part.behind})
      if (run.count > 0) all.push_back(run);
  return all;
}

std::vector<task_run> batch_parts::take_rest() {
  auto all = rest();
  for (auto& part : parts_) part = {};
  return all;
}

void throw_if_cancelled(cancelled_counts const& cancelled, std::uint64_t number) {
  auto const found = cancelled.find(number);
  if (found != cancelled.end()) throw cancelled_batch(found->second);
}

void backlog::throw_if_closed() const {
  if (closed_) throw error("the queue is closed; start() opens it again");
  if (failure_) std::rethrow_exception(failure_);
}

void backlog::check_open() const {
  std::lock_guard const hold(mutex_);
  throw_if_closed();
}

completion backlog::add(std::shared_ptr<prepared_tasks const> tasks, int priority, bool is_urgent) {
  check_open();  // before it takes much memory
  if (tasks->has_grids()) tasks = std::make_shared<prepared_tasks const>(tasks->expand_grids());
  auto const size = tasks->records().size();
  auto const borders = cut(*tasks);
  auto batch = std::make_shared<backlog_batch>(std::move(tasks), batch_parts(borders),
                                               batch_costs(size, sections_of(size, parts_)), size,
                                               std::vector<device_share>(devices_), priority, is_urgent);
  std::lock_guard const hold(mutex_);
  throw_if_closed();
  batch->number = next_;
  batches_.emplace(next_, batch);
  if (size > 0) open_batch(std::move(batch));
  waiting_ += size;
  accepted_ += size;
  auto const number = next_++;
  return run_ == nullptr ? completion() : run_->completion_of(number);
}

void backlog::open_batch(std::shared_ptr<backlog_batch> batch) {
  auto const rank = [](auto const& one) { return std::pair(one->is_urgent, one->priority); };
  auto const at = std::ranges::upper_bound(open_, rank(batch), std::greater(), rank);
  are_begun_in_order_ = open_.empty() || (are_begun_in_order_ && at == open_.end());
  open_.insert(at, std::move(batch));
}

std::vector<std::size_t> backlog::cut(prepared_tasks const& tasks) const {
  if (parts_ == 1) return {0, tasks.records().size()};
  std::lock_guard const hold(mutex_);
  return learned_.cut(kind_of(tasks), parts_);
}

std::uint32_t backlog::next_kernel() const {
  std::lock_guard const hold(mutex_);
  return open_.empty() ? 0 : open_.front()->tasks->records().front().kernel();
}

std::optional<backlog_piece> backlog::take(std::size_t device, std::uint64_t max_count) {
  std::lock_guard const hold(mutex_);
  return take_first(device, max_count);
}

bool backlog::has_urgent() const {
  std::lock_guard const hold(mutex_);
  return !open_.empty() && open_.front()->is_urgent;
}

std::optional<backlog_piece> backlog::take_urgent(std::size_t device, std::uint64_t max_count) {
  std::lock_guard const hold(mutex_);
  if (open_.empty() || !open_.front()->is_urgent) return std::nullopt;
  return take_first(device, max_count);
}

std::optional<backlog_piece> backlog::take_first(std::size_t device, std::uint64_t max_count) {
  if (open_.empty() || max_count == 0) return std::nullopt;
  auto const batch = open_.front();
  if (!std::exchange(batch->has_begun, true)) ++begun_;
  auto const taken = batch->left.take(device, max_count);
  ++batch->given;
  waiting_ -= taken.count;
  if (batch->left.empty()) open_.pop_front();
  return backlog_piece{batch, taken.first, taken.count};
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

void backlog::finish(backlog_piece const& piece, std::size_t device, execution const& when,
                     std::uint32_t workers) {
  std::lock_guard const hold(mutex_);
  auto& share = piece.batch->shares[device];
  share.when.first_begin_ns =
      share.tasks == 0 ? when.first_begin_ns : std::min(share.when.first_begin_ns, when.first_begin_ns);
  share.when.last_end_ns = std::max(share.when.last_end_ns, when.last_end_ns);
  share.when.work_ns += when.work_ns;
  share.tasks += piece.count;
  done_ += piece.count;
  --piece.batch->given;
  piece.batch->costs.add({piece.first, piece.count}, double(when.work_ns) / double(workers));
  bool const is_last = piece.batch->unfinished.fetch_sub(piece.count) == piece.count;
  begun_ -= is_last;
  if (is_last && piece.batch->costs.are_known() && !cancelled_.contains(piece.batch->number))
    learned_.learn(kind_of(*piece.batch->tasks), std::move(piece.batch->costs));
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

// After a failure other devices continue until they are stopped.
bool backlog::has_ended(std::uint64_t number) const {
  auto const batch = find(number);
  if (!batch || batch->unfinished.load() == 0) return true;
  std::lock_guard const hold(mutex_);
  if (is_settled_) return true;
  bool const nobody_takes = takers_ == 0 || (batch->has_lost && batch->left.empty());
  return failure_ && batch->given == 0 && nobody_takes;
}

// After a failure, batches that no device has begun end.
std::uint64_t backlog::max_overtaken() const {
  std::lock_guard const hold(mutex_);
  return failure_ || is_settled_ || !are_begun_in_order_ ? ~std::uint64_t(0) : begun_;
}

std::uint64_t backlog::unfinished() const {
  std::lock_guard const hold(mutex_);
  return accepted_ - done_;
}

/// Moves to the oldest unfinished batch; false if it is further than this many batches.
bool backlog::find_oldest(std::size_t looks) {
  auto at = batches_.lower_bound(oldest_);
  for (; at != batches_.end() && at->second->unfinished.load() == 0; ++at)
    if (looks-- == 0) break;
  oldest_ = at == batches_.end() ? next_ : at->first;
  return at == batches_.end() || at->second->unfinished.load() != 0;
}

// Feeding threads wait for the mutex, so it is released after some batches that nobody forgot.
queue_progress backlog::progress() {
  for (;;) {
    std::lock_guard const hold(mutex_);
    if (!find_oldest(1'000)) continue;
    queue_progress now{.submitted = accepted_, .done = done_, .waiting = waiting_};
    if (auto const oldest = batches_.find(oldest_); oldest != batches_.end())
      now.oldest = clock::now() - oldest->second->since;
    return now;
  }
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

void backlog::sleep_until_finished(std::uint64_t number, deadline until) {
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
  for (auto const& batch : open_) append_rest(batch, returned_);
  open_.clear();
  waiting_ = 0;
  auto all = tasks_in(returned_, kernels);
  returned_.clear();
  return all;
}

std::vector<backlog_piece> backlog::take_rest(std::shared_ptr<backlog_batch> const& of) {
  std::vector<backlog_piece> rest;
  if (auto const at = std::ranges::find(open_, of); at != open_.end()) {
    append_rest(of, rest);
    for (auto const& piece : rest) waiting_ -= piece.count;
    are_begun_in_order_ = are_begun_in_order_ && at == open_.begin();  // later batches are yet to begin
    open_.erase(at);
  }
  auto const is_of_it = [&](backlog_piece const& piece) { return piece.batch == of; };
  std::ranges::copy_if(returned_, std::back_inserter(rest), is_of_it);
  std::erase_if(returned_, is_of_it);
  return rest;
}

// Makes the tasks after the lock, for which feeding threads wait.
std::vector<task> backlog::cancel(std::uint64_t number, kernel_set const& kernels) {
  std::vector<backlog_piece> rest;
  {
    std::lock_guard const hold(mutex_);
    auto const found = batches_.find(number);
    if (found == batches_.end()) return {};
    auto const batch = found->second;
    auto const noted = cancelled_.try_emplace(number, 0).first;  // first: it may throw
    rest = take_rest(batch);
    std::size_t count = 0;
    for (auto const& piece : rest) count += piece.count;
    noted->second += count;
    if (noted->second == 0) cancelled_.erase(noted);
    if (count == 0) return {};
    accepted_ -= count;
    bool const has_ended = batch->unfinished.fetch_sub(count) == count;
    begun_ -= has_ended && batch->has_begun;
    changed_.notify();
  }
  return tasks_in(rest, kernels);
}

cancelled_counts backlog::cancelled() const {
  std::lock_guard const hold(mutex_);
  return cancelled_;
}

void backlog::check_not_cancelled(std::uint64_t number) const {
  std::lock_guard const hold(mutex_);
  throw_if_cancelled(cancelled_, number);
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
  cancelled_.clear();
  created_.clear();
  accepted_ = done_ = 0;
  waiting_ = 0;
  failure_ = nullptr;
  run_ = run;
  is_settled_ = false;
  takers_ = 0;
  begun_ = 0;
  are_begun_in_order_ = true;
  closed_ = false;
}

}  // namespace ballast::detail
