// SPDX-License-Identifier: Apache-2.0
#include "queue_state.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "ballast/detail/pool/chunk_pool.hpp"
#include "ballast/detail/resident/shown_task.cuh"
#include "ballast/error.hpp"
#include "placed_graph.hpp"
#include "stopped_queue.hpp"

namespace ballast::detail {
namespace {

std::uint64_t next_uid() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

entry_key source_of(kernel_set const& list) {
  return may_spawn(list) ? entry_key_of<hybrid_view> : entry_key_of<ring_source_ref>;
}

/// The checked options of a queue, with space for a trace if its tasks are recorded.
queue_options legal_options(queue_options options, kernel_set const& list) {
  constexpr std::uint32_t default_trace_depth = 1024;
  options.trace_to.check(1);
  if (!(options.urgent_share > 0 && options.urgent_share <= 1))
    throw_bad_argument("urgent_share", options.urgent_share, "more than 0, at most 1");
  for (auto const servers : options.servers)
    if (servers < 1 || servers > max_servers)
      throw_bad_argument("servers", servers, "1 to " + std::to_string(max_servers));
  if (options.trace_to && options.trace_depth == 0 && !may_spawn(list))
    options.trace_depth = default_trace_depth;
  return options;
}

/// A start takes no SM that resident.blocks leaves to others.
server_limits limits_of_servers(queue_options const& options, kernel_set const& list) {
  if (may_spawn(list)) return {};
  if (options.servers.empty()) return {1, options.resident.blocks == 0 ? max_servers : 1};
  auto const [fewest, most] = std::ranges::minmax(options.servers);
  return {fewest, most};
}

/// The batches of a run that had not run when its kernel ended, as ranges in ascending order.
using lost_batches = std::vector<completion_key>;

void add(lost_batches& lost, std::uint32_t ring, std::uint64_t batch) {
  if (!lost.empty() && lost.back().place == ring && lost.back().first + lost.back().count == batch)
    ++lost.back().count;
  else
    lost.push_back({0, batch, 1, ring});
}

/// A slot that a worker may be writing, whose stamps then differ.
[[gnu::noinline]] __attribute__((no_sanitize("thread"))) task_slot look_at(task_slot const volatile& there) {
  task_slot slot;
  for (int i = 0; i < 4; ++i) {
    auto const stamp = there.chunks[i].stamp;
    for (int word = 0; word < 3; ++word) slot.chunks[i].data[word] = there.chunks[i].data[word];
    slot.chunks[i].stamp = there.chunks[i].stamp == stamp ? stamp : ~stamp;
  }
  return slot;
}

bool are_none_of(lost_batches const& lost, completion_key const& work) {
  auto const ends_before = [&](completion_key const& range) {
    return range.place < work.place || (range.place == work.place && range.first + range.count <= work.first);
  };
  auto const next = std::ranges::partition_point(lost, ends_before);
  return next == lost.end() || next->place != work.place || next->first >= work.first + work.count;
}

}  // namespace

// A further server has other rings, so threads of several must have stalled again and again. Several servers
// may prevent all stalls; they stay unless the threads submitted less than a tenth of what one server moves.
std::uint32_t servers_after(served_run const& run) {
  constexpr std::uint64_t telling_stalls = 16;
  constexpr double little_per_second = 20e6;
  std::uint64_t all = 0, largest = 1, busy = 0, outran = 0;
  for (auto const& ring : run.rings) all += ring.slots, largest = std::max(largest, ring.slots);
  for (auto const& ring : run.rings) {
    if (ring.slots < largest / 4) continue;
    ++busy;
    if (ring.stalls >= std::max(telling_stalls, ring.slots / run.capacity / 2)) ++outran;
  }
  bool const keeps = run.servers > 1 && double(all) > little_per_second * run.seconds;
  return outran > 1 || keeps ? std::max(1u, std::min(std::uint32_t(busy), run.most)) : 1;
}

/// Keeps submitting threads out while it lives. Throws timed_out if one does not leave.
class fed_queue::state::all_rings_lock {
 public:
  all_rings_lock(state& queue, deadline until) : rings_(queue.submission_rings) {
    for (auto ring = rings_.begin(); ring != rings_.end(); ++ring) {
      if (ring->lock(until)) continue;
      while (ring != rings_.begin()) (--ring)->unlock();
      throw timed_out("a submitting thread to leave the queue on " + queue.device->name(), queue.describe());
    }
  }
  ~all_rings_lock() {
    for (auto& ring : rings_) ring.unlock();
  }
  all_rings_lock& operator=(all_rings_lock&&) = delete;

