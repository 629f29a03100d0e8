// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "emit/launches.hpp"
#include "model/diagnostic.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

/// A program that was found right, with ballast's variables, accesses and launches. Adds a warning for each
/// address that goes where it cannot be followed, and an error where the text cannot be changed.
/// `definitions` are NAME or NAME=VALUE; the result defines them itself, behind ballast's headers.
std::string emitted_source(program const& parsed, std::vector<planned_launch> const& launches,
                           std::vector<std::string> const& definitions, std::vector<diagnostic>& found);

}  // namespace ballast::mesicc
