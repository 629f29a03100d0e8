// SPDX-License-Identifier: Apache-2.0
#include "launch_stream.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "ballast/detail/base/age.hpp"
#include "ballast/error.hpp"
#include "ballast/launch_queue.hpp"
#include "dispatcher.hpp"

namespace ballast::detail {

void launch_stream_state::check(std::uint64_t number) const {
  if (!has_failed() || finished() >= number) return;
  if (issued() < number) std::rethrow_exception(error_);
  if (lost_.load(std::memory_order_acquire)) std::rethrow_exception(loss_);
}

bool launch_stream_state::is_finished(std::uint64_t number) {
  if (finished() >= number) return true;
  check(number);
  if (!is_watched()) watched_.store(true, std::memory_order_relaxed);
  return false;
}

bool dependency::is_met() const {
  return (launch_stream == nullptr || launch_stream->is_finished(number)) &&
         (moment == nullptr || moment->reached());
}

bool launch_stream_state::has_ended(completion_key const& launch) {
  note_asked(launch.first);
  if (finished() >= launch.first) return true;
  if (has_failed() && (issued() < launch.first || lost_.load(std::memory_order_acquire))) return true;
  if (!is_watched()) watched_.store(true, std::memory_order_relaxed);
  return false;
}

void launch_stream_state::wait(completion_key const& launch, deadline until) {
  nvtx_range const shown("wait for a launch");
  note_asked(launch.first);
  await(
      launch_phase::end, [&] { return is_finished(launch.first); }, launch.first, "finish", until);
}

/// A thread that waits only for the last launch of a burst does not count, so two waits in succession are
/// required.
bool launch_stream_state::is_awaited_each_time() {
  auto const before = submitted();
  if (before == 0 || is_in_flight() || asked_.load(std::memory_order_relaxed) != before) return false;
  return std::exchange(awaited_before_, before + 1) == before;
}

bool launch_stream_state::notify_at_end(completion_key const&,
                                        std::shared_ptr<end_listener> const& listener) {
  changed_.forward_to(listener);
  if (listener != nullptr) watch(launch_phase::end);
  return true;
}

void launch_stream_state::watch(launch_phase moment) {
  if (moment == launch_phase::issue) issue_watched_.store(true, std::memory_order_relaxed);
  watched_.store(true, std::memory_order_relaxed);
  fence_->pass();
}

void launch_stream_state::notify_watchers() {
  if (!is_watched()) return;
  watched_.store(false, std::memory_order_relaxed);
  changed_.notify();
}

void launch_stream_state::notify_issue_watchers() {
  if (!issue_watched_.load(std::memory_order_relaxed)) return;
  issue_watched_.store(false, std::memory_order_relaxed);
  changed_.notify();
}

bool launch_stream_state::is_settled(std::uint64_t number) const {
  if (!has_failed()) return finished() >= number;
  return lost_.load(std::memory_order_acquire) || finished() == issued();
}

/// Waits until launch `number` is settled; false if `until` came first. Polls before it sleeps: a short burst
/// ends meanwhile, and a wake-up would take about as long as the burst.
bool launch_stream_state::settles(std::uint64_t number, deadline until) {
  for (;;) {
    auto const seen = changed_.epoch();
    watch(launch_phase::end);
    if (is_settled(number)) return true;
    look_at_oldest();
    if (!changed_.spin_then_wait_past(seen, until)) return is_settled(number);
  }
}

// Nobody records when a launch ended, so a thread that waits notes what it sees.
launch_stream_state::oldest_seen launch_stream_state::look_at_oldest() {
  std::lock_guard const hold(oldest_mutex_);
  if (auto const oldest = finished() + 1; oldest_.number != oldest) oldest_ = {oldest, clock::now()};
  return oldest_;
}

std::string launch_stream_state::progress() const {
  auto const ended = finished(), given = issued();  // in this order; a direct launch is issued first
  return "launch stream " + std::to_string(number_) + ": " +
         counted(std::max(submitted(), given), "launch", "launches") + " submitted, " +
         std::to_string(given) + " issued, " + std::to_string(ended) + " finished\n";
}

std::string launch_stream_state::text_of(oldest_seen const& oldest) const {
  if (oldest.number > submitted()) return {};
  auto const age = std::chrono::duration<double, std::nano>(clock::now() - oldest.since).count();
  return "oldest launch: number " + std::to_string(oldest.number) + " of launch stream " +
         std::to_string(number_) + (oldest.number > issued() ? ", not issued" : ", issued") +
         " and not finished for at least " + text_of_age(age) + "\n";
}

std::string launch_stream_state::state() {
  auto const device = device_.lock();
  return of_ + ", " + progress() + text_of(look_at_oldest()) +
         (device == nullptr ? "" : describe_resident_holder(*device));
}

void launch_stream_state::mark_issued(std::uint32_t stream_index, std::uint32_t launches) {
  stream_index_.store(stream_index, std::memory_order_relaxed);
  issued_.store(issued_.load(std::memory_order_relaxed) + launches, std::memory_order_release);
}

void launch_stream_state::mark_finished(std::uint32_t launches) {
  finished_.store(finished_.load(std::memory_order_relaxed) + launches, std::memory_order_release);
}

void launch_stream_state::fail(std::exception_ptr error, bool lost) {
  {
    std::lock_guard const hold(error_mutex_);
    if (!failed_.load(std::memory_order_relaxed)) error_ = error;
    if (lost && !lost_.load(std::memory_order_relaxed)) loss_ = std::move(error);
    if (lost) lost_.store(true, std::memory_order_release);
    failed_.store(true, std::memory_order_release);
  }
  changed_.notify();
}

std::shared_ptr<launch_stream_state> launch_stream_table::add(std::int32_t priority) {
  std::lock_guard const hold(mutex_);
  auto place = std::ranges::find(lines_, nullptr);
  if (place == lines_.end()) place = lines_.insert(lines_.end(), nullptr);
  auto const number = std::uint32_t(place - lines_.begin());
  return *place =
             std::make_shared<launch_stream_state>(owner_, of_, device_, fence_, number, priority, timeout_);
}

std::vector<std::shared_ptr<launch_stream_state>> launch_stream_table::all() const {
  std::lock_guard const hold(mutex_);
  std::vector<std::shared_ptr<launch_stream_state>> every;
  std::ranges::copy_if(lines_, std::back_inserter(every), [](auto const& line) { return line != nullptr; });
  return every;
}

void launch_stream_table::note(launch_stream_state& line) {
  if (noted_.size() <= line.number()) noted_.resize(line.number() + std::size_t{1});
  noted_[line.number()] = &line;
}

void launch_stream_table::forget(launch_stream_state const& line) {
  std::lock_guard const hold(mutex_);
  auto const number = line.number();
  noted_[number] = nullptr;
  lines_[number] = nullptr;
}

}  // namespace ballast::detail

