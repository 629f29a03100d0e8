// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <string_view>

#include "ballast/base/argument_text.hpp"

namespace ballast::nanodroplet {

checked_request checked(command_request const& typed) {
  constexpr std::string_view solutes[] = {"m12", "none"};
  checked_request asked;
  asked.system.waters = typed.waters;
  asked.system.has_solute = place_among(solutes, "solute", typed.solute) == 0;
  return asked;
}

}  // namespace ballast::nanodroplet
