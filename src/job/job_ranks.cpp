// SPDX-License-Identifier: Apache-2.0
#include "job_ranks.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "ballast/error.hpp"
#include "ballast/start_threads.hpp"
#include "job_failed.hpp"

namespace ballast::detail {
namespace {

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

/// The text contains only what may differ between ranks that run one binary, so not the addresses of its
/// functions.
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

}  // namespace

job_ranks::job_ranks(std::shared_ptr<job_peers> peers, listeners told)
    : peers_(std::move(peers)),
      rank_(peers_->rank()),
      ranks_(peers_->ranks()),
      told_(std::move(told)),
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
  note_step(array.name() + " of " + sizes + " elements of " + std::to_string(array.element_bytes) + " bytes");
  ledger_.add(array.id, array.bytes());
}

std::vector<own_exchange> job_ranks::begin(job_record const& job) {
  note_step(step_text(job));
  shares_.count(job.site());
  newest_[job.site()] = job.end;
  return own(ledger_.step([&](std::uint32_t rank) {
    auto const part = part_of(job, rank);
    return part.count == 0 ? std::vector<array_use>() : *job.uses(part);
  }));
}

std::vector<own_exchange> job_ranks::begin(array_state const& array, access_request const& what) {
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
  return own(exchanges);
}

job_part job_ranks::part_of(job_record const& job, std::uint32_t rank) const {
  auto const units = shares_.part(job.site(), job.units(), rank);
  return {std::uint32_t(units.begin), std::uint32_t(units.end - units.begin)};
}

namespace {

/// The time in which its slowest device ran kernels.
rank_time time_of(job_report const& job) {
  rank_time time;
  std::map<std::uint32_t, std::uint64_t> ns_of_devices;
  for (auto const& task : job.tasks) {
    time.units += task.part.count;
    time.ns = std::max(time.ns, ns_of_devices[task.device] += std::uint64_t(task.end_ns - task.begin_ns));
  }
  return time;
}

}  // namespace

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

namespace {

/// So much of an exchange is one of its own: the next is copied from a device while it travels.
constexpr std::size_t max_exchange_bytes = 8 << 20;

/// The ranges in turn, cut into lists of at most this many bytes.
std::vector<std::vector<byte_range>> pieces_of(std::vector<byte_range> const& bytes) {
  std::vector<std::vector<byte_range>> pieces;
  std::size_t room = 0;
  for (auto rest : bytes)
    while (!rest.is_empty()) {
      if (room == 0) {
        pieces.emplace_back();
        room = max_exchange_bytes;
      }
      auto const size = std::min(room, rest.size());
      pieces.back().push_back({rest.begin, rest.begin + size});
      rest.begin += size;
      room -= size;
    }
  return pieces;
}

}  // namespace

std::vector<own_exchange> job_ranks::own(std::vector<rank_exchange> const& all) {
  std::vector<own_exchange> mine;
  std::uint32_t index = 0;
  for (auto const& one : all)
    for (auto& bytes : pieces_of(one.bytes)) {
      exchange_id const id{step_, index++};
      if (one.from == rank_)
        mine.push_back({one.array, {id, true, one.to, std::move(bytes)}});
      else if (one.to == rank_)
        mine.push_back({one.array, {id, false, one.from, std::move(bytes)}});
    }
  return mine;
}

void job_ranks::note_step(std::string text) {
  ++step_;
  port_.note_step(std::move(text));
}

void job_ranks::begin(exchange_work const& work, std::shared_ptr<operation_progress> progress) {
  port_.begin(work.what, work.array->host_memory(), work.array->host_owner(), std::move(progress));
}

/// On the thread of the messages.
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
      has_left_ = true;  // together: a thread that sees the failure sees this
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

/// Runs until the port is closed; what has ended by then concerns no one any more.
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