namespace ballast {

using namespace detail;

namespace {

/// The end of other work, as an event; if that work fails, it can never be reached.
class end_of_other_work : public event {
 public:
  explicit end_of_other_work(completion of) : of_(std::move(of)) {}

  bool reached() override {
    if (!of_.ready()) return false;
    of_.wait();
    return true;
  }
  std::chrono::nanoseconds since(event const&) const override {
    throw_bad_argument("event", "the end of other work", "one that has a time");
  }

 private:
  completion of_;
};

std::uint64_t now_ns() { return std::uint64_t(clock::now().time_since_epoch().count()); }

}  // namespace

launch_stream::launch_stream(std::shared_ptr<dispatchers> queue, std::shared_ptr<launch_stream_state> line,
                             std::uint64_t max_waiting)
    : queue_(std::move(queue)), state_(std::move(line)), max_waiting_(max_waiting) {}

launch_stream& launch_stream::operator=(launch_stream&& other) noexcept {
  launch_stream(std::move(other)).swap(*this);
  return *this;
}

launch_stream::~launch_stream() {
  if (state_ == nullptr || state_->process().is_parent()) return;
  if (!dependencies_.empty())
    write_log(log_level::warning, "a launch stream goes, and nothing was launched behind its last after()");
  if (state_->leave()) state_->owner().add_to_inbox(*state_);
}

void launch_stream::swap(launch_stream& other) noexcept {
  std::swap(queue_, other.queue_);
  std::swap(state_, other.state_);
  std::swap(max_waiting_, other.max_waiting_);
  std::swap(dependencies_, other.dependencies_);
}

void launch_stream::check_grid(std::uint32_t grid) {
  if (grid == 0) throw_bad_argument("grid", grid, "at least 1");
}

mergeable_kernel const* launch_stream::find_mergeable(kernel_key key) const {
  return state_->owner().kernels().find(key);
}

kernel_code const& launch_stream::code_of(kernel_key key, kernel_code const* compiled_here) const {
  auto const* const set = state_->owner().kernels().set();
  if (set != nullptr && set->contains(key)) return set->kernels()[set->index_of(key)].code;
  if (compiled_here != nullptr) return *compiled_here;
  throw_bad_argument("kernel", name_of(key),
                     (set == nullptr ? "" : "a kernel of the set " + set->name() + ", or ") +
                         std::string("one that is launched in a .cu file"));
}

void launch_stream::throw_no_function() {
  throw_bad_argument("kernel", "null", "a handle of a kernel: a CUkernel or a CUfunction");
}

void launch_stream::throw_if_no_gpu() const {
  if (device().capabilities().runs_functions) return;
  throw_bad_argument("kernel", "a __global__ function",
                     "a ballast kernel or a callable on " + device().name() + ", which has no GPU");
}

submission& launch_stream::next_submission() {
  state_->process().check("launch()");
  state_->check(state_->submitted() + 1);
  state_->owner().throw_if_stopped();  // its thread notifies the launch stream later
  if (state_->submitted() - state_->issued() >= max_waiting_) wait_for_room();
  auto& next = state_->chain().next();
  next.clear();
  next.set_time(now_ns());
  return next;
}

void launch_stream::wait_for_room() {
  nvtx_range const shown("launch waits for room");
  auto const number = state_->submitted() + 1;
  auto const has_room = [&] { return number - state_->issued() <= max_waiting_; };
  state_->await(launch_phase::issue, has_room, number, "find room", deadline::in(state_->timeout({})));
}

completion launch_stream::commit() {
  if (!dependencies_.empty()) state_->chain().next().set_dependencies(std::exchange(dependencies_, {}));
  if (state_->owner().issue_directly(*state_, state_->chain().next())) {
    state_->chain().next().clear();
    state_->mark_submitted();
    return last();
  }
  state_->mark_submitted();
  state_->chain().commit();
  if (state_->announce()) state_->owner().add_to_inbox(*state_);
  return last();
}

completion launch_stream::last() const { return {state_, {.first = state_->submitted()}}; }

bool launch_stream::is_issued() const { return state_->issued() >= state_->submitted(); }

void launch_stream::wait_issued(std::optional<deadline> limit) const {
  auto const until = limit.value_or(deadline::in(state_->timeout({})));
  state_->process().check("wait_issued()");
  state_->await(
      launch_phase::issue, [&] { return is_issued(); }, state_->submitted(), "be issued", until);
}

compute_device& launch_stream::device() const { return state_->owner().device(); }

void launch_stream::after(completion const& other) {
  state_->process().check("after()");
  state_->owner().throw_if_stopped();
  if (auto line = std::dynamic_pointer_cast<launch_stream_state>(other.source()))
    dependencies_.push_back({std::move(line), other.work().first, nullptr});
  else
    dependencies_.push_back({nullptr, 0, std::make_shared<end_of_other_work>(other)});
}

void launch_stream::after(std::shared_ptr<event> moment) {
  state_->process().check("after()");
  state_->owner().throw_if_stopped();
  dependencies_.push_back({nullptr, 0, std::move(moment)});
}

void launch_stream::precede(stream& theirs, std::optional<deadline> limit) {
  auto const until = limit.value_or(deadline::in(state_->timeout({})));
  auto const moment = std::make_shared<std::unique_ptr<event>>();
  launch([moment](stream& on) { *moment = on.record_untimed(); });
  wait_issued(until);
  theirs.wait_for(**moment);
}

}  // namespace ballast
