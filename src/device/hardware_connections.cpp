// SPDX-License-Identifier: Apache-2.0
#include "ballast/device.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"
#include "device_state.hpp"

namespace ballast {

using namespace detail;
namespace {

constexpr char variable[] = "CUDA_DEVICE_MAX_CONNECTIONS";

bool is_legal(std::uint32_t count) { return count >= 1 && count <= 32; }

hardware_connections read_variable() {
  auto const text = environment(variable);
  if (!text) return {};
  std::uint32_t count = 0;
  auto const end = text->data() + text->size();
  auto const read = std::from_chars(text->data(), end, count);
  if (read.ec != std::errc() || read.ptr != end || !is_legal(count)) return {};
  return {count, true};
}

connection_setting& process_setting() {
  static connection_setting setting;
  return setting;
}

}  // namespace

hardware_connections connection_setting::current() const {
  std::lock_guard const hold(mutex_);
  return at_first_use_ ? *at_first_use_ : read_variable();
}

bool connection_setting::request(std::uint32_t count) {
  if (!is_legal(count)) throw_bad_argument("count", count, "1 to 32 hardware connections");
  std::lock_guard const hold(mutex_);
  if (at_first_use_ || environment(variable)) return false;
  return setenv(variable, std::to_string(count).c_str(), 1) == 0;
}

void connection_setting::record_first_use() {
  std::lock_guard const hold(mutex_);
  if (!at_first_use_) at_first_use_ = read_variable();
}

hardware_connections process_connections() { return process_setting().current(); }

bool request_connections(std::uint32_t count) { return process_setting().request(count); }

void detail::record_first_cuda_use() { process_setting().record_first_use(); }

}  // namespace ballast
