// SPDX-License-Identifier: Apache-2.0
#include "ranks/job_ranks.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "arrays/range_map.hpp"
#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "plan/job_failed.hpp"

namespace ballast::detail {
namespace {

/// The ranks that have the same bytes, ascending. An empty list, which would otherwise mean no rank, stands
/// for all ranks.
using holders = std::vector<std::uint32_t>;

std::uint32_t distance(std::uint32_t one, std::uint32_t other) {
  return one < other ? other - one : one - other;
}

bool lacks(holders const& have, std::uint32_t rank) {
  return !have.empty() && !std::ranges::binary_search(have, rank);
}

constexpr std::uint64_t scale = std::uint64_t(1) << 20;  // unit of weights, which are units per ns
constexpr std::uint64_t least_gain_percent = 3;

std::uint64_t part_of(std::uint64_t whole, std::uint64_t of, std::uint64_t total) {
  __extension__ using wide = unsigned __int128;
  return std::uint64_t(wide(whole) * of / total);
}

/// The speeds of the ranks; empty if the speed of any rank is unknown.
std::vector<std::uint64_t> speeds_of(std::span<rank_time const> of_ranks) {
  std::vector<std::uint64_t> speeds;
  for (auto const& one : of_ranks) {
    if (one.units == 0 || one.ns == 0 || one.units > std::numeric_limits<std::uint64_t>::max() / scale)
      return {};
    speeds.push_back(std::max<std::uint64_t>(one.units * scale / one.ns, 1));
  }
  return speeds;
}

std::string range_text(index_range elements) {
  return std::to_string(elements.begin) + " to " + std::to_string(elements.end);
}

std::string use_text(access_request const& what) {
  switch (what.use) {
    case host_use::read:
      return what.rank ? "a read on rank " + std::to_string(*what.rank) : "a read";
    case host_use::write:
      return "a write";
    case host_use::update:
      return "an update";
    default:
      return "a release";
  }
}

/// Describes a job as a step. Contains only values that are equal on ranks that do the same, so no function
/// addresses.
std::string step_text(job_record const& job) {
  auto const& blocks = job.grid().blocks();
  auto text = "job '" + job.report.name + "' of kernel " + job.request.kernel_name + " over " +
              std::to_string(blocks.x) + " x " + std::to_string(blocks.y) + " x " + std::to_string(blocks.z) +
              " blocks";
  for (auto const& argument : job.request.arguments)
    text += std::string(argument.reads() ? argument.writes() ? ", updates " : ", reads " : ", writes ") +
            argument.array->name();
  return text;
}

bool reads(host_use use) { return use != host_use::write && use != host_use::give_up; }
bool writes(host_use use) { return use == host_use::write || use == host_use::update; }

/// The units of the job, and the time that its slowest device spent in kernels.
rank_time time_of(job_report const& job) {
  rank_time time;
  std::map<std::uint32_t, std::uint64_t> ns_of_devices;
  for (auto const& task : job.tasks) {
    time.units += task.part.count;
    time.ns = std::max(time.ns, ns_of_devices[task.device] += std::uint64_t(task.end_ns - task.begin_ns));
  }
  return time;
}

/// Larger exchanges are divided: the next piece is copied from a device while one travels.
constexpr std::size_t max_exchange_bytes = 8 << 20;

}  // namespace

class rank_ledger::array_holders {
 public:
  explicit array_holders(std::size_t bytes) : of_bytes(bytes, {}) {}

