// SPDX-License-Identifier: Apache-2.0
#include "ballast/cluster_queue.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <shared_mutex>
#include <utility>

#include "ballast/detail/base/age.hpp"
#include "ballast/detail/base/source_run.hpp"
#include "cluster_member.hpp"
#include "cluster_thread.hpp"
#include "local_devices.hpp"
#include "message_codec.hpp"
#include "published_arrays.hpp"
#include "rank_agreement.hpp"
#include "travel.hpp"

namespace ballast {

using namespace detail;
namespace {

/// Messages of the queue itself, besides those of the protocol.
enum class own_kind : std::uint8_t { agree = 100, agreed, report, reported };

constexpr std::int64_t min_done_interval_ns = 100'000, done_interval_of_rank_ns = 10'000;
constexpr std::size_t max_waiting_messages = 8;
constexpr auto report_timeout = std::chrono::seconds(1);

std::int64_t ns(clock::time_point at) { return std::chrono::nanoseconds(at.time_since_epoch()).count(); }

/// The interval of a rank's reports to an origin, chosen so that the reports of all ranks to one rank take a
/// small part of its time.
std::int64_t done_interval_ns(std::uint32_t ranks) {
  return ranks == 1 ? 0 : std::max(min_done_interval_ns, ranks * done_interval_of_rank_ns);
}

constexpr agreement on_devices = {
    "devices", &twice_used_gpu,
    "GPUs that no other rank of the host has, or a part for each, such as cuda:0@32"};

std::uint32_t workers_on_cores(device_list const& devices) {
  std::uint32_t workers = 0;
  for (auto const& device : devices)
    if (device->capabilities().runs_on_cores) workers += std::uint32_t(device->properties().multiprocessors);
  return workers;
}

/// The exception without the tasks that a rank_lost holds, since it is kept until the process ends.
std::exception_ptr without_tasks(std::exception_ptr const& why) {
  try {
    std::rethrow_exception(why);
  } catch (rank_lost const& lost) {
    return std::make_exception_ptr(rank_lost(lost.what(), lost.ranks(), {}));
  } catch (...) { return why; }
}

}  // namespace

class cluster_queue::state final : public cluster_channel, public completion_source {
 public:
  state(cluster& over, device_list const& devices, kernel_set const& kernels, cluster_queue_options options);
  ~state() override;

  completion submit(std::span<task const> batch);
  void publish(void const* first, std::size_t bytes);
  void wait_all(deadline until);
  void close(deadline until);
  std::vector<task> stop();
  std::vector<std::uint64_t> tasks_by_rank();
  std::string describe();
  clock::duration timeout() const { return options_.devices.queue.timeout; }

  // Called by the cluster's thread.
  void receive(std::uint32_t from, envelope const& what, std::span<std::byte const> message) override;
  void hear_of_end(std::uint32_t from) override {
    member_.receive(from, {.what = cluster_message::kind::end});
  }
  void lose(std::uint32_t rank, std::string const& why) override;
  std::int64_t step(std::int64_t now_ns) override;
  void fail(std::exception_ptr why) override;

  // For completions, which name batches by number.
  bool has_ended(completion_key const& work) override;
  void wait(completion_key const& work, deadline until) override { await(work.first, until); }
  clock::duration timeout(completion_key const&) const override { return timeout(); }
  bool needs_no_launch(completion_key const&) override { return true; }
  std::uint64_t max_overtaken(completion_key const& work) override;
  bool notify_at_end(completion_key const&, std::shared_ptr<end_listener> const& listener) override {
    changed_.forward_to(listener);
    return true;
  }

 private:
  cluster_thread& thread() { return *thread_; }
  std::uint32_t rank() const { return thread_->place().rank; }
  std::uint32_t ranks() const { return thread_->place().ranks; }

  void wait_until(deadline until, char const* what, auto const& is_met);
  void check_open() const;
  void await(std::uint64_t number, deadline until);
  void await_end(deadline until);
  void throw_if_failed() const;
  void take_back_unexecuted();
  void leave(std::string_view why);
  void detach();
  std::unique_ptr<run_outcome const> outcome() const;
  void agree(agreement const& on, std::string const& text);
  void send_text(std::uint32_t to, own_kind what, std::string_view text);
  std::shared_ptr<range_load> own_load(std::uint32_t from, task_range const& range) const;
  void receive_done(std::uint32_t from, message_codec::decoded const& message);
  void feed(std::int64_t now_ns);
  void add_created(local_devices::created_tasks const& tasks);
  bool feeds_devices_with(task_range const* next);
  void say(cluster_member::decision const& next, std::int64_t now_ns);
  void note_ended();
  rank_lost loss_of(std::vector<task> perhaps_run) const;
  std::vector<task> tasks_of(ended_batch const& batch, std::vector<number_set::range> const& ranges) const;
  std::string state_text();
  std::string describe_ranks();

