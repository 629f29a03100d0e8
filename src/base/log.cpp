// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "ballast/arguments.hpp"
#include "ballast/completion.hpp"
#include "ballast/error.hpp"

namespace ballast {
namespace {

/// The installed sink, and whether it has thrown.
struct installed_sink {
  log_sink call;
  bool is_known_to_throw = false;
};

/// Calls the sink; returns its exception, null if it threw none.
std::exception_ptr call(log_sink const& sink, log_level level, std::string_view line) noexcept {
  try {
    sink(level, line);
    return nullptr;
  } catch (...) { return std::current_exception(); }
}

/// The calling thread's turn.
struct turn {
  std::thread::id who = std::this_thread::get_id();
  detail::process_of_origin where;
};

/// Threads call the sink in turn, without the mutex, so that a sink may call any part of the library.
class process_log {
 public:
  static process_log& of_this_process() {
    static auto* const instance = new process_log;  // never destroyed: objects that are destroyed last may
                                                    // still log
    return *instance;
  }

  // Replaces the sink. Destroys the old one after it releases the mutex, since its destructor is the
  // program's.
  void set(log_sink sink, bool only_if_none_was_set) {
    auto next = sink ? std::make_shared<installed_sink>(installed_sink{std::move(sink)}) : nullptr;
    std::unique_lock hold(mutex_);
    if (!is_my_turn()) await_turn(hold);
    if (only_if_none_was_set && was_set_) return;
    sink_.swap(next);
    was_set_ |= !only_if_none_was_set;
  }

  void write(log_level level, std::string_view line) {
    std::shared_ptr<installed_sink> sink;  // stays while it runs
    std::unique_lock hold(mutex_);
    if (is_my_turn()) return;
    await_turn(hold);
    sink = sink_;
    if (sink == nullptr) return;
    turn_.emplace();
    hold.unlock();
    try {
      hand(*sink, level, line);
    } catch (...) {}  // no memory for a warning: still pass the turn on
    hold.lock();
    turn_.reset();
    hold.unlock();
    changed_.notify_all();
  }

 private:
  /// True if a thread holds the turn. In a child of fork(), no thread holds a turn that a thread of the
  /// parent held.
  bool is_taken() const { return turn_ && !turn_->where.is_parent(); }
  bool is_my_turn() const { return is_taken() && turn_->who == std::this_thread::get_id(); }
  void await_turn(std::unique_lock<std::mutex>& hold) {
    changed_.wait(hold, [this] { return !is_taken(); });
  }

  static void hand(installed_sink& to, log_level level, std::string_view line) {
    auto const failure = call(to.call, level, line);
    if (failure == nullptr || std::exchange(to.is_known_to_throw, true)) return;
    call(to.call, log_level::warning,
         "the log sink threw: " + detail::cause_of(failure) + "; what it throws is ignored from now on");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<installed_sink> sink_;
  bool was_set_ = false;
  std::optional<turn> turn_;
};

}  // namespace

void set_log_sink(log_sink sink) { process_log::of_this_process().set(std::move(sink), false); }

void detail::set_log_sink_if_none_was_set(log_sink sink) {
  process_log::of_this_process().set(std::move(sink), true);
}

log_sink warnings_on_standard_error() {
  return [said = std::set<std::string, std::less<>>()](log_level level, std::string_view line) mutable {
    if (level != log_level::warning || !said.emplace(line).second) return;
    std::fputs(detail::as_lines("ballast: " + escape_message(line)).c_str(), stderr);
  };
}

void write_log(log_level level, std::string_view line) { process_log::of_this_process().write(level, line); }

void detail::log_wait(std::string_view what, std::chrono::duration<double> at_most) {
  if (at_most.count() <= 0) return;
  std::ostringstream text;
  text << what << ": waits at most " << at_most.count() << " s";
  write_log(log_level::info, text.str());
}

}  // namespace ballast