  range_map<holders> of_bytes;
};

rank_ledger::rank_ledger(std::uint32_t ranks) : ranks_(ranks), turns_(ranks) {}
rank_ledger::~rank_ledger() = default;

void rank_ledger::add(array_id array, std::size_t bytes) {
  if (arrays_.size() <= array.value()) arrays_.resize(array.value() + 1);
  arrays_[array.value()] = std::make_unique<array_holders>(bytes);
}

void rank_ledger::forget(array_id array) { arrays_[array.value()].reset(); }

/// The holder that is free first; among equals the one nearest to `to`: ranks of a host have neighbouring
/// numbers.
std::uint32_t rank_ledger::best_source(std::vector<std::uint32_t> const& holders, std::uint32_t to) const {
  return *std::ranges::min_element(
      holders, {}, [&](std::uint32_t rank) { return std::pair(turns_[rank], distance(rank, to)); });
}

void rank_ledger::fetch(std::uint32_t rank, array_use const& use, std::vector<rank_exchange>& exchanges) {
  std::vector<rank_exchange> found;
  use.read.for_each_interval([&](byte_range interval) {
    arrays_[use.array.value()]->of_bytes.visit(interval, [&](byte_range bytes, holders const& have) {
      if (!lacks(have, rank)) return;
      auto const from = best_source(have, rank);
      auto same = std::ranges::find(found, from, &rank_exchange::from);
      if (same == found.end()) same = found.insert(same, {use.array, from, rank});
      append(same->bytes, bytes);
    });
  });
  for (auto const& exchange : found) record_arrivals(exchange);
  exchanges.insert(exchanges.end(), found.begin(), found.end());
}

void rank_ledger::record_arrivals(rank_exchange const& exchange) {
  turns_[exchange.to] = std::max(turns_[exchange.to], ++turns_[exchange.from]);
  for (auto const bytes : exchange.bytes)
    arrays_[exchange.array.value()]->of_bytes.change(bytes, [&](holders& have) {
      have.insert(std::ranges::lower_bound(have, exchange.to), exchange.to);
      if (have.size() == ranks_) have.clear();
    });
}

// Ranks fetch values from before the step, so all writes come after all reads. If a map throws, nothing has
// changed.
std::vector<rank_exchange> rank_ledger::step(uses_of_rank const& uses) {
  std::vector<rank_exchange> exchanges;
  std::vector<std::vector<array_use>> all;
  turns_.assign(ranks_, 0);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) all.push_back(uses(rank));
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    for (auto const& use : all[rank]) fetch(rank, use, exchanges);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    for (auto const& use : all[rank])
      use.written.for_each_interval(
          [&](byte_range bytes) { arrays_[use.array.value()]->of_bytes.assign(bytes, {rank}); });
  return exchanges;
}

void rank_ledger::record_common_write(array_id array, byte_runs const& bytes) {
  bytes.for_each_interval(
      [&](byte_range interval) { arrays_[array.value()]->of_bytes.assign(interval, {}); });
}

bool rank_shares::is_due(job_site const& site) const {
  auto const found = sites_.find(site);
  return found != sites_.end() && found->second.jobs > 1 && std::has_single_bit(found->second.jobs);
}

void rank_shares::learn(job_site const& site, std::span<rank_time const> of_ranks) {
  auto const speeds = speeds_of(of_ranks);
  if (speeds.empty()) return;
  std::uint64_t units = 0, slowest_ns = 0, speed = 0;
  for (auto const& one : of_ranks) units += one.units, slowest_ns = std::max(slowest_ns, one.ns);
  for (auto const one : speeds) speed += one;
  auto const together_ns = part_of(units, scale, speed);
  if (together_ns < part_of(slowest_ns, 100 - least_gain_percent, 100)) sites_[site].weights = speeds;
}

index_range rank_shares::part(job_site const& site, std::uint64_t units, std::uint32_t rank) const {
  auto const found = sites_.find(site);
  if (found == sites_.end() || found->second.weights.empty()) return part_of_rank(units, rank, ranks_);
  auto const& weights = found->second.weights;
  auto const first = weights.begin();
  auto const total = std::accumulate(first, weights.end(), std::uint64_t(0));
  auto const border = [&](std::uint32_t of) {
    return part_of(units, std::accumulate(first, first + of, std::uint64_t(0)), total);
  };
  return {border(rank), border(rank + 1)};
}

index_range part_of_rank(std::size_t whole, std::uint32_t rank, std::uint32_t ranks) {
  auto const first_of = [&](std::uint32_t one) {
    return whole / ranks * one + std::min<std::size_t>(one, whole % ranks);
  };
  return {first_of(rank), first_of(rank + 1)};
}

void exchange_plan::add(array_id array, exchanged_bytes what) {
  auto state = planner_.arrays().find(array);
  if (state == nullptr) return;
  byte_runs const bytes(what.bytes);
  array_use use{array, what.is_sent ? bytes : byte_runs(), what.is_sent ? byte_runs() : bytes};
  auto const turn = planner_.take_turn(use);
  ++unfinished_;
  (what.is_sent ? sent_ : received_) += bytes.bytes();
  waiting_.push_back({turn, std::move(use), std::move(state), std::move(what)});
}

