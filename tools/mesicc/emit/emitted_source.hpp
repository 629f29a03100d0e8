// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "emit/launches.hpp"
#include "emit/translate.hpp"
#include "model/diagnostic.hpp"
#include "source/program.hpp"

namespace ballast::mesicc {

/// A program that was found right, with ballast's variables, accesses and launches. Adds a warning for each
/// address that goes where it cannot be followed, and an error where the text cannot be changed.
/// The result defines the options' macros itself, behind ballast's headers.
std::string emitted_source(program const& parsed, std::vector<planned_launch> const& launches,
                           translation_options const& options, std::vector<diagnostic>& found);

}  // namespace ballast::mesicc