 private:
  std::deque<submission_ring>& rings_;
};

fed_queue::state::state(std::shared_ptr<compute_device> on, kernel_set const& list,
                        queue_options const& given)
    : device(std::move(on)),
      kernels(&list),
      options(legal_options(given, list)),
      kernel(device, list, list.entry_for(source_of(list)), options.resident, false,
             limits_of_servers(options, list)),
      memory(device, options, kernel.max_blocks()),
      hybrid(may_spawn(list) ? make_hybrid() : nullptr),
      arguments(max_bytes_outside(list) > 0
                    ? std::make_unique<argument_memory>(device, list, options.large_argument_bytes)
                    : nullptr),
      copies(device->make_stream()),
      slot_copies(memory.ring.is_addressed_by_host() ? nullptr : device->make_stream()),
      slot_copy(device, memory.ring.is_addressed_by_host() ? 0 : 1),
      uid(next_uid()),
      users(std::make_shared<ring_users>(options.submission_rings)) {
  for (std::uint32_t ring = 0; ring < memory.submission_rings; ++ring)
    submission_rings.emplace_back(memory, ring);
  check_urgent_multiprocessors();
  kernel.activities().name_tasks_by(
      {[this](std::uint64_t number) { return name_of_task(number); }, hybrid == nullptr});
}

std::unique_ptr<hybrid_memory> fed_queue::state::make_hybrid() const {
  if (options.times) throw_bad_argument("times", "true", "false for tasks that create tasks");
  if (options.trace_depth != 0)
    throw_bad_argument("trace_depth", options.trace_depth, "0 for tasks that create tasks");
  return std::make_unique<hybrid_memory>(device, *kernels, options.spawned, memory, kernel.max_blocks());
}

fed_queue::state::~state() { end_run(); }

bool fed_queue::state::have_run(completion_key const& batches) const {
  auto const& ring = submission_rings[batches.place];
  for (auto batch = batches.first; batch != batches.first + batches.count; ++batch)
    if (!ring.complete(batch)) return false;
  return true;
}

// Querying a GPU's stream costs more than looking for a batch. A batch once reported as ended must stay so.
bool fed_queue::state::has_ended(completion_key const& work) {
  if (have_run(work) || is_over) return true;
  if (!memory.on_host && looks.fetch_add(1, std::memory_order_relaxed) % 64 != 0) return false;
  try {
    if (alive()) return false;
  } catch (device_lost const&) {
    kernel.request_stop();  // for blocks of CPU cores that have not faulted
    if (memory.on_host) memory.worker_wake_event.notify();
    if (kernel.has_host_blocks()) return false;
  } catch (...) { return false; }  // it is not known; wait() throws the error
  is_over = true;                  // of this run: end_run() waits for querying threads
  return true;
}

void fed_queue::state::wait(completion_key const& work, deadline until) {
  await([&] { return have_run(work); }, wait_reason::completion, until);
}

clock::duration fed_queue::state::timeout(completion_key const&) const { return options.timeout; }

bool fed_queue::state::needs_no_launch(completion_key const&) {
  try {
    return alive();
  } catch (error const&) { return false; }
}

bool fed_queue::state::notify_at_end(completion_key const&, std::shared_ptr<end_listener> const& listener) {
  if (!memory.on_host) return false;
  std::lock_guard const hold(listening_mutex);
  bool const listens = listener != nullptr;
  if (std::exchange(is_listened_to, listens) != listens)
    std::atomic_ref(memory.words.data()->completion_waiters).fetch_add(listens ? 1 : -1u);
  memory.host_wake_event.forward_to(listener);
  return true;
}

// Workers begin the tasks of a submission ring in order, except grids, of which several are open at once. If
// tasks create tasks, a batch ends with its last created task.
std::uint64_t fed_queue::state::max_overtaken(completion_key const&) {
  constexpr std::uint64_t open_grids = 8;
  if (hybrid != nullptr || is_over || now.load() != phase::open) return ~std::uint64_t(0);
  return workers_of(kernel.blocks()) + open_grids;
}

void fed_queue::state::await_in_submission(submission_ring& ring, std::function<bool()> const& done,
                                           wait_reason what, deadline until) {
  if (what == wait_reason::room) ring.note_stall(steady_now_ns());
  if (!options.trace_to) return await(done, what, until);
  struct recorded_wait {
    trace_target const& to;
    span waited;
    ~recorded_wait() {
      waited.end_ns = std::int64_t(steady_now_ns());
      to.record(std::move(waited));
    }
  } const recorded{options.trace_to,
                   {.worker = first_host_worker + ring.index(),
                    .label = "submit waits for room",
                    .begin_ns = std::int64_t(steady_now_ns())}};
  await(done, what, until);
}

void fed_queue::state::await(std::function<bool()> const& done, wait_reason what, deadline until) {
  if (done()) return;
  nvtx_range const shown(what != wait_reason::completion ? "submit waits for room" : "wait for tasks");
  waiter_registration const listening(memory, what);
  wait_limit limit(until);
  for (std::uint64_t rounds = 1;; ++rounds) {
    auto const epoch = memory.host_wake_event.epoch();
    if (done()) return;
    if (rounds > 1) kernel.activities().look();
    if (memory.on_host || rounds % 64 == 0) {
      bool const ended = !alive();
      if (ended && done()) return;
      if (ended) throw_stopped();
      if (limit.passed())
        throw timed_out(
            (what != wait_reason::completion ? "room in the queue on " : "a batch on ") + device->name(),
            describe());
    }
    if (memory.on_host)
      memory.host_wake_event.wait_past(
          epoch, std::min(limit.next_look(), clock::now() + std::chrono::milliseconds(20)));
    else if (rounds > 60)
      std::this_thread::yield();
  }
}

bool fed_queue::state::alive() {
  auto const of_run = run_number.load();
  try {
    return kernel.running();
  } catch (device_lost const& known) { std::rethrow_exception(note_loss(of_run, known)); }
}

/// Records the error that every call throws from now on.
std::exception_ptr fed_queue::state::note_loss(std::uint64_t of_run, device_lost const& known) {
  auto const said = std::make_exception_ptr(device_lost(
      device->name(), known.cause() + "; not known to have run: " + counted(unfinished(), "accepted task") +
                          "; stop() hands back those not known to have left the host"));
  std::lock_guard const hold(control_mutex);
  if (of_run != run_number) return said;
  if (!loss) loss = said;
  lost = true;
  return loss;
}

std::exception_ptr fed_queue::state::known_loss() {
  std::lock_guard const hold(control_mutex);
  return loss;
}

void fed_queue::state::throw_stopped() {
  if (auto const known = known_loss()) std::rethrow_exception(known);
  std::string why = hybrid != nullptr && !lost ? hybrid->why_halted() : "";
  if (why.empty())
    why = kernel.idle_timed_out()   ? "no task came for idle_timeout"
          : kernel.stop_requested() ? "it was asked to stop"
                                    : "its blocks left";
  throw stopped_queue(device->name(), unfinished(), why);
}

std::vector<completion_key> fed_queue::state::everything() const {
  std::vector<completion_key> all;
  for (auto const& ring : submission_rings) {
    auto const end = ring.next_batch(), count = std::min(end, ring.batch_slots());
    if (count > 0) all.push_back({0, end - count, std::uint32_t(count), ring.index()});
  }
  return all;
}

// Waits by completions, which report the fate of the tasks if the queue is stopped and started again
// meanwhile.
void fed_queue::state::wait_all(deadline until) {
  process_.check("wait_all()");
  throw_if_in_continuation("wait_all()");
  auto const number = run_number.load();
  auto* const of_run = run.load();
  if (of_run == nullptr) return;
  for (auto const& [unnamed, first, count, place] : everything())
    of_run->completion_of_run(number, first, count, place).wait_until(until);
}

std::unique_ptr<run_outcome const> fed_queue::state::outcome() {
  lost_batches left;
  for (auto const& batches : everything())
    for (auto batch = batches.first; batch != batches.first + batches.count; ++batch)
      if (!submission_rings[batches.place].complete(batch)) add(left, batches.place, batch);
  if (left.empty()) return nullptr;
  auto made = std::make_unique<run_outcome>();
  try {
    throw_stopped();
  } catch (...) { made->why_not = std::current_exception(); }
  made->has_ended_well = [left](completion_key const& work) { return are_none_of(left, work); };
  return made;
}

void fed_queue::state::end_run() {
  auto what_is_left = outcome();
  if (auto* const last = run.exchange(nullptr)) last->end(std::move(what_is_left));
  memory.host_wake_event.notify();
  std::lock_guard const hold(listening_mutex);
  is_listened_to = false;
  memory.host_wake_event.forward_to(nullptr);
}

std::uint32_t fed_queue::state::workers_of(std::uint32_t blocks) const {
  auto const working = blocks - (device->capabilities().has_servers ? 1 : 0);  // the first serves the others
  return working * kernels->workers_of_block(*device);
}

std::uint64_t fed_queue::state::submitted() const {
  std::uint64_t sum = 0;
  for (auto const& ring : submission_rings) sum += ring.tasks();
  return sum;
}

// Idle workers hold tickets for future tasks: at most the submitted tasks can be taken.
std::uint64_t fed_queue::state::claimed() const {
  auto& words = *memory.words.data();
  auto& told = memory.to_host[0].taken;
  if (!memory.on_host)
    return std::min(atomic_ref<std::uint64_t, scope::system>(told).load_acquire(), submitted());
  auto const head = std::atomic_ref(words.head).load();  // first, as workers count in the other order
  return std::min(head + std::atomic_ref(words.urgent.head).load(), submitted());
}

std::uint64_t fed_queue::state::unfinished() const {
  std::uint64_t sum = 0;
  for (auto const& ring : submission_rings) sum += ring.unfinished_tasks();
  return sum;
}

// What comes later in a task's life is read first, so that no count is less than the next.
queue_progress fed_queue::state::progress() {
  process_.check("progress()");
  queue_progress now;
  std::shared_lock counts(counts_mutex, std::try_to_lock);
  if (!counts.owns_lock()) return now;
  for (auto const& ring : submission_rings) {
    auto const tasks = ring.tasks();
    now.done += tasks - std::min(tasks, ring.unfinished_tasks());
  }
  auto const begun = std::max(claimed(), now.done);  // a GPU may report the end of a task before its claim
  now.submitted = std::max(submitted(), begun);
  now.waiting = now.submitted - begun;
  counts.unlock();  // a look may wait for a GPU
  auto const running = kernel.look_at_blocks().running * kernels->workers_of_block(*device);
  now.busy = std::min(1.0, double(running) / workers_of(kernel.blocks()));
  return now;
}

std::string fed_queue::state::describe() {
  std::string text = "queue of " + std::string(kernels->name()) + " on " + device->name() + ": " +
                     counted(submitted(), "task") + " submitted, " + std::to_string(claimed()) +
                     " taken, at most " + std::to_string(unfinished()) + " unfinished\n";
  for (auto const& ring : submission_rings) {
    if (ring.submitted() == 0) continue;
    bool const is_urgent = ring.index() == memory.urgent_ring;
    text += (is_urgent ? "urgent tasks" : "ring " + std::to_string(ring.index())) + ": " +
            counted(ring.submitted(), "slot") + " submitted, " + std::to_string(ring.fetched()) +
            " fetched, " + counted(ring.next_batch(), "submission");
    auto const oldest = ring.oldest_unfinished();
    text +=
        oldest ? "; the oldest that is not finished is number " + std::to_string(*oldest + 1) + "\n" : "\n";
  }
  if (arguments != nullptr)
    text += "arguments of large kernels: " + std::to_string(arguments->free_bytes()) + " of " +
            std::to_string(arguments->bytes()) + " bytes are free\n";
  return text + describe_graphs() + kernel.describe_blocks();
}

/// The slot of a ticket, as it is now.
task_slot fed_queue::state::slot_of(std::uint64_t ticket) {
  auto& there = memory.ring.data()[place_in_ring(ticket, memory.shift)];
  if (memory.ring.is_addressed_by_host()) return look_at(there);
  std::lock_guard const hold(slot_mutex);
  slot_copies->copy(slot_copy.data(), &there, sizeof there);
  slot_copies->synchronize(deadline::in(std::chrono::seconds(2)));
  return slot_copy[0];
}

std::string fed_queue::state::name_of_task(std::uint64_t number) {
  if (hybrid != nullptr) return memory.on_host ? shown_task::of(number).text(*kernels) : "";
  auto const slot = slot_of(number);
  auto const record = record_in_ring(slot, std::uint32_t(number >> memory.shift));
  if (!record) return "one whose place in the ring is used again, number " + std::to_string(number);
  std::uint32_t words[4];
  for (int i = 0; i < 4; ++i) words[i] = slot.chunks[i].stamp >> 16;
  auto const mark = mark_of(words);
  auto const of = " of " + text_of_submission(mark.ring_index, memory.urgent_ring,
                                              submission_rings.at(mark.ring_index).batch_of(mark));
  if (record->is_graph()) return "one of the graph" + of;
  auto const all = kernels->kernels();
  if (record->kernel() >= all.size()) return {};  // it was written meanwhile
  return "kernel " + all[record->kernel()].name + ", " + text_of(record->range()) + of;
}

void fed_queue::state::note_graph(std::shared_ptr<placed_graph> const& graph) {
  std::lock_guard const hold(graphs_mutex);
  if (graphs.insert(graph).second) std::erase_if(graphs, [](auto const& one) { return one.expired(); });
  if (!memory.on_host && now.load() != phase::ended) kept_graphs.insert(graph);
}

std::set<std::shared_ptr<placed_graph>> fed_queue::state::known_graphs() {
  std::lock_guard const hold(graphs_mutex);
  std::set<std::shared_ptr<placed_graph>> known;
  for (auto const& one : graphs)
    if (auto graph = one.lock()) known.insert(std::move(graph));
  return known;
}

// The lock is not held while graphs ask whether their rounds have ended.
std::string fed_queue::state::describe_graphs() {
  std::string text;
  try {
    for (auto const& graph : known_graphs()) text += graph->describe_waits();
  } catch (error const& failure) {
    text += as_lines(std::string("graphs cannot be read: ") + failure.what());
  }
  return text;
}

void fed_queue::state::begin_run() {
  if (!memory.on_host) {
    auto known = known_graphs();
    std::lock_guard const hold(graphs_mutex);
    kept_graphs.merge(known);
  }
  std::lock_guard const hold(control_mutex);
  collected = close_published = completed = is_recorded = false;
  begun_ns = std::int64_t(steady_now_ns());
  lost = is_over = false;
  loss = nullptr;
  auto& begun = source_run::begin(*this);
  run_number = begun.run();
  run = &begun;
}

// Submitters of the last run that are still inside see its end and unlock their submission rings.
void fed_queue::state::start() {
  process_.check("start()");
  if (now.load() != phase::ended || kernel.claimed()) throw error("this queue is running already");
  all_rings_lock const held(*this, deadline::in(options.timeout));
  launch();
}

std::uint32_t fed_queue::state::servers_of_next_run() const {
  if (!options.servers.empty())
    return options.servers[(kernel.next_control().run - 1) % options.servers.size()];
  served_run last{.capacity = std::uint64_t(1) << memory.shift,
                  .seconds = 1e-9 * double(ended_ns - begun_ns),
                  .servers = kernel.servers(),
                  .most = kernel.max_servers()};
  for (std::uint32_t ring = 0; ring < memory.urgent_ring; ++ring)  // the first server always has the last
    last.rings.push_back({submission_rings[ring].submitted(), submission_rings[ring].stalls()});
  return servers_after(last);
}

void fed_queue::state::launch() {
  kernel.take_room(servers_of_next_run());  // first: kernels that clear memory may run on the claimed SMs
  try {
    end_run();
    prepare_memory();
    while (!start_kernel()) {
      kernel.take_room();
      prepare_memory();
    }
  } catch (...) {
    abort_start();
    throw;
  }
  begin_run();
  now = phase::open;
}

void fed_queue::state::prepare_memory() {
  std::lock_guard const hold(counts_mutex);
  auto const cleared_by = deadline::in(options.resident.start_timeout);
  memory.clear(*copies, cleared_by);
  rounds.begin_run();
  if (hybrid != nullptr) hybrid->clear(!completed, kernel.blocks(), cleared_by);
  for (auto& ring : submission_rings) ring.reset();
  if (arguments != nullptr) arguments->clear();
  rings_published = 0;
  urgent_published = false;
}

void fed_queue::state::check_urgent_multiprocessors() const {
  auto const asked = options.urgent_multiprocessors;
  auto const most = hybrid != nullptr ? 0 : most_urgent_multiprocessors(kernel.max_blocks());
  if (asked < 0 || std::uint32_t(asked) > most)
    throw_bad_argument("urgent_multiprocessors", asked,
                       hybrid != nullptr ? "0, since tasks of this set may create tasks"
                                         : "0 to " + std::to_string(most) + " on " + device->name());
}

std::uint32_t fed_queue::state::most_urgent_multiprocessors(std::uint32_t blocks) const {
  if (memory.on_host) return std::min(max_urgent_multiprocessors, blocks - 1);
  auto const& entry = kernels->entry_for(source_of(*kernels));
  int fit = device->resources(entry.code).blocks_per_multiprocessor;
  if (entry.workers.cuda_function)
    fit = std::max(fit, device->resources(entry.workers).blocks_per_multiprocessor);
  return std::min(max_urgent_multiprocessors, (blocks - 2) / std::uint32_t(std::max(fit, 1)));
}

/// A run beside other kernels may have fewer blocks than the queue was made for.
void fed_queue::state::share_workers() {
  auto const workers = kernel.blocks() - (device->capabilities().has_servers ? 1 : 0);
  memory.urgent_workers = std::uint32_t(std::ceil(options.urgent_share * workers));
  memory.urgent_multiprocessors =
      std::min(std::uint32_t(options.urgent_multiprocessors), most_urgent_multiprocessors(kernel.blocks()));
}

bool fed_queue::state::start_kernel() {
  share_workers();
  auto const source = memory.source(kernel.next_control());
  if (hybrid == nullptr) return kernel.start(&source, sizeof source);
  auto const work = hybrid->work(source);
  return kernel.start(&work, sizeof work);
}

// If even stopping fails, the kernel stays claimed, and the owner deliberately leaks this state.
void fed_queue::state::abort_start() {
  try {
    kernel.request_stop();
    kernel.join(deadline::in(options.resident.stop_timeout));
  } catch (error const& failure) { write_log(log_level::warning, failure.what()); }
  kernel.give_back_room();
}

void fed_queue::state::write_control(bool closed) {
  atomic_ref<std::uint64_t, scope::system>(memory.from_host[0].control)
      .store_release(rings_published.load() | (urgent_published ? urgent_bit : 0) |
                     (closed ? closed_bit : 0) |
                     std::uint64_t(hybrid != nullptr ? hybrid->hand_out_until() : 0) << hand_out_shift);
}

// On cores this writes the workers' word itself: the server there is a worker without tasks, and there may be
// none.
void fed_queue::state::ask_for_created(std::uint32_t tasks) {
  if (hybrid == nullptr || hybrid->asked_for() >= tasks) return;
  std::lock_guard const hold(control_mutex);
  if (close_published) return;
  hybrid->ask_for(tasks - hybrid->asked_for());
  write_control(false);
  if (memory.on_host) std::atomic_ref(memory.words.data()->hand_out_until).store(hybrid->hand_out_until());
}

std::vector<created_task> fed_queue::state::take_created() {
  std::vector<created_task> all;
  if (hybrid == nullptr) return all;
  for (auto const& [record, batch] : hybrid->take_handed_out())
    all.push_back({record, batch.ring_index, submission_rings[batch.ring_index].batch_of(batch)});
  return all;
}

std::uint32_t fed_queue::state::idle_workers() const {
  if (hybrid == nullptr) return 0;
  return memory.on_host
             ? std::atomic_ref(memory.words.data()->idle).load()
             : std::uint32_t(atomic_ref<std::uint64_t, scope::system>(memory.to_host[0].idle).load_relaxed());
}

// Once `closing` is set, no submission passes its check. Submissions that passed before hold their submission
// ring, so holding every submission ring once makes the counts final. Afterwards only this function writes
// the control word.
void fed_queue::state::count_submitted(deadline until) {
  now = phase::closing;
  all_rings_lock const held(*this, until);
  for (auto& ring : submission_rings)
    atomic_ref<std::uint64_t, scope::system>(memory.from_host[0].submitted[ring.index()])
        .store_relaxed(ring.submitted());
}

// Workers whose tasks create tasks leave as soon as they see that the queue is closed.
void fed_queue::state::mark_closed(deadline until) {
  count_submitted(until);
  if (hybrid != nullptr) wait_all(until);
  {
    std::lock_guard const hold(control_mutex);
    write_control(true);
  }
  close_published = true;
  if (memory.on_host) memory.worker_wake_event.notify();
}

void fed_queue::state::join(deadline until) {
  try {
    kernel.join(until);
  } catch (device_lost const& known) {
    auto const said = note_loss(run_number, known);
    end_joined();
    std::rethrow_exception(said);
  }
  end_joined();
}

void fed_queue::state::end_joined() {
  if (now.load() != phase::ended) ended_ns = std::int64_t(steady_now_ns());
  now = phase::ended;
  is_over = true;
  memory.host_wake_event.notify();
  record_run();
  decltype(kept_graphs) ended;  // freed without the lock
  {
    std::lock_guard const hold(graphs_mutex);
    ended.swap(kept_graphs);
  }
}

// Also joins a kernel that has ended early.
void fed_queue::state::announce_close(deadline until) {
  if (now.load() == phase::ended || close_published) return;
  try {
    mark_closed(until);
  } catch (timed_out const&) { throw; } catch (...) {
    join(until);
    throw;
  }
}

void fed_queue::state::close(deadline until) {
  process_.check("close()");
  throw_if_in_continuation("close()");
  announce_close(until);
  try {
    join(until);
  } catch (timed_out const& passed) {
    throw timed_out("the queue's tasks to finish on " + device->name(), describe());
  }
  if (lost || unfinished() > 0) throw_stopped();
  if (!take_created().empty()) throw error("created tasks that were asked for were not taken");
  completed = true;
}

void fed_queue::state::log_wait_at_end() const {
  if (auto const left = unfinished(); left > 0)
    log_wait("a task queue on " + device->name() + " is destroyed (tasks that have not run: " +
                 std::to_string(left) + "), and tasks that run now end first",
             options.resident.stop_timeout);
}

// Takes the submission rings before counting: a submitter that was inside has then written its batch, and
// none can follow.
std::vector<task> fed_queue::state::stop() {
  process_.check("stop()");
  if (now.load() == phase::open) now = phase::closing;
  kernel.request_stop();
  if (memory.on_host) memory.worker_wake_event.notify();
  try {
    join(deadline::in(options.resident.stop_timeout));
  } catch (device_lost const&) {
    // `lost` reports it, even if another call has joined.
  }
  if (collected) return {};
  all_rings_lock const held(*this, deadline::in(options.timeout));
  std::vector<task> tasks;
  if (!lost) collect_from_ring(tasks);
  if (!lost && hybrid != nullptr)
    for (auto const& left : hybrid->collect()) tasks.push_back(task_of(*kernels, left.record));
  for (auto const& created : take_created()) tasks.push_back(task_of(*kernels, created.record));
  collect_from_submission_rings(tasks);
  collected = true;
  return tasks;
}

/// A graph has its tasks still, and its completion says that they did not all run.
void fed_queue::state::hand_back(std::optional<task_record> const& record, std::vector<task>& into) const {
  if (record && !record->is_graph() && record->kernel() != task_record::halt)
    into.push_back(task_of(*kernels, *record));
}

// A slot that was released r times and bears the stamp of lap r + 1 holds a task that no worker began.
void fed_queue::state::collect_from_ring(std::vector<task>& into) {
  auto const ring = memory.ring.read(*copies);
  auto const released = memory.released.read(*copies);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    auto const record = record_in_ring(ring[i], released[i]);
    bool const is_grid_ticket = record && record->is_grid();  // its blocks are in a shared grid
    if (!is_grid_ticket) hand_back(record, into);
  }
  std::vector<ring_words> words(1);
  copies->copy(words.data(), memory.words.data(), memory.words.bytes());
  copies->synchronize();
  for (auto const& grid : words[0].shared_grids) hand_back(remainder_of_grid(grid), into);
}

