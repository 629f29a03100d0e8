// SPDX-License-Identifier: Apache-2.0
#include "queue_state.hpp"

#include <algorithm>
#include <thread>

#include "ballast/base/log.hpp"

namespace ballast::inline queue {
namespace {

std::uint64_t next_uid() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

/// The lanes that this thread was given, by queue. The oldest makes room: a thread that feeds more than eight
/// queues is given a lane anew now and then, which is harmless.
struct lane_memo {
  std::uint64_t uid = 0;
  producer_lane* lane = nullptr;
};
thread_local lane_memo lane_memos[8];
thread_local unsigned next_memo = 0;

/// A list whose tasks may create tasks has an entry of its own.
source_key source_of(compiled_kernels const& list) {
  return list.has_entry_for(source_key_of<fed_view>) ? source_key_of<fed_view>
                                                     : source_key_of<lane_source_ref>;
}

struct lane_release {
  producer_lane& lane;
  ~lane_release() { lane.let_go(); }
};

}  // namespace

task_queue::state::state(std::shared_ptr<compute_device> on, compiled_kernels const& list,
                         queue_options const& given)
    : device(std::move(on)),
      kernels(&list),
      options(given),
      kernel(device, list, list.entry_for(source_of(list)), options.resident),
      memory(device, options, kernel.blocks()),
      fed(kernels->has_entry_for(source_key_of<fed_view>) ? make_fed() : nullptr),
      copies(device->make_stream()),
      uid(next_uid()) {
  for (std::uint32_t lane = 0; lane < options.lanes; ++lane) lanes.emplace_back(memory, lane);
}

std::unique_ptr<fed_memory> task_queue::state::make_fed() const {
  if (options.times) refuse_argument("times", "true", "false for tasks that create tasks");
  if (options.trace_depth != 0)
    refuse_argument("trace_depth", options.trace_depth, "0 for tasks that create tasks");
  return std::make_unique<fed_memory>(device, *kernels, options.spawned, memory, kernel.blocks());
}

// Submitters of the last run that are still inside see its end and let go of their lanes.
void task_queue::state::start() {
  if (now.load() != phase::ended || kernel.claimed()) throw error("this queue is running already");
  every_lane_held const held(*this, deadline::in(options.patience));
  launch();
}

void task_queue::state::launch() {
  memory.clear(*copies);
  if (fed != nullptr) fed->clear(handed_back);
  for (auto& lane : lanes) lane.forget_all();
  lanes_told = 0;
  ++run;
  try {
    start_kernel();
  } catch (...) {
    give_up_start();
    throw;
  }
  collected = told_closed = handed_back = false;
  lost = false;
  now = phase::open;
}

void task_queue::state::start_kernel() {
  auto const source = memory.source(kernel.next_control());
  if (fed == nullptr) return kernel.start(&source, sizeof source);
  auto const work = fed->work(source);
  kernel.start(&work, sizeof work);
}

// If even stopping fails the kernel stays claimed, and whoever owns this state leaves it behind alive.
void task_queue::state::give_up_start() {
  try {
    kernel.request_stop();
    kernel.join(deadline::in(options.resident.stop_patience));
  } catch (error const& failure) { write_log(log_level::warning, failure.what()); }
}

void task_queue::state::hold_lanes(deadline until) {
  for (auto lane = lanes.begin(); lane != lanes.end(); ++lane) {
    if (lane->hold(until)) continue;
    while (lane != lanes.begin()) (--lane)->let_go();
    throw deadline_passed("a submitting thread to leave the queue on " + device->name(), describe());
  }
}

void task_queue::state::release_lanes() {
  for (auto& lane : lanes) lane.let_go();
}

inline producer_lane& task_queue::state::lane_of_this_thread() {
  for (auto const& memo : lane_memos)
    if (memo.uid == uid) return *memo.lane;
  return give_lane_to_this_thread();
}

producer_lane& task_queue::state::give_lane_to_this_thread() {
  auto& lane = lanes[lanes_given.fetch_add(1) % options.lanes];
  lane_memos[next_memo++ % std::size(lane_memos)] = {uid, &lane};
  return lane;
}

void task_queue::state::tell_control(bool closed) {
  atomic_ref<std::uint64_t, scope::system>(memory.from_host[0].control)
      .store_release(lanes_told.load() | (closed ? closed_bit : 0));
}

inline void task_queue::state::tell_lane(std::uint32_t lane) {
  if (lanes_told.load() > lane) return;
  std::lock_guard const hold(control_mutex);
  lanes_told = std::max(lanes_told.load(), lane + 1);
  tell_control(false);
}

inline void task_queue::state::open_lane(producer_lane& lane) {
  if (now.load() != phase::open) throw error("the queue is closed; start() opens it again");
  // A query costs too much for every submission; a loss that a wait has seen is known to all.
  bool const due = lane.next_batch() % 1024 == 1023;
  if ((lost || due) && !alive()) throw_stopped();
  tell_lane(lane.index());
}

// Every task that is submitted by itself goes this way, most of them no further.
inline std::optional<std::uint64_t> task_queue::state::write_if_room(producer_lane& lane, task const& one) {
  open_lane(lane);
  if (!lane.has_room_for(1)) return std::nullopt;
  auto const record = kernels->record_of(one);
  auto const batch = lane.write(std::span<task_record const, 1>(&record, 1));
  if (memory.on_host) memory.workers_bell.ring();
  return batch;
}

ticket task_queue::state::submit(task const& one, deadline const* until) {
  auto& lane = lane_of_this_thread();
  if (!lane.try_hold()) return submit_patiently(one, until);
  {
    lane_release const release{lane};
    if (auto const batch = write_if_room(lane, one)) return {lane.index(), run, *batch, *batch};
  }
  return submit_patiently(one, until);
}

ticket task_queue::state::submit_patiently(task const& one, deadline const* until) {
  auto const record = kernels->record_of(one);
  return submit(std::span(&record, 1), until);
}

std::optional<ticket> task_queue::state::try_submit(task const& one) {
  auto& lane = lane_of_this_thread();
  if (!lane.try_hold()) return std::nullopt;
  lane_release const release{lane};
  if (auto const batch = write_if_room(lane, one)) return ticket{lane.index(), run, *batch, *batch};
  if (!alive()) throw_stopped();
  return std::nullopt;
}

// The clock is read only by who must wait: reading it costs more than writing a task.
ticket task_queue::state::submit(std::span<task_record const> batch, deadline const* given_until) {
  std::optional<deadline> own;
  auto const until = [&] {
    if (given_until != nullptr) return *given_until;
    if (!own) own = deadline::in(options.patience);
    return *own;
  };
  auto& lane = lane_of_this_thread();
  if (!lane.try_hold() && !lane.hold(until()))
    throw queue_full({lane.index(), run, 1, 0}, 0, batch.size(), describe());
  lane_release const release{lane};
  open_lane(lane);
  ticket given{lane.index(), run, lane.next_batch(), lane.next_batch() - 1};
  auto const piece = std::max<std::size_t>(1, (std::size_t(1) << memory.shift) / 4);
  for (std::size_t done = 0; done < batch.size();) {
    auto const tasks = batch.subspan(done, records_of_a_batch(batch.subspan(done), piece));
    try {
      if (!lane.has_room_for(tasks.size()))
        await([&] { return lane.has_room_for(tasks.size()); }, awaited::room, until());
    } catch (deadline_passed const& passed) { throw queue_full(given, done, batch.size(), passed.state()); }
    given.last_batch = lane.write(tasks);
    done += tasks.size();
    if (memory.on_host) memory.workers_bell.ring();
  }
  return given;
}

bool task_queue::state::finished(ticket const& which) const {
  if (which.run != run)
    refuse_argument("ticket", "of run " + std::to_string(which.run), "one of the present run");
  auto const& lane = lanes.at(which.lane);
  for (auto batch = which.first_batch; batch != which.last_batch + 1; ++batch)
    if (!lane.complete(batch)) return false;
  return true;
}

void task_queue::state::await(std::function<bool()> const& done, awaited what, deadline until) {
  if (done()) return;
  bell_listener const listening(memory, what);
  for (std::uint64_t looks = 1;; ++looks) {
    auto const rings = memory.host_bell.rings();
    if (done()) return;
    if (memory.on_host || looks % 64 == 0) {
      bool const ended = !alive();
      if (ended && done()) return;
      if (ended) throw_stopped();
      if (until.passed())
        throw deadline_passed(
            (what == awaited::room ? "room in the queue on " : "a batch on ") + device->name(), describe());
    }
    if (memory.on_host)
      memory.host_bell.wait_past(rings, std::min(until.at(), clock::now() + std::chrono::milliseconds(20)));
    else if (looks > 60)
      std::this_thread::yield();
  }
}

bool task_queue::state::alive() {
  try {
    return kernel.running();
  } catch (device_lost const& loss) {
    lost = true;
    throw device_lost(device->name(),
                      loss.cause() + "; " + std::to_string(unfinished()) +
                          " accepted tasks are not known to have run, stop() hands back those not "
                          "known to have left the host");
  }
}

void task_queue::state::throw_stopped() {
  std::string why = kernel.gave_up()          ? "no task came for idle_limit"
                    : kernel.stop_requested() ? "it was asked to stop"
                    : fed != nullptr          ? fed->why_halted()
                                              : "";
  throw queue_stopped(device->name(), unfinished(), why.empty() ? "its blocks left" : why);
}

std::vector<ticket> task_queue::state::everything() const {
  std::vector<ticket> all;
  for (auto const& lane : lanes) {
    auto const end = lane.next_batch(), slots = lane.batch_slots();
    if (end > 0) all.push_back({lane.index(), run, end > slots ? end - slots : 0, end - 1});
  }
  return all;
}

// From `closing` on no submission passes its check; those that passed before hold their lane, so that holding
// every lane once makes the counts final. The control word is written after, and by nobody else any more.
void task_queue::state::count_submitted(deadline until) {
  now = phase::closing;
  every_lane_held const held(*this, until);
  for (auto& lane : lanes)
    atomic_ref<std::uint64_t, scope::system>(memory.from_host[0].submitted[lane.index()])
        .store_relaxed(lane.submitted());
}

// Workers whose tasks create tasks leave as soon as they hear of it.
void task_queue::state::mark_closed(deadline until) {
  count_submitted(until);
  if (fed != nullptr)
    for (auto const& batches : everything())
      await([&] { return finished(batches); }, awaited::completion, until);
  {
    std::lock_guard const hold(control_mutex);
    tell_control(true);
  }
  told_closed = true;
  if (memory.on_host) memory.workers_bell.ring();
}

void task_queue::state::join(deadline until) {
  kernel.join(until);
  now = phase::ended;
}

void task_queue::state::close(deadline until) {
  if (now.load() != phase::ended && !told_closed) mark_closed(until);
  try {
    join(until);
  } catch (deadline_passed const& passed) {
    throw deadline_passed("the queue's tasks to finish on " + device->name(), describe());
  }
  if (unfinished() > 0) throw_stopped();
}

// The lanes are taken before counting: a submitter that was inside has then written its batch, and none can
// follow.
std::vector<task> task_queue::state::stop() {
  if (now.load() == phase::open) now = phase::closing;
  kernel.request_stop();
  if (memory.on_host) memory.workers_bell.ring();
  bool device_is_gone = false;
  try {
    join(deadline::in(options.resident.stop_patience));
  } catch (device_lost const&) {
    device_is_gone = true;
    now = phase::ended;
  }
  if (collected) return {};
  every_lane_held const held(*this, deadline::in(options.patience));
  std::vector<task> tasks;
  if (!device_is_gone) collect_from_ring(tasks);
  if (!device_is_gone && fed != nullptr)
    for (auto const& left : fed->collect()) tasks.push_back(kernels->task_of(left.record));
  collect_from_lanes(tasks);
  collected = true;
  handed_back = !tasks.empty();
  return tasks;
}

// A slot that was released r times and bears the stamp of lap r + 1 holds a task that nobody began.
void task_queue::state::collect_from_ring(std::vector<task>& into) {
  auto const ring = memory.ring.read(*copies);
  auto const released = memory.released.read(*copies);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    auto const record = record_in_ring(ring[i], released[i]);
    bool const is_entry = record && record->is_spread();  // its blocks are in a share
    if (record && !is_entry && record->kernel() != task_record::halt)
      into.push_back(kernels->task_of(*record));
  }
  std::vector<ring_words> words(1);
  copies->copy(words.data(), memory.words.data(), memory.words.bytes());
  copies->synchronize();
  for (auto const& share : words[0].shares)
    if (auto const rest = rest_of_share(share)) into.push_back(kernels->task_of(*rest));
}

