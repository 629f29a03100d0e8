// SPDX-License-Identifier: Apache-2.0
#include "ballast/task_queue.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "ballast/error.hpp"
#include "graph_state.hpp"
#include "queue_state.hpp"

namespace ballast::detail {
namespace {

/// Tasks of a batch that each read over PCIe what they wait for. An empty batch in between costs some 2 us.
constexpr std::uint32_t max_list_readers = 8;

/// The submission rings that this thread uses, by queue. The newest replaces the oldest: a thread that feeds
/// more than eight queues gets a new submission ring now and then.
struct cached_ring {
  std::uint64_t uid = 0;
  submission_ring* ring = nullptr;
};
thread_local cached_ring cached_rings[8];
thread_local unsigned next_cached_ring = 0;
thread_local bool has_left_rings = false;

/// Records that this thread uses a ring of one queue.
class ring_use {
 public:
  ring_use() = default;
  ring_use& operator=(ring_use&&) = delete;
  ~ring_use() { leave(); }

  std::uint32_t join(std::shared_ptr<ring_users> const& users) {
    leave();
    ring_ = users->join();
    users_ = users;
    return ring_;
  }

 private:
  void leave() {
    if (users_ != nullptr) users_->leave(ring_);
    users_ = nullptr;
  }

  std::shared_ptr<ring_users> users_;
  std::uint32_t ring_ = 0;
};

/// Separate from the rings, since each access to an object with a destructor first checks whether it was
/// registered.
struct ring_uses {
  ring_use of[std::size(cached_rings)];