void exchange_plan::advance() {
  planner_.advance([this] {
    for (auto const& job : planner_.jobs()) {
      if (!plan_before(job->number)) return;
      planner_.plan(job);
      if (!job->is_planned()) return;
    }
    plan_before(planner_.next_turn());
  });
}

/// Plans the exchanges before that turn. True if all of them are now planned: a host access may prevent it.
bool exchange_plan::plan_before(job_number turn) {
  for (; !waiting_.empty() && waiting_.front().turn < turn; waiting_.pop_front()) {
    auto const& next = waiting_.front();
    if (!planner_.has_come(next.turn, next.use)) return false;
    plan(next);
    planner_.end_turn(next.turn);
  }
  return true;
}

/// Plans to send or receive the bytes. Lost bytes are not sent: their job has failed, and the other ranks'
/// jobs will too. Exchanges end in any order, so each has its own stream.
void exchange_plan::plan(waiting_exchange const& exchange) {
  auto const& [turn, use, array, what] = exchange;
  if (losing_job(array->directory, use.read)) {
    --unfinished_;
    return;
  }
  planner_.arrays().fetch_to(array, use.read, host_place, {}, {});
  auto const op = ops_.add(op_kind::exchange, planner_.host_stream(newest_++));
  record_reads(array->directory, op, host_place, use.read);
  record_writes(array->directory, op, host_place, use.written);
  sink_.take(exchange_work{op, array, what});
}

void exchange_plan::handle_end(exchange_work const& exchange) {
  --unfinished_;
  retired_.any.push_back(exchange.array);
}

void exchange_plan::abandon(std::exception_ptr const& why) {
  for (auto const& one : waiting_) planner_.end_turn(one.turn);
  unfinished_ -= waiting_.size();
  waiting_.clear();
  planner_.abandon(why);
}

job_ranks::job_ranks(std::shared_ptr<job_peers> peers, exchange_plan plan, listeners told)
    : peers_(std::move(peers)),
      rank_(peers_->rank()),
      ranks_(peers_->ranks()),
      told_(std::move(told)),
      plan_(std::move(plan)),
      ledger_(ranks_),
      shares_(ranks_),
      port_(
          peers_, [this](std::shared_ptr<operation_progress> of) { end(of); },
          [this](std::exception_ptr why) { fail(std::move(why)); }, [this] { changed_.notify(); }) {
  try {
    thread_ = start_thread(
        "the exchanges of jobs", [this] { run(); }, "ballast-ranks");
  } catch (...) {
    port_.close(false);
    throw;
  }
}

job_ranks::~job_ranks() { stop(false); }

void job_ranks::add(array_state const& array) {
  std::string sizes;
  for (auto const size : array.shape.sides()) sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
  note_step(array.name() + " of " + sizes + " elements of " + counted(array.element_bytes, "byte"));
  ledger_.add(array.id, array.bytes());
}

void job_ranks::begin(job_record& job) {
  job.own = part_of(job, rank_);
  note_step(step_text(job));
  shares_.count(job.site());
  newest_[job.site()] = job.end;
  add(ledger_.step([&](std::uint32_t rank) {
    auto const part = part_of(job, rank);
    return part.count == 0 ? std::vector<array_use>() : *job.uses(part);
  }));
}

void job_ranks::begin(array_state const& array, access_request const& what) {
  bool const are_own = what.elements == own_elements;
  note_step(use_text(what) + " of " + (are_own ? "own elements" : "elements " + range_text(what.elements)) +
            " of " + array.name());
  auto const bytes_of = [&](index_range range) {
    return byte_runs(region({range}), array.shape, array.element_bytes);
  };
  auto const exchanges = ledger_.step([&](std::uint32_t rank) {
    auto const bytes = bytes_of(elements_of(array, what, rank));
    bool const is_alone = are_own && writes(what.use);
    return std::vector{
        array_use{array.id, reads(what.use) ? bytes : byte_runs(), is_alone ? bytes : byte_runs()}};
  });
  if (writes(what.use) && !are_own) ledger_.record_common_write(array.id, bytes_of(what.elements));
  add(exchanges);
}

job_part job_ranks::part_of(job_record const& job, std::uint32_t rank) const {
  auto const units = shares_.part(job.site(), job.units(), rank);
  return {std::uint32_t(units.begin), std::uint32_t(units.end - units.begin)};
}

