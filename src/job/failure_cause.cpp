// SPDX-License-Identifier: Apache-2.0
#include "failure_cause.hpp"

#include "ballast/error.hpp"

namespace ballast::detail {

std::string cause_of(std::exception_ptr const& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (std::exception const& thrown) { return thrown.what(); } catch (...) {
    return "something that is not a std::exception was thrown";
  }
}

std::exception_ptr failure_of_source() {
  return std::make_exception_ptr(error("it takes data of an operation that failed"));
}

}  // namespace ballast::detail
