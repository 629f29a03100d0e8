// SPDX-License-Identifier: Apache-2.0
#include "ballast/stream.hpp"

#include <chrono>
#include <thread>

#include "ballast/deadline.hpp"
#include "ballast/detail/base/host_waits.hpp"
#include "ballast/error.hpp"
#include "ballast/trace.hpp"

namespace ballast {

using namespace detail;
namespace {

// The shortest sleep of a pacer. A sleep takes some 60 us longer than requested, so a pacer adds up the time
// that it is to sleep until it is at least this long.
constexpr double min_sleep_ns = 100e3;

[[noreturn]] void throw_bad_pitch(char const* which, std::size_t pitch, std::size_t row_bytes) {
  throw_bad_argument(which, pitch, "at least the " + detail::counted(row_bytes, "byte") + " of a row");
}

void check_pitches(std::size_t to_pitch, std::size_t from_pitch, std::size_t row_bytes, std::size_t rows) {
  if (rows > 1 && to_pitch < row_bytes) throw_bad_pitch("to_pitch", to_pitch, row_bytes);
  if (rows > 1 && from_pitch < row_bytes) throw_bad_pitch("from_pitch", from_pitch, row_bytes);
}

bool is_one_block(std::size_t to_pitch, std::size_t from_pitch, std::size_t row_bytes, std::size_t rows) {
  return rows < 2 || (to_pitch == row_bytes && from_pitch == row_bytes);
}

/// Ends when an event is reached. Nothing reports that moment.
class end_at_event final : public completion_source {
 public:
  explicit end_at_event(std::shared_ptr<event> moment) : moment_(std::move(moment)) {}

  bool has_ended(completion_key const&) override {
    try {
      return moment_->reached();
    } catch (device_lost const&) { return true; } catch (...) {
      return false;
    }  // it is not known; wait() throws the error
  }
  void wait(completion_key const&, deadline until) override {
    wait_limit limit(until);
    for (int looks = 0; !moment_->reached(); ++looks) {
      if (limit.passed()) throw timed_out("an event of a stream", "");
      looks < looks_before_naps ? std::this_thread::yield() : std::this_thread::sleep_for(nap);
    }
  }
  bool notify_at_end(completion_key const&, std::shared_ptr<end_listener> const&) override { return false; }

 private:
  static constexpr int looks_before_naps = 1000;
  static constexpr auto nap = std::chrono::microseconds(20);

  std::shared_ptr<event> const moment_;
};

}  // namespace

completion completion_of(std::shared_ptr<event> moment) {
  if (moment == nullptr) throw_bad_argument("moment", "null", "an event");
  return {std::make_shared<end_at_event>(std::move(moment)), {}};
}

void stream::wait_for(completion const& work) {
  if (work.ready()) return;
  if (!work.source()->needs_no_launch(work.work()))
    throw_bad_argument("work", "a completion that may need a launch before it is ready",
                       "one of tasks of a queue whose resident kernel runs");
  auto gate = enqueue_gate();
  work.then([gate = std::move(gate)](completion const&) mutable { gate.reset(); });
}

completion completion_of(stream& theirs) {
  return completion_of(std::shared_ptr<event>(theirs.record_untimed()));
}

std::uint64_t pacer::add_debt(std::uint64_t worked_ns) {
  debt_ns_ += extra_ * double(worked_ns);
  return debt_ns_ < min_sleep_ns ? 0 : std::uint64_t(debt_ns_);
}

void pacer::slept(std::uint64_t took_ns) { debt_ns_ -= double(took_ns); }

void pacer::worked(std::uint64_t worked_ns) {
  auto const sleep = add_debt(worked_ns);
  if (sleep == 0) return;
  auto const begin = detail::steady_now_ns();
  std::this_thread::sleep_for(std::chrono::nanoseconds(sleep));
  slept(detail::steady_now_ns() - begin);
}

void stream::copy_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                       std::size_t row_bytes, std::size_t rows) {
  check_pitches(to_pitch, from_pitch, row_bytes, rows);
  if (is_one_block(to_pitch, from_pitch, row_bytes, rows)) return copy(to, from, rows * row_bytes);
  if (row_bytes != 0) enqueue_rows(to, to_pitch, from, from_pitch, row_bytes, rows);
}

void stream::copy_rows_by_kernel(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                                 std::size_t row_bytes, std::size_t rows) {
  check_pitches(to_pitch, from_pitch, row_bytes, rows);
  auto const bytes = rows * row_bytes;
  if (bytes == 0) return;
  if (is_one_block(to_pitch, from_pitch, row_bytes, rows))
    enqueue_rows_by_kernel(to, bytes, from, bytes, bytes, 1);
  else
    enqueue_rows_by_kernel(to, to_pitch, from, from_pitch, row_bytes, rows);
}

void stream::enqueue_rows_by_kernel(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                                    std::size_t row_bytes, std::size_t rows) {
  copy_rows(to, to_pitch, from, from_pitch, row_bytes, rows);
}

std::unique_ptr<captured_work> library_stream::capture(std::function<void()> const&) { return nullptr; }

void stream::synchronize(deadline until) {
  nvtx_range const shown("wait for a stream");
  if (await_idle(until)) return;
  throw timed_out("a stream of " + device_name() + " to finish its work", "the stream is not idle\n");
}

}  // namespace ballast