std::shared_ptr<job_end> job_ranks::job_to_learn_from(job_site const& site) const {
  return shares_.is_due(site) ? newest_.at(site) : nullptr;
}

std::vector<rank_time> job_ranks::compare(job_report const& newest, deadline until) {
  port_.tell_time(step_, time_of(newest));
  for (;;) {
    auto const seen = changed_.epoch();
    if (auto all = port_.take_times(step_)) return *std::move(all);
    {
      std::lock_guard const hold(mutex_);
      if (failure_) std::rethrow_exception(failure_);
    }
    if (!changed_.wait_past(seen, until))
      throw timed_out("the times of the other ranks, by which they share a job", port_.missing_times(step_));
  }
}

index_range job_ranks::elements_of(array_state const& array, access_request const& what,
                                   std::uint32_t rank) const {
  if (what.rank && *what.rank != rank) return {};
  if (what.elements != own_elements) return what.elements;
  auto const rows = array.shape[0];
  if (rows == 0) return {};
  auto const each = array.shape.elements() / rows;
  auto const own = part_of_rank(rows, rank, ranks_);
  return {own.begin * each, own.end * each};
}

/// Adds those of the exchanges in which this rank takes part.
void job_ranks::add(std::vector<rank_exchange> const& all) {
  std::uint32_t index = 0;
  for (auto const& one : all)
    for (auto& bytes : pieces_of(one.bytes, max_exchange_bytes)) {
      exchange_id const id{step_, index++};
      if (one.from == rank_)
        plan_.add(one.array, {id, true, one.to, std::move(bytes)});
      else if (one.to == rank_)
        plan_.add(one.array, {id, false, one.from, std::move(bytes)});
    }
}

void job_ranks::note_step(std::string text) {
  ++step_;
  port_.note_step(std::move(text));
}

void job_ranks::begin(exchange_work const& work, std::shared_ptr<operation_progress> progress) {
  port_.begin(work.what, work.array->host_memory(), work.array->host_owner(), std::move(progress));
}

/// Runs on the thread of the messages.
void job_ranks::end(std::shared_ptr<operation_progress> const& progress) {
  progress->mark_ended(now_ns());
  for (auto left = progress->watchers(); left != 0; left &= left - 1)
    told_.wake(std::uint32_t(std::countr_zero(left)));
  {
    std::lock_guard const hold(mutex_);
    ended_.push_back({progress->op()});
  }
  changed_.notify();
}

void job_ranks::fail(std::exception_ptr why) {
  {
    std::lock_guard const hold(mutex_);
    if (!failure_) failure_ = std::move(why);
  }
  changed_.notify();
}

void job_ranks::leave() {
  {
    std::lock_guard const hold(mutex_);
    if (!failure_) {
      has_left_ = true;  // set with the failure: a thread that sees the failure sees this too
      failure_ = std::make_exception_ptr(error("an exception has ended the scheduler of this rank"));
    }
  }
  changed_.notify();
}

void job_ranks::stop(bool is_over) {
  {
    std::lock_guard const hold(mutex_);
    if (std::exchange(is_stopping_, true)) return;
  }
  changed_.notify();
  thread_.join();
  if (!has_failed_) port_.close(is_over, "its job scheduler went before all was exchanged");
}

/// Reports ends and the failure, until stop(); later ends concern nobody.
void job_ranks::run() {
  for (;;) {
    auto const seen = changed_.epoch();
    bool const any = tell_ends();
    std::unique_lock hold(mutex_);
    auto const why = has_failed_ ? nullptr : failure_;
    bool const is_last = is_stopping_;
    hold.unlock();
    if (why) abandon(why);
    if (is_last) return;
    if (!any && !why) changed_.wait_past(seen, clock::time_point::max());
  }
}

bool job_ranks::tell_ends() {
  std::vector<ended_operation> ended;
  {
    std::lock_guard const hold(mutex_);
    ended.swap(ended_);
  }
  if (!ended.empty()) told_.ended(ended);
  return !ended.empty();
}

void job_ranks::abandon(std::exception_ptr const& why) {
  has_failed_ = true;
  port_.close(false, has_left_ ? std::string() : cause_of(why));
  tell_ends();
  told_.failed(why);
}

}  // namespace ballast::detail
