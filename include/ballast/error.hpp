// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "ballast/version.hpp"

/// The library. Names in ballast::detail are installed because templates need them, and may change at any
/// time.
namespace ballast {

/// The base of every exception that ballast throws; what() is one sentence for the caller.
class BALLAST_API error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument was outside its legal range; the call has changed nothing.
class BALLAST_API bad_argument : public error {
 public:
  /// `argument` is the documented name, `value` the value that was passed, `legal` the legal range in words.
  /// `shown` replaces a value in what() that could drive a terminal; throw_bad_argument() sets it.
  bad_argument(std::string_view argument, std::string_view value, std::string_view legal,
               std::string_view shown)
      : error(std::string(argument).append(" is ").append(shown).append("; legal is ").append(legal)),
        argument_(argument),
        value_(value),
        legal_(legal) {}
  /// The same for a value that cannot.
  bad_argument(std::string_view argument, std::string_view value, std::string_view legal)
      : bad_argument(argument, value, legal, value) {}

  /// The argument's name, as documented.
  std::string const& argument() const noexcept { return argument_; }
  /// The value that was passed, as text.
  std::string const& value() const noexcept { return value_; }
  /// The legal range, in words.
  std::string const& legal() const noexcept { return legal_; }

 private:
  std::string argument_, value_, legal_;
};

/// A wait reached its deadline. `state()` describes the awaited object.
class BALLAST_API timed_out : public error {
 public:
  /// `what_was_awaited` ends the first line of what(); `state`, of any number of lines, follows it. what()
  /// ends in no newline.
  timed_out(std::string_view what_was_awaited, std::string state);

  /// The state alone, which follows the first line of what(): whole lines, or nothing.
  std::string const& state() const noexcept { return state_; }

 private:
  std::string state_;
};

/// A device faulted: a kernel trapped, or threw on the host backend, or the driver lost the device. Its
/// memory is lost, and no later call on the device can succeed in this process. CPU cores can be opened
/// again, as another device.
class BALLAST_API device_lost : public error {
 public:
  /// `device` is the device's name; `cause` is in the driver's words where it has some.
  device_lost(std::string_view device, std::string_view cause);

  /// The device's name.
  std::string const& device() const noexcept { return device_; }
  /// The cause of the device's loss.
  std::string const& cause() const noexcept { return cause_; }

 private:
  std::string device_, cause_;
};

/// Accepted work did not run and will not, because its queue, pool or scheduler was stopped or has ended, or
/// because balanced_queue::cancel() took it back; then the queue goes on.
class BALLAST_API stopped : public error {
 public:
  /// `what` is the whole message.
  stopped(std::string const& what, std::uint64_t unfinished) : error(what), unfinished_(unfinished) {}

  /// At most this many pieces of accepted work had not run: tasks of a queue or pool, launches, jobs.
  std::uint64_t unfinished() const noexcept { return unfinished_; }

 private:
  std::uint64_t unfinished_;
};

/// A kernel was not run, or its output is lost. Its device remains usable, unless what() reports it lost.
class BALLAST_API kernel_failed : public error {
 public:
  /// `what` is the whole message.
  kernel_failed(std::string const& what, std::string kernel, std::string device)
      : error(what), kernel_(std::move(kernel)), device_(std::move(device)) {}

  /// The kernel's name, or the name of its job.
  std::string const& kernel() const noexcept { return kernel_; }
  /// The device's name; empty if the failure came before a device was chosen.
  std::string const& device() const noexcept { return device_; }

 private:
  std::string kernel_, device_;
};

///@{
/// Throws bad_argument with the value as it is, or printed in decimal. Only the first has to be linked.
[[noreturn]] BALLAST_API void throw_bad_argument(std::string_view argument, std::string_view value,
                                                 std::string_view legal);
[[noreturn]] inline void throw_bad_argument(std::string_view argument, double value, std::string_view legal) {
  char digits[40];
  auto const end = std::to_chars(digits, digits + sizeof digits, value);
  throw bad_argument(argument, std::string_view(digits, std::size_t(end.ptr - digits)), legal);
}
template <std::integral Integer>
[[noreturn]] void throw_bad_argument(std::string_view argument, Integer value, std::string_view legal) {
  throw bad_argument(argument, std::to_string(value), legal);
}
///@}

/// The importance of a line: `debug` for finding a fault, `info` for following the program, `warning` when
/// callers get something other than they asked for.
enum class log_level { debug, info, warning };

/// Receives every log line. Called from any thread, one call at a time, without a lock of the log. It may
/// call set_log_sink(), and is kept until it returns. Lines that are written in its thread meanwhile, by
/// itself or by the library, are dropped. The sink must not wait for another thread that writes lines. Its
/// exceptions are ignored; after the first it receives a warning.
using log_sink = std::function<void(log_level, std::string_view)>;

/// Replaces the sink; an empty function (the default) drops every line. The library itself prints nothing:
/// install a sink to see its lines. Any thread may call; waits for a running call of the sink in another
/// thread, so that nothing calls the old sink afterwards.
BALLAST_API void set_log_sink(log_sink sink);

/// A sink for programs: prints warnings on standard error, prefixed with "ballast: ". Each text is printed
/// once, since a program that opens its devices repeatedly gets the same warnings repeatedly.
BALLAST_API log_sink warnings_on_standard_error();

/// Passes one line to the sink. Any thread may call; waits for a call of the sink in another thread; throws
/// nothing that the sink throws.
BALLAST_API void write_log(log_level level, std::string_view line);

namespace detail {
/// A number and what it counts, for messages: "1 block", "2 blocks". `many` is for words that get no "s".
inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many = {}) {
  auto text = std::to_string(count) + ' ';
  text += count == 1 || many.empty() ? one : many;
  return count != 1 && many.empty() ? text + 's' : text;
}
/// The text with one newline at its end; an empty text stays empty.
BALLAST_API std::string as_lines(std::string text);
/// The exception's text, for messages.
BALLAST_API std::string cause_of(std::exception_ptr const& failure);
/// Writes one line of level info with the object `what` and the longest wait; none if the wait is zero.
/// Called by a destructor that is about to wait.
BALLAST_API void log_wait(std::string_view what, std::chrono::duration<double> at_most);
/// Replaces the sink unless set_log_sink() was called before: for a module that runs in a program which may
/// have a sink of its own. Any thread may call.
BALLAST_API void set_log_sink_if_none_was_set(log_sink sink);
}  // namespace detail

}  // namespace ballast
