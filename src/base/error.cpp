// SPDX-License-Identifier: Apache-2.0
#include "ballast/error.hpp"

#include "ballast/arguments.hpp"

namespace ballast {
namespace {

std::string without_newlines_at_end(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

}  // namespace

timed_out::timed_out(std::string_view what_was_awaited, std::string state)
    : error(without_newlines_at_end("deadline passed while waiting for " + std::string(what_was_awaited) +
                                    "\n" + state)),
      state_(detail::as_lines(std::move(state))) {}

device_lost::device_lost(std::string_view device, std::string_view cause)
    : error("device " + std::string(device) + " is lost: " + std::string(cause)),
      device_(device),
      cause_(cause) {}

void throw_bad_argument(std::string_view argument, std::string_view value, std::string_view legal) {
  throw bad_argument(argument, value, legal, escape_control_characters(value));
}

std::string detail::as_lines(std::string text) {
  text = without_newlines_at_end(std::move(text));
  return text.empty() ? text : text + '\n';
}

std::string detail::cause_of(std::exception_ptr const& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (std::exception const& thrown) { return thrown.what(); } catch (...) {
    return "something that is not a std::exception was thrown";
  }
}

}  // namespace ballast