void task_queue::state::collect_from_lanes(std::vector<task>& into) {
  for (auto const& lane : lanes)
    for (auto position = lane.fetched(); position < lane.submitted(); ++position)
      if (auto const record = lane.rest_of(position)) into.push_back(kernels->task_of(*record));
}

std::uint64_t task_queue::state::submitted() const {
  std::uint64_t sum = 0;
  for (auto const& lane : lanes) sum += lane.tasks();
  return sum;
}

// Idle workers hold tickets of tasks that are not there yet: at most what was submitted can be taken.
std::uint64_t task_queue::state::taken() const {
  auto& words = *memory.words.data();
  auto& told = memory.to_host[0].taken;
  auto const claimed = memory.on_host ? std::atomic_ref(words.head).load()
                                      : atomic_ref<std::uint64_t, scope::system>(told).load_acquire();
  return std::min(claimed, submitted());
}

std::uint64_t task_queue::state::unfinished() const {
  std::uint64_t sum = 0;
  for (auto const& lane : lanes) sum += lane.unfinished_tasks();
  return sum;
}

std::string task_queue::state::describe() {
  std::string text = "queue of " + std::string(kernels->name()) + " on " + device->name() + ": " +
                     std::to_string(submitted()) + " tasks submitted, " + std::to_string(taken()) +
                     " taken, at most " + std::to_string(unfinished()) + " unfinished\n";
  for (auto const& lane : lanes)
    if (lane.submitted() > 0)
      text += "lane " + std::to_string(lane.index()) + ": " + std::to_string(lane.submitted()) +
              " slots submitted, " + std::to_string(lane.fetched()) + " fetched, " +
              std::to_string(lane.next_batch()) + " batches\n";
  return text + kernel.describe_blocks();
}

}  // namespace ballast::inline queue