  ring_uses() = default;
  ring_uses& operator=(ring_uses&&) = delete;
  ~ring_uses() { has_left_rings = true; }
};
thread_local ring_uses uses_of_this_thread;

struct ring_lock_guard {
  submission_ring& ring;
  ~ring_lock_guard() { ring.unlock(); }
};

/// The batch as it travels, in memory that the thread keeps. The check comes first: a batch is refused as a
/// whole or not at all.
std::span<task_record const> records_of(kernel_set const& kernels, std::span<task const> batch) {
  thread_local std::vector<task_record> records;
  prepare(kernels, batch, records);
  return records;
}

}  // namespace

inline submission_ring& fed_queue::state::ring_of_this_thread() {
  for (auto const& memo : cached_rings)
    if (memo.uid == uid) return *memo.ring;
  return assign_ring_to_this_thread();
}

// Destructors at a thread's end that still submit tasks use the first ring, which is not counted.
submission_ring& fed_queue::state::assign_ring_to_this_thread() {
  auto const place = next_cached_ring++ % std::size(cached_rings);
  cached_rings[place] = {};
  auto const index = has_left_rings ? 0 : uses_of_this_thread.of[place].join(users);
  auto& ring = submission_rings[index];
  cached_rings[place] = {uid, &ring};
  return ring;
}

// Always inlined, because every singly submitted task passes through it.
[[gnu::always_inline]] inline void fed_queue::state::publish_ring(std::uint32_t ring) {
  bool const is_urgent = ring == memory.urgent_ring;
  if (is_urgent ? urgent_published.load() : rings_published.load() > ring) return;
  std::lock_guard const hold(control_mutex);
  if (is_urgent)
    urgent_published = true;
  else
    rings_published = std::max(rings_published.load(), ring + 1);
  write_control(false);
}

[[gnu::always_inline]] inline void fed_queue::state::prepare_submission(submission_ring& ring) {
  if (now.load() != phase::open) throw error("the queue is closed; start() opens it again");
  // A query is too expensive for every submission; once a wait has seen a loss, all threads know it.
  bool const due = ring.next_batch() % 1024 == 1023;
  if ((lost || due) && !alive()) throw_stopped();
  publish_ring(ring.index());
}

// Every singly submitted task takes this path, and most go no further.
[[gnu::always_inline]] inline std::optional<std::uint64_t> fed_queue::state::try_write(submission_ring& ring,
                                                                                       task const& one) {
  prepare_submission(ring);
  if (!ring.has_room_for(1)) return std::nullopt;
  auto const record = record_of(*kernels, one);
  auto const batch = ring.write(std::span<task_record const, 1>(&record, 1));
  if (memory.on_host) memory.worker_wake_event.notify();
  return batch;
}

completion fed_queue::state::submit(task const& one, deadline const* until) {
  process_.check("submit()");  // here and below: a thread may have held locks at fork()
  auto& ring = ring_of_this_thread();
  if (one.arguments().is_shared() || !ring.try_lock()) return submit_or_wait(one, until);
  {
    ring_lock_guard const release{ring};
    if (auto const batch = try_write(ring, one)) return run.load()->completion_of(*batch, 1, ring.index());
  }
  return submit_or_wait(one, until);
}

completion fed_queue::state::submit_or_wait(task const& one, deadline const* until) {
  return submit(records_of(*kernels, std::span(&one, 1)), until);
}

std::optional<std::uint64_t> fed_queue::state::try_write_large(submission_ring& ring, task const& one) {
  prepare_submission(ring);
  auto const records = records_of(*kernels, std::span(&one, 1));
  if (!ring.has_room_for(1)) return std::nullopt;
  auto const here = arguments->take(records, ring);
  if (!here) return std::nullopt;
  auto const batch = ring.write(*here);
  if (memory.on_host) memory.worker_wake_event.notify();
  return batch;
}

std::optional<completion> fed_queue::state::try_submit(task const& one) {
  process_.check("try_submit()");
  auto& ring = ring_of_this_thread();
  if (!ring.try_lock()) return std::nullopt;
  ring_lock_guard const release{ring};
  auto const batch = one.arguments().is_shared() ? try_write_large(ring, one) : try_write(ring, one);
  if (batch) return run.load()->completion_of(*batch, 1, ring.index());
  if (!alive()) throw_stopped();
  return std::nullopt;
}

std::size_t fed_queue::state::records_of_next_batch(std::span<task_record const> records) const {
  auto const count = records_of_a_batch(records, max_ring_batch());
  return arguments == nullptr ? count : arguments->records_of_a_batch(records.first(count));
}

std::size_t fed_queue::state::max_whole_batch() const {
  return arguments == nullptr ? max_ring_batch() : std::min(max_ring_batch(), arguments->max_tasks());
}

// The next waiting thread continues when this one has finished, or has given up.
void fed_queue::state::await_arguments(submission_ring& ring, std::function<bool()> const& done,
                                       deadline until) {
  struct ring_the_bell {
    queue_memory& memory;
    ~ring_the_bell() {
      if (memory.on_host) memory.host_wake_event.notify();
    }
  } const after{memory};
  argument_memory::turn const mine(*arguments, ring);
  await_in_submission(ring, done, wait_reason::arguments, until);
}

void fed_queue::state::add_awaited(std::vector<awaited_work>& to, completion const& after,
                                   std::size_t number) {
  if (after.ready()) return after.wait();
  auto const& work = after.work();
  if (auto const parts = after.source()->parts(work); !parts.empty()) {
    for (auto const& part : parts) add_awaited(to, part, number);
    return;
  }
  auto const* const present = run.load();
  if (present == nullptr || !present->gave(after))
    throw_bad_argument("after", "[" + std::to_string(number) + "], of another queue or run and not ready",
                       "those that this queue gave in its present run, or that are ready");
  if (hybrid != nullptr)
    throw_bad_argument("after", "[" + std::to_string(number) + "], not ready",
                       "those that are ready, since tasks of this set may create tasks");
  to.push_back({work, submission_rings[work.place].submitted()});
}

static void check_has_no_priority(submit_options const& options) {
  if (options.priority != 0)
    throw_bad_argument("priority", options.priority, "0, but for tasks of a balanced queue");
}

completion fed_queue::state::submit(std::span<task_record const> batch, submit_options const& options) {
  if (options.max_workers != 0)
    throw_bad_argument("max_workers", options.max_workers, "0 for tasks: it limits graphs");
  check_has_no_priority(options);
  if (options.urgent) return submit_urgent(batch, options);
  return submit_after(batch, options.after.all(), options.until);
}

completion fed_queue::state::submit_urgent(std::span<task_record const> blocks, deadline const* until) {
  process_.check("submit()");
  return submit_to(urgent_ring(), blocks, until);
}

// An urgent task that waited would keep its worker's ticket from the task that it waits for.
completion fed_queue::state::submit_urgent(std::span<task_record const> batch,
                                           submit_options const& options) {
  if (!options.after.all().empty())
    throw_bad_argument("after", counted(options.after.all().size(), "completion"), "none for urgent tasks");
  if (hybrid != nullptr)
    throw_bad_argument("urgent", "true", "false, since tasks of this set may create tasks");
  auto const* const until = options.until ? &*options.until : nullptr;
  if (std::ranges::none_of(batch, &task_record::is_grid)) return submit_urgent(batch, until);
  prepared_tasks const whole(*kernels, {batch.begin(), batch.end()});
  return submit_urgent(whole.expand_grids().records(), until);  // only single tasks pass others
}

completion fed_queue::state::submit_after(std::span<task_record const> batch,
                                          std::span<completion const> after,
                                          std::optional<deadline> const& until) {
  thread_local std::vector<awaited_work> awaited;
  awaited.clear();
  std::size_t number = 0;
  for (auto const& one : after) add_awaited(awaited, one, number++);
  return submit(batch, until ? &*until : nullptr, awaited);
}

bool fed_queue::state::precedes(std::span<awaited_work const> after, submission_ring const& ring) const {
  return std::ranges::all_of(after, [&](awaited_work const& one) {
    auto const& of_work = submission_rings[one.batches.place];
    return &of_work == &ring || of_work.fetched() >= one.slots || have_run(one.batches);
  });
}

std::optional<batch_dependency> fed_queue::state::reach(std::span<awaited_work const> after,
                                                        submission_ring& ring) const {
  batch_place unfinished[max_awaited_batches];
  auto* end = unfinished;
  for (auto const& [work, slots] : after)
    for (batch_place one{work.place, work.first}; one.batch != work.first + work.count; ++one.batch) {
      if (submission_rings[one.ring].complete(one.batch) || std::find(unfinished, end, one) != end) continue;
      if (end == std::end(unfinished)) return std::nullopt;
      *end++ = one;
    }
  return ring.name({unfinished, end});
}

awaited_work fed_queue::state::write_list_reader(submission_ring& ring, batch_dependency const& list) {
  task_record const empty[] = {graph_round{}.record()};
  auto const batch = ring.write(std::span<task_record const>(empty), list);
  if (memory.on_host) memory.worker_wake_event.notify();
  return {run.load()->completion_of(batch, 1, ring.index()).work(), ring.submitted()};
}

// Only a thread that must wait reads the clock, which costs more than writing a task. A batch that waits for
// others goes to their ring, or follows once they have left theirs, so that it reaches the workers after
// them. Where many tasks would read a list of others over PCIe, an empty task reads it, and they wait for
// that.
completion fed_queue::state::submit(std::span<task_record const> batch, deadline const* until,
                                    std::span<awaited_work const> after) {
  process_.check("submit()");
  auto const of_thread = std::ranges::find_if(
      after, [this](auto const& one) { return one.batches.place != memory.urgent_ring; });
  auto& ring = of_thread == after.end() ? ring_of_this_thread() : submission_rings[of_thread->batches.place];
  return submit_to(ring, batch, until, after);
}

completion fed_queue::state::submit_to(submission_ring& ring, std::span<task_record const> batch,
                                       deadline const* given_until, std::span<awaited_work const> after) {
  std::optional<deadline> own;
  auto const until = [&] {
    if (given_until != nullptr) return *given_until;
    if (!own) own = deadline::in(options.timeout);
    return *own;
  };
  if (!ring.try_lock() && !ring.lock(until())) throw queue_full({}, 0, batch.size(), describe());
  ring_lock_guard const release{ring};
  prepare_submission(ring);
  for (auto const& one : after)
    if (one.batches.run != run.load()->run()) throw error("the queue was started again meanwhile");
  auto const first = ring.next_batch();
  auto const given = [&] {
    return run.load()->completion_of(first, std::uint32_t(ring.next_batch() - first), ring.index());
  };
  std::array<awaited_work, 1> reader;
  for (std::size_t done = 0; done < batch.size();) {
    auto tasks = batch.subspan(done, records_of_next_batch(batch.subspan(done)));
    std::optional<batch_dependency> others = batch_dependency{};
    auto const has_room = [&] { return ring.has_room_for(tasks.size()); };
    auto const has_reach = [&] {
      others = reach(after, ring);
      return others.has_value();
    };
    auto const precedes_this = [&] { return precedes(after, ring); };
    auto const has_moved = [&] {
      auto const here = arguments->take(tasks, ring);
      if (here) tasks = *here;
      return here.has_value();
    };
    try {
      if (!has_room()) await_in_submission(ring, has_room, wait_reason::room, until());
      if (!after.empty() && !precedes_this())
        await_in_submission(ring, precedes_this, wait_reason::room, until());
      if (!after.empty() && !has_reach())
        await_in_submission(ring, has_reach, wait_reason::completion, until());
      if (others->distance == by_list && tasks_of(tasks) > max_list_readers) {
        after = reader = {write_list_reader(ring, *others)};
        continue;  // no task of the batch is accepted yet
      }
      if (arguments != nullptr && !has_moved()) await_arguments(ring, has_moved, until());
    } catch (timed_out const& passed) {
      throw queue_full(done == 0 ? completion() : given(), done, batch.size(), passed.state());
    }
    ring.write(tasks, *others);
    done += tasks.size();
    if (memory.on_host && &ring == &urgent_ring())
      std::atomic_ref(memory.words.data()->urgent.submitted).store(ring.submitted());
    if (memory.on_host) memory.worker_wake_event.notify();
  }
  return given();
}

fed_queue::fed_queue(std::unique_ptr<state> of) : state_(std::move(of)) {}
fed_queue::~fed_queue() = default;

void fed_queue::ask_for_created(std::uint32_t tasks) { state_->ask_for_created(tasks); }
std::vector<created_task> fed_queue::take_created() { return state_->take_created(); }
std::uint32_t fed_queue::idle_workers() const { return state_->idle_workers(); }

// The alarm is set before the count is looked at, so that a task taken in between wakes the thread.
void fed_queue::sleep_until_taken(std::uint64_t epoch, std::uint64_t taken_threshold,
                                  clock::duration timeout) {
  if (!state_->memory.on_host) return std::this_thread::yield();
  auto const alarm = std::atomic_ref(state_->memory.words.data()->taken_threshold);
  alarm.store(taken_threshold);
  if (state_->claimed() < taken_threshold) wake_event().wait_past(epoch, clock::now() + timeout);
  alarm.store(~std::uint64_t(0));
}

void fed_queue::sleep_until_complete(std::uint64_t epoch, completion const& which, clock::duration timeout) {
  if (!state_->memory.on_host) return std::this_thread::yield();
  waiter_registration const listening(state_->memory, wait_reason::completion);
  if (!which.ready()) wake_event().wait_past(epoch, clock::now() + timeout);
}

completion fed_queue::submit_urgent(prepared_tasks const& batch, std::size_t first, std::size_t count,
                                    deadline until) {
  return state_->submit_urgent(batch.records().subspan(first, count), &until);
}

event_count& fed_queue::wake_event() { return state_->memory.host_wake_event; }

}  // namespace ballast::detail

