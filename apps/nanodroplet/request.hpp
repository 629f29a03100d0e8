// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "droplet.hpp"

namespace ballast::nanodroplet {

/// What was typed.
struct command_request {
  std::uint32_t waters = 356;
  std::string solute = "m12";
  bool json = false;
};

/// What it means.
struct checked_request {
  droplet_spec system;
};

/// Throws bad_argument with the option's name for what is illegal.
checked_request checked(command_request const& typed);

}  // namespace ballast::nanodroplet