void fed_queue::state::collect_from_submission_rings(std::vector<task>& into) {
  for (auto const& ring : submission_rings)
    for (auto position = ring.fetched(); position < ring.submitted(); ++position)
      hand_back(ring.remainder_of(position), into);
}

std::vector<std::uint32_t> fed_queue::state::traced_by_worker() const {
  std::vector<std::uint32_t> counts(memory.traced.size());
  copies->copy(counts.data(), memory.traced.data(), memory.traced.bytes());
  copies->synchronize();
  return counts;
}

std::vector<task_span> fed_queue::state::task_spans() const {
  if (memory.trace_depth == 0) return {};
  std::vector<task_times> trace(memory.trace.size());
  copies->copy(trace.data(), memory.trace.data(), memory.trace.bytes());
  auto const counts = traced_by_worker();
  auto const offset = kernel.clock_offset_ns();
  std::vector<task_span> spans;
  for (std::uint32_t worker = 0; worker < counts.size(); ++worker)
    for (std::uint32_t i = 0; i < std::min(counts[worker], memory.trace_depth); ++i) {
      auto const& one = trace[std::size_t(worker) * memory.trace_depth + i];
      task_span made{.worker = worker,
                     .begin_ns = std::int64_t(one.begin_ns) + offset,
                     .end_ns = std::int64_t(one.end_ns) + offset,
                     .range = {one.first_block, one.blocks_and_kernel >> 8},
                     .kernel = one.blocks_and_kernel & 0x7f};
      name_work(made, one, rounds);
      spans.push_back(made);
    }
  return spans;
}

std::uint64_t fed_queue::state::trace_dropped() const {
  std::uint64_t dropped = 0;
  if (memory.trace_depth != 0)
    for (auto const count : traced_by_worker()) dropped += count - std::min(count, memory.trace_depth);
  return dropped;
}

// The run has already ended; a trace that cannot be read does not change its outcome.
void fed_queue::state::record_run() noexcept {
  if (!options.trace_to || std::exchange(is_recorded, true)) return;
  try {
    if (hybrid != nullptr)
      options.trace_to.record(span_of_run(kernels->name(), hybrid->statistics(), begun_ns));
    else
      record_tasks();
  } catch (std::exception const& failure) { write_log(log_level::warning, failure.what()); }
}

void fed_queue::state::record_tasks() const {
  options.trace_to.record(spans_of_tasks(task_spans(), rounds, *kernels));
  options.trace_to.count_dropped(trace_dropped());
}

}  // namespace ballast::detail
