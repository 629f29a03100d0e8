// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace ballast {

/// A short text for each record that no other has: the machine, the devices, the commit or the time if one of
/// them tells all apart, else all of these that differ; the same record twice gets #1 and #2.
std::vector<std::string> distinguishing_labels(std::span<run_record const> records);

/// Where a record comes from, in one line: "2x-nvidia-h200 (cuda:0, cuda:1), commit 77432dd987, 2026-11-21,
/// ..."
std::string origin_of(run_record const& record);

/// The first ten places of the commit's hash, "(changed)" behind it if the tree was; "unknown".
std::string short_commit(source_state const& source);

}  // namespace ballast