namespace ballast {

using namespace detail;

completion_list& completion_list::operator=(completion_list const& other) {
  if (this == &other) return *this;
  std::destroy_n(first(), std::exchange(count_, 0));
  append(other.all());
  return *this;
}

void completion_list::append(std::span<completion const> more) {
  if (more.size() > max_count) throw_bad_argument("after", more.size(), "at most 32 completions");
  std::uninitialized_copy(more.begin(), more.end(), first());
  count_ = more.size();
}

queue_full::queue_full(completion accepted_tasks, std::size_t accepted, std::size_t offered,
                       std::string state)
    : timed_out("room in the queue; " + std::to_string(accepted) + " of " + detail::counted(offered, "task") +
                    (offered == 1 ? " was" : " were") + " accepted",
                std::move(state)),
      accepted_tasks_(std::move(accepted_tasks)),
      accepted_(accepted) {}

// Blocks that may still run use the memory, and freeing it would wait for them: this state is then
// deliberately leaked.
void task_queue::abandon_if_running() noexcept {
  if (!state_->kernel.claimed()) return;
  write_log(log_level::warning, "a task queue whose resident kernel does not end is left behind");
  (void)state_.release();
}

task_queue::task_queue(std::shared_ptr<compute_device> device, kernel_set const& kernels,
                       queue_options options)
    : detail::fed_queue(std::make_unique<state>(std::move(device), kernels, options)) {
  if (!options.start_at_once) return;
  try {
    state_->start();
  } catch (...) {
    abandon_if_running();
    throw;
  }
}

task_queue::~task_queue() {
  if (state_->process().is_parent()) {
    (void)state_.release();  // its kernel exists only in the parent
    return;
  }
  if (!state_->kernel.claimed()) return;
  state_->log_wait_at_end();
  try {
    state_->stop();
  } catch (error const& failure) { write_log(log_level::warning, failure.what()); }
  abandon_if_running();
}

completion task_queue::submit(task const& one) { return state_->submit(one, nullptr); }
completion task_queue::submit(task const& one, deadline until) { return state_->submit(one, &until); }
completion task_queue::submit(std::span<task const> batch) {
  return state_->submit(records_of(*state_->kernels, batch), nullptr);
}
completion task_queue::submit(std::span<task const> batch, deadline until) {
  return state_->submit(records_of(*state_->kernels, batch), &until);
}
completion task_queue::submit(prepared_tasks const& batch, std::size_t first, std::size_t count,
                              deadline until) {
  if (batch.kernels() != state_->kernels) throw error("the tasks were prepared for another kernel set");
  if (first > batch.records().size() || count > batch.records().size() - first)
    throw_bad_argument("count", std::to_string(count) + " from " + std::to_string(first) + " on",
                       "within the " + std::to_string(batch.records().size()) + " prepared tasks");
  return state_->submit(batch.records().subspan(first, count), &until);
}

completion task_queue::submit(task const& one, submit_options const& options) {
  return submit(std::span(&one, 1), options);
}
completion task_queue::submit(std::span<task const> batch, submit_options const& options) {
  return state_->submit(records_of(*state_->kernels, batch), options);
}
completion task_queue::submit(prepared_tasks const& batch, submit_options const& options) {
  if (batch.kernels() != state_->kernels) throw error("the tasks were prepared for another kernel set");
  return state_->submit(batch.records(), options);
}

graph_runner task_queue::runner_of_graphs(std::uint32_t max_workers) {
  return {state_->device,
          state_->kernels,
          max_workers == 0 ? workers_of_run() : std::min(max_workers, workers_of_run()),
          &state_->rounds,
          [this](completion const& one) {
            auto const* const run = state_->run.load();
            return run != nullptr && run->gave(one);
          },
          [this](std::span<task_record const> round, std::span<completion const> after,
                 std::optional<deadline> const& until) { return state_->submit_after(round, after, until); }};
}

completion task_queue::run_graph(graph_state& graph, submit_options const& options) {
  auto const note = [&] {
    if (graph.placed != nullptr) state_->note_graph(graph.placed);
  };
  try {
    auto done = graph.submit(runner_of_graphs(options.max_workers), options.after.all(), options.until);
    note();
    return done;
  } catch (...) {
    note();  // it may have been placed anew
    throw;
  }
}

completion task_queue::submit(task_graph& graph, submit_options const& options) {
  state_->process().check("submit()");
  check_has_no_priority(options);
  if (options.urgent) throw_bad_argument("urgent", "true", "false for graphs");
  std::lock_guard const hold(graph.state_->mutex);
  return run_graph(*graph.state_, options);
}

void task_queue::plan(task_graph& graph) {
  state_->process().check("plan()");
  std::lock_guard const hold(graph.state_->mutex);
  graph.state_->place(runner_of_graphs());
  state_->note_graph(graph.state_->placed);
}

std::optional<completion> task_queue::try_submit(task const& one) { return state_->try_submit(one); }

void task_queue::wait_all(std::optional<deadline> until) {
  state_->wait_all(until.value_or(deadline::in(state_->options.timeout)));
}
void task_queue::close(std::optional<deadline> until) {
  state_->close(until.value_or(deadline::in(state_->options.timeout)));
}
std::vector<task> task_queue::stop() { return state_->stop(); }
void task_queue::request_stop() noexcept { state_->kernel.request_stop(); }
void task_queue::start() { state_->start(); }
bool task_queue::running() {
  state_->process().check("running()");
  return state_->alive();
}

execution task_queue::execution_of(completion const& which) const {
  auto const* const run = state_->run.load();
  if (run == nullptr || !run->gave(which))
    throw_bad_argument("completion", "one of another queue or run",
                       "one that this queue gave in its present run");
  auto const& batches = which.work();
  if (!state_->options.times) throw error("execution_of needs a queue made with options.times");
  if (!state_->have_run(batches)) throw error("execution_of needs tasks that have run");
  if (batches.count == 0) throw error("execution_of needs a completion of at least one task");
  auto const& ring = state_->submission_rings[batches.place];
  if (batches.first + ring.batch_slots() < ring.next_batch())
    throw error("execution_of was asked too late: the batch's record was used again");
  batch_times all{~std::uint64_t(0), 0, 0};
  for (auto batch = batches.first; batch != batches.first + batches.count; ++batch) {
    auto const& times = ring.times_of(batch);
    all.first_begin_ns = std::min(all.first_begin_ns, times.first_begin_ns);
    all.last_end_ns = std::max(all.last_end_ns, times.last_end_ns);
    all.work_ns += times.work_ns;
  }
  auto const offset = state_->kernel.clock_offset_ns();
  return {std::int64_t(all.first_begin_ns) + offset, std::int64_t(all.last_end_ns) + offset,
          std::int64_t(all.work_ns)};
}

std::vector<task_span> task_queue::task_spans() const { return state_->task_spans(); }

queue_statistics task_queue::statistics() const {
  queue_statistics all;
  all.submitted = state_->submitted();
  all.claimed = state_->claimed();
  for (auto const& ring : state_->submission_rings) all.batches += ring.next_batch();
  if (!state_->memory.on_host) all.servers = std::max(1u, state_->kernel.servers());
  auto& filled = state_->memory.to_host[0].filled;
  all.fetched = std::min(all.submitted, atomic_ref<std::uint64_t, scope::system>(filled).load_acquire());
  if (state_->now.load() != state::phase::ended) return all;
  if (state_->hybrid != nullptr && !state_->lost) all.pool = state_->hybrid->statistics();
  all.trace_dropped = state_->trace_dropped();
  return all;
}

queue_progress task_queue::progress() const { return state_->progress(); }
std::uint64_t task_queue::claimed() const { return state_->claimed(); }
std::string task_queue::describe() { return state_->describe(); }
std::size_t task_queue::memory_bytes() const {
  return state_->memory.bytes() + (state_->hybrid != nullptr ? state_->hybrid->bytes() : 0) +
         (state_->arguments != nullptr ? state_->arguments->bytes() : 0);
}
std::uint32_t task_queue::capacity() const { return std::uint32_t(1) << state_->memory.shift; }
std::size_t task_queue::max_whole_batch() const { return state_->max_whole_batch(); }
std::uint32_t task_queue::workers() const { return state_->workers_of(state_->kernel.max_blocks()); }
std::uint32_t task_queue::workers_of_run() const { return state_->workers_of(state_->kernel.blocks()); }
compute_device& task_queue::device() const { return *state_->device; }
kernel_set const& task_queue::kernels() const { return *state_->kernels; }

}  // namespace ballast
