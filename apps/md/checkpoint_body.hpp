// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "checkpoint.hpp"

namespace ballast::md {

/// A checkpoint as the bytes that follow the header of its file, in this machine's byte order.
std::string packed(checkpoint const& point);

/// The checkpoint that packed() gave these bytes for. Throws bad_file, naming `path`, if there is none.
checkpoint unpacked(std::string_view bytes, std::string const& path);

}  // namespace ballast::md
