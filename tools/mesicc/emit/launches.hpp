// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "emit/device_functions.hpp"
#include "emit/renamed_globals.hpp"
#include "emit/source_rewriter.hpp"
#include "model/launch_plan.hpp"
#include "source/launch_sites.hpp"

namespace ballast::mesicc {

/// A launch of the program with the result of its analysis.
struct planned_launch {
  launch_site site;
  launch_plan plan;
};

/// The structs that are inserted after kernels.
struct rewritten_launches {
  std::vector<std::string> names;                        ///< qualified, of each launch
  std::map<clang::SourceLocation, std::string> structs;  ///< their texts, by the ends of the kernels
};

/// `kernel<<[x, y]>>(a, n)` becomes `ballast::mesi::launch<kernel_17>({x, y}, a, n)`, and struct kernel_17,
/// which describes what the launch touches, is inserted after the kernel.
rewritten_launches rewrite_launches(std::vector<planned_launch> const& launches,
                                    device_functions const& functions, renamed_globals const& renamed,
                                    source_rewriter& rewriter);

}  // namespace ballast::mesicc
