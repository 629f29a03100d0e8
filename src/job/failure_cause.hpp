// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace ballast::inline job {

/// What was thrown, for messages.
std::string cause_of(std::exception_ptr const& failure);

}  // namespace ballast::inline job