  cluster_thread* thread_;
  next_channel channel_;
  kernel_set const* kernels_;
  cluster_queue_options const options_;
  /// Held to change published_, besides the cluster's lock; submit() holds only this mutex while it checks
  /// tasks.
  std::shared_mutex publishing_;
  published_arrays published_;
  message_codec codec_;
  cluster_member member_;
  local_devices devices_;
  source_run* run_ = nullptr;
  event_count changed_;

  // Guarded by the cluster's lock:
  bool is_attached_ = false;
  struct open_batch {
    std::shared_ptr<range_load> load;
    clock::time_point submitted;
  };
  std::map<std::uint64_t, open_batch> open_;
  std::map<std::uint64_t, std::exception_ptr> failed_;
  std::uint64_t ended_below_ = 0;  ///< batches from this one on have not ended
  std::exception_ptr failure_;
  std::vector<task> returned_;
  std::vector<std::uint64_t> by_rank_;
  round_trip round_trip_;
  rank_agreement agreement_;
  said_by_ranks reports_;
  int const exceptions_ = std::uncaught_exceptions();
};

cluster_queue::state::state(cluster& over, device_list const& devices, kernel_set const& kernels,
                            cluster_queue_options options)
    : thread_(&over.thread()),
      channel_(*thread_),
      kernels_(&kernels),
      options_(std::move(options)),
      codec_((check_set(kernels), kernels), published_),
      member_(rank(), ranks(),
              make_share_policy(options_.policy, {rank(), ranks(), thread_->place().host_first,
                                                  thread_->place().host_ranks, options_.seed}),
              done_interval_ns(ranks())),
      devices_(devices, kernels, options_.devices, codec_.max_result_bytes()),
      by_rank_(ranks()),
      agreement_(
          rank(), ranks(),
          {[this](std::uint32_t other) { return member_.is_lost(other); },
           [this](std::string const& text) { send_text(0, own_kind::agree, text); },
           [this](std::uint32_t to, std::string const& fault) { send_text(to, own_kind::agreed, fault); }}) {
  devices_.notify(thread().wake_event());
  if (auto const advice = advice_on_cores(cores_of_process(), workers_on_cores(devices));
      ranks() > 1 && !advice.empty())
    write_log(log_level::warning, advice);
  run_ = &source_run::begin(*this);
  try {
    {
      auto const hold = thread().lock();
      channel_.open(*this);
      is_attached_ = true;
    }
    agree({"kernels", &difference_of, "the same on all ranks, in the same order"}, detail::describe(kernels));
    agree({"policy"}, options_.policy);
    agree(on_devices, describe_gpus(thread().place().host_first, devices));
  } catch (...) {
    {
      auto const hold = thread().lock();
      leave(cause_of(std::current_exception()));
    }
    detach();
    run_->end(nullptr);
    throw;
  }
}

cluster_queue::state::~state() {
  {
    // One lock for all steps: between them the cluster's thread would take the leaving for a failure.
    auto const hold = thread().lock();
    leave(std::uncaught_exceptions() > exceptions_ ? "" : "its queue went without close()");
    for (auto const& [number, batch] : open_)
      failed_.emplace(number, failure_ ? failure_
                                       : std::make_exception_ptr(stopped("the cluster queue is gone",
                                                                         batch.load->records().size())));
  }
  detach();
  run_->end(outcome());
  changed_.notify();  // wakes threads that wait for work which will never run
}

std::unique_ptr<run_outcome const> cluster_queue::state::outcome() const {
  if (failed_.empty()) return nullptr;
  std::set<std::uint64_t> numbers;
  for (auto const& [number, why] : failed_) numbers.insert(number);
  auto const has_run = [numbers](completion_key const& work) { return !numbers.contains(work.first); };
  return std::make_unique<run_outcome const>(has_run, without_tasks(failed_.begin()->second));
}

// Makes this rank leave the queue: from now on no arriving result is stored, since its destination may be
// gone. Call it with the lock held.
void cluster_queue::state::leave(std::string_view why) {
  if (!is_attached_ || member_.is_over() || failure_) return;
  member_.leave();
  thread().leave(channel_.number(), why);
  thread().wake();
}

void cluster_queue::state::detach() {
  auto const hold = thread().lock();
  if (std::exchange(is_attached_, false))
    thread().close(channel_.number(), member_.is_over(), !member_.lost().empty());
}

void cluster_queue::state::agree(agreement const& on, std::string const& text) {
  {
    auto const hold = thread().lock();
    agreement_.begin(on, text);
  }
  thread().wake();
  std::string fault;
  wait_until(deadline::in(timeout()), "the other ranks", [&] {
    auto const& found = agreement_.fault();
    if (!found && member_.is_lost(0))
      throw rank_lost("rank 0 is lost, by which the others agree" + member_.why_lost(), member_.lost());
    fault = found.value_or("");
    return found.has_value();
  });
  if (!fault.empty()) throw_bad_argument(on.argument, fault, on.legal);
}

void cluster_queue::state::send_text(std::uint32_t to, own_kind what, std::string_view text) {
  auto const fitting = text.substr(0, transport::max_message_bytes - sizeof(envelope));
  thread().send(to, {channel_.number(), std::uint8_t(what)}, std::as_bytes(std::span(fitting)));
}

void cluster_queue::state::publish(void const* first, std::size_t bytes) {
  process_.check("publish()");
  std::exception_ptr refusal;
  published_id id{0};
  {
    std::lock_guard const alone(publishing_);
    auto const hold = thread().lock();
    check_open();
    try {
      id = published_.publish(first, bytes);
    } catch (bad_argument const&) {
      refusal = std::current_exception();
      published_.skip();
    }
  }
  try {
    agree({"bytes"}, refusal ? "no array" : counted(bytes, "byte"));
  } catch (...) {
    std::lock_guard const alone(publishing_);
    auto const hold = thread().lock();
    if (refusal) std::rethrow_exception(refusal);
    published_.withdraw(id);
    throw;
  }
  if (refusal) std::rethrow_exception(refusal);
}

void cluster_queue::state::throw_if_failed() const {
  if (failure_) std::rethrow_exception(failure_);
}

void cluster_queue::state::check_open() const {
  throw_if_failed();
  if (!is_attached_ || member_.is_closing()) throw error("the cluster queue is closed");
}

completion cluster_queue::state::submit(std::span<task const> batch) {
  process_.check("submit()");
  if (batch.empty()) return {};
  std::shared_ptr<range_load> load;
  {
    std::shared_lock const no_publication(publishing_);
    load = load_of(*kernels_, batch, published_);
  }
  auto const tasks = std::uint32_t(load->records().size());
  bool const may_repeat = are_repeatable(*kernels_, load->records());
  std::uint64_t number = 0;
  {
    auto const hold = thread().lock();
    check_open();
    number = member_.submit(tasks, load, may_repeat);
    open_.emplace(number, open_batch{std::move(load), clock::now()});
  }
  thread().wake();
  return run_->completion_of(number);
}

// Runs on the cluster's thread.

void cluster_queue::state::receive(std::uint32_t from, envelope const& what,
                                   std::span<std::byte const> message) {
  std::string_view const text(reinterpret_cast<char const*>(message.data()), message.size());
  switch (own_kind(what.kind)) {
    case own_kind::agree:
      agreement_.hear(from, text);
      return changed_.notify();
    case own_kind::agreed:
      agreement_.hear_answer(text);
      return changed_.notify();
    case own_kind::report:
      return send_text(from, own_kind::reported, state_text());
    case own_kind::reported:
      reports_[from] = text;
      return changed_.notify();
  }
  // The results' memory may be freed once the threads that wait for them were notified.
  if (failure_ || member_.is_given_up() || member_.is_lost(from)) return;
  auto decoded = codec_.decode(what, message, ranks());
  auto& content = decoded.message;
  using kind = cluster_message::kind;
  round_trip_.note_received(from, content.what, ns(clock::now()));
  if (content.what == kind::done) receive_done(from, decoded);
  // Tasks that return to their origin keep its load, whose addresses are local.
  if (content.what == kind::give)
    for (auto& range : content.ranges)
      if (range.origin == rank()) range.load = own_load(from, range);
  bool const tells_of_a_loss = content.what == kind::lost;
  member_.receive(from, std::move(content));
  if (!tells_of_a_loss) return;
  agreement_.note_loss();
  changed_.notify();
}

std::shared_ptr<range_load> cluster_queue::state::own_load(std::uint32_t from,
                                                           task_range const& range) const {
  auto load = member_.load_of(range.batch);
  if (range.origin == rank() && load != nullptr &&
      std::uint64_t(range.first) + range.count <= load->records().size())
    return load;
  throw error("rank " + std::to_string(from) + " has tasks that were not submitted here");
}

void cluster_queue::state::receive_done(std::uint32_t from, message_codec::decoded const& message) {
  for (std::size_t i = 0; i < message.message.ranges.size(); ++i) {
    auto const& range = message.message.ranges[i];
    auto const own = own_load(from, range);
    auto const& load = *own;
    if (!range.is_created()) by_rank_[from] += range.count;
    auto results = message.results[i];
    for (std::uint32_t k = 0; k < range.count; ++k) {
      auto const bytes = result_bytes(*kernels_, load.records()[range.first + k]);
      if (bytes > results.size()) throw error("rank " + std::to_string(from) + " sent too few results");
      if (bytes > 0) store_results(load.homes_of(range.first + k), results.first(bytes));
      results = results.subspan(bytes);
    }
  }
}

void cluster_queue::state::lose(std::uint32_t rank, std::string const& why) {
  member_.lose(rank, why);
  agreement_.note_loss();
  changed_.notify();
}

std::int64_t cluster_queue::state::step(std::int64_t now_ns) {
  if (failure_) {
    if (devices_.is_idle()) changed_.notify();  // wakes threads that wait for work which will fail
    return std::numeric_limits<std::int64_t>::max();
  }
  try {
    feed(now_ns);
  } catch (...) {
    failure_ = std::current_exception();
    member_.leave();
    thread().leave(channel_.number(), cause_of(failure_));
  }
  // A rank that missed the news of its own loss may still learn that the others have ended.
  bool const is_given_up = member_.is_given_up() || (member_.is_over() && member_.unfinished() > 0);
  if (is_given_up && !failure_)
    failure_ = std::make_exception_ptr(
        error("the other ranks heard nothing of this one for too long and go on without it"));
  auto const waiting = thread().waiting();
  auto const decided = member_.decide(
      {.now_ns = now_ns,
       .own = {0, devices_.running(), devices_.workers(), devices_.tasks_per_ns()},
       .round_trip_ns = round_trip_.ns(),
       .messages = std::uint32_t(max_waiting_messages - std::min(waiting, max_waiting_messages)),
       .piece_tasks = codec_.piece_tasks(),
       .has_created = devices_.has_created()});
  say(decided, now_ns);
  if (!failure_) devices_.fetch_created(member_.backlog() == 0 ? decided.wanting : 0);
  note_ended();
  if (failure_ || member_.is_over()) changed_.notify();
  return decided.look_again_ns;
}

void cluster_queue::state::feed(std::int64_t now_ns) {
  auto const collected = devices_.collect(now_ns);
  for (auto const& tasks : collected.created) add_created(tasks);
  for (auto const& range : collected.executed) {
    if (range.origin == rank() && !range.is_created()) by_rank_[rank()] += range.count;
    member_.executed(range);
  }
  devices_.look(now_ns, feeds_devices_with(member_.next()));
  for (auto wanted = devices_.wanted(); wanted > 0; wanted = devices_.wanted()) {
    auto const* const next = member_.next();
    if (!feeds_devices_with(next) || !devices_.has_room_for(*next)) return;
    // The results of a range return in one message.
    auto range = member_.take(std::min(wanted, codec_.piece_tasks()));
    if (range.count == 0) return;
    devices_.execute(std::move(range));
  }
}

// True if the range may go to devices. Tasks that were fetched from busy devices for other ranks do not go
// back.
bool cluster_queue::state::feeds_devices_with(task_range const* next) {
  if (next == nullptr) return false;
  return !next->is_created() || next->origin != rank() || !devices_.has_created();
}

void cluster_queue::state::add_created(local_devices::created_tasks const& tasks) {
  bool const may_repeat = are_repeatable(*kernels_, tasks.records);
  std::vector<task_record> travelling, staying;
  for (auto const& record : tasks.records)
    (may_travel(*kernels_, record, published_) ? travelling : staying).push_back(record);
  if (!travelling.empty())
    member_.created(tasks.creator, std::uint32_t(travelling.size()), load_of_created(*kernels_, travelling),
                    may_repeat);
  if (staying.empty()) return;
  auto const count = std::uint32_t(staying.size());
  auto const own =
      member_.created(tasks.creator, count, load_of_created(*kernels_, std::move(staying)), may_repeat, true);
  if (own.count > 0) devices_.execute(own);
}

void cluster_queue::state::say(cluster_member::decision const& next, std::int64_t now_ns) {
  for (auto const& [to, message] : next.messages) {
    round_trip_.note_sent(to, message.what, now_ns);
    codec_.encode(channel_.number(), message,
                  [&, to = to](std::vector<std::byte> bytes) { thread().send(to, std::move(bytes)); });
  }
}

void cluster_queue::state::note_ended() {
  auto const ended = member_.take_ended();
  for (auto const& batch : ended) {
    open_.erase(batch.number);
    ended_below_ = std::max(ended_below_, batch.number + 1);
    auto const returned = tasks_of(batch, batch.returned);
    returned_.insert(returned_.end(), returned.begin(), returned.end());
    if (!batch.perhaps_run.empty()) {
      failed_.emplace(batch.number, std::make_exception_ptr(loss_of(tasks_of(batch, batch.perhaps_run))));
    } else if (!returned.empty()) {
      failed_.emplace(batch.number,
                      std::make_exception_ptr(stopped("the cluster queue was stopped before " +
                                                          counted(returned.size(), "task") +
                                                          " of a batch had run, which stop() hands back",
                                                      returned.size())));
    }
  }
  if (!ended.empty()) changed_.notify();
}

rank_lost cluster_queue::state::loss_of(std::vector<task> perhaps_run) const {
  auto const ranks = member_.lost();
  std::string names;
  for (auto const rank : ranks) names += (names.empty() ? "" : ", ") + std::to_string(rank);
  auto const what = "of a batch " + counted(perhaps_run.size(), "task") + " may or may not have run on rank" +
                    (ranks.size() == 1 ? " " : "s ") + names +
                    (ranks.size() == 1 ? ", which is" : ", which are") +
                    " lost; a kernel that is repeatable would run again" + member_.why_lost();
  return {what, ranks, std::move(perhaps_run)};
}

std::vector<task> cluster_queue::state::tasks_of(ended_batch const& batch,
                                                 std::vector<number_set::range> const& ranges) const {
  std::vector<task> tasks;
  for (auto const& [first, count] : ranges)
    for (auto const& record : batch.load->records(first, count)) tasks.push_back(task_of(*kernels_, record));
  return tasks;
}

void cluster_queue::state::fail(std::exception_ptr why) {
  if (!failure_) failure_ = why;
  changed_.notify();
}

// Calls of its users.

bool cluster_queue::state::has_ended(completion_key const& work) {
  if (process_.is_parent()) return false;  // nobody can say
  auto const hold = thread().lock();
  return !open_.contains(work.first) || (failure_ && devices_.is_idle());
}

// Batches end in any order, but no ended batch has a number of ended_below_ or more.
std::uint64_t cluster_queue::state::max_overtaken(completion_key const& work) {
  if (process_.is_parent()) return 0;
  auto const hold = thread().lock();
  return work.first < ended_below_ || failure_ ? ~std::uint64_t(0) : 0;
}

void cluster_queue::state::wait_until(deadline until, char const* what, auto const& is_met) {
  for (wait_limit limit(until);;) {
    auto const epoch = changed_.epoch();
    {
      auto const hold = thread().lock();
      if (is_met()) return;
      throw_if_failed();
    }
    if (limit.passed()) throw timed_out(what, describe_ranks());
    changed_.wait_past(epoch, until);
  }
}

void cluster_queue::state::await(std::uint64_t number, deadline until) {
  wait_until(until, "a batch of the cluster queue", [&] {
    if (auto const failed = failed_.find(number); failed != failed_.end())
      std::rethrow_exception(failed->second);
    return !open_.contains(number);
  });
}

void cluster_queue::state::wait_all(deadline until) {
  std::uint64_t end = 0;
  {
    auto const hold = thread().lock();
    end = member_.submitted();
  }
  wait_until(until, "the tasks of the cluster queue", [&] {
    throw_if_failed();
    if (!open_.empty() && open_.begin()->first < end) return false;
    if (!failed_.empty()) std::rethrow_exception(failed_.begin()->second);
    return true;
  });
}

/// Waits until all ranks have closed the queue, or it has failed. Throws only timed_out.
void cluster_queue::state::await_end(deadline until) {
  thread().wake();
  wait_until(until, "all ranks to close the cluster queue", [&] { return failure_ || member_.is_over(); });
}

// Each call asks the devices, so that a second one reports the same.
void cluster_queue::state::close(deadline until) {
  {
    auto const hold = thread().lock();
    if (is_attached_) member_.close();
  }
  await_end(until);
  {
    auto const hold = thread().lock();
    throw_if_failed();
  }
  detach();
  devices_.close(until);
  auto const hold = thread().lock();
  if (!failed_.empty()) std::rethrow_exception(failed_.begin()->second);
}

// The returned tasks matter, not how the devices ended: close() and wait_all() report that.
std::vector<task> cluster_queue::state::stop() {
  auto const until = deadline::in(timeout());
  {
    auto const hold = thread().lock();
    if (is_attached_) member_.stop();
  }
  await_end(until);
  detach();
  try {
    devices_.close(until);
  } catch (timed_out const&) { throw; } catch (error const&) {
    devices_.stop();
  }
  changed_.notify();  // wakes threads that wait for failing work, which the cluster's thread no longer
                      // watches
  auto const hold = thread().lock();
  if (failure_) take_back_unexecuted();
  return std::exchange(returned_, {});
}

// Takes back the tasks that no rank has executed, for stop() to return. Leaves their batches open, so that
// their completions report the queue's failure.
void cluster_queue::state::take_back_unexecuted() {
  for (auto const& batch : member_.take_unexecuted()) {
    auto const tasks = tasks_of(batch, batch.returned);
    returned_.insert(returned_.end(), tasks.begin(), tasks.end());
  }
}

std::vector<std::uint64_t> cluster_queue::state::tasks_by_rank() {
  auto const hold = thread().lock();
  return by_rank_;
}

std::string cluster_queue::state::describe() {
  auto const hold = thread().lock();
  return state_text();
}

std::string cluster_queue::state::state_text() {
  auto text = "cluster queue of " + kernels_->name() + " on " + member_.describe() + "\n";
  if (!open_.empty()) {
    auto const& [number, batch] = *open_.begin();
    text += "oldest submission: number " + std::to_string(number + 1) + " of rank " + std::to_string(rank()) +
            ", submitted " + text_of_age(double(ns(clock::now()) - ns(batch.submitted))) + " ago\n";
  }
  return text + devices_.describe();
}

std::string cluster_queue::state::describe_ranks() {
  std::size_t living = 0;
  {
    auto const hold = thread().lock();
    reports_.clear();
    reports_[rank()] = state_text();
    for (std::uint32_t other = 0; other < ranks(); ++other) {
      if (member_.is_lost(other)) continue;
      ++living;
      if (other != rank() && is_attached_) send_text(other, own_kind::report, "");
    }
  }
  thread().wake();
  auto const until = deadline::in(report_timeout);
  auto const has_all = [&] {
    auto const hold = thread().lock();
    return reports_.size() >= living;
  };
  for (auto epoch = changed_.epoch(); !has_all() && !until.passed(); epoch = changed_.epoch())
    changed_.wait_past(epoch, until);
  auto const hold = thread().lock();
  std::string text;
  for (std::uint32_t other = 0; other < ranks(); ++other)
    text +=
        reports_.contains(other) ? reports_[other] : "rank " + std::to_string(other) + " does not answer\n";
  return text;
}

cluster_queue::cluster_queue(cluster& over, device_list devices, kernel_set const& kernels,
                             cluster_queue_options options)
    : state_(std::make_unique<state>(over, std::move(devices), kernels, std::move(options))) {}
cluster_queue::~cluster_queue() {
  if (state_->process().is_parent()) (void)state_.release();  // its threads exist only in the parent
}

completion cluster_queue::submit(std::span<task const> batch) { return state_->submit(batch); }
completion cluster_queue::submit(task const& one) { return submit(std::span(&one, 1)); }
void cluster_queue::publish(void const* first, std::size_t bytes) { state_->publish(first, bytes); }

void cluster_queue::wait_all(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(state_->timeout()));
  throw_if_in_continuation("wait_all()");
  state_->wait_all(until);
}
void cluster_queue::close(std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(state_->timeout()));
  throw_if_in_continuation("close()");
  state_->close(until);
}
std::vector<task> cluster_queue::stop() {
  throw_if_in_continuation("stop()");
  return state_->stop();
}
std::vector<std::uint64_t> cluster_queue::tasks_by_rank() const { return state_->tasks_by_rank(); }
std::string cluster_queue::describe() { return state_->describe(); }

}  // namespace ballast
