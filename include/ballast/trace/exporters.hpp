// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <iosfwd>

#include "ballast/trace/span.hpp"

namespace ballast::inline trace {

/// The Trace Event Format of Chrome, which ui.perfetto.dev and chrome://tracing open: one process per device,
/// one thread per worker, one complete event ("X") per span. Times are microseconds since the first begin,
/// with three decimals; `args` hold tasks and step, `otherData` the number of dropped spans.
void write_chrome_trace(std::ostream& out, recording const& what);
/// Columns device,worker,label,step,tasks,begin_ns,end_ns with a header line; fields quoted as in RFC 4180.
void write_csv(std::ostream& out, recording const& what);

/// The same into a file, whole or not at all: see replace_file(). Throws ballast::error with the path.
void save_chrome_trace(std::filesystem::path const& path, recording const& what);
void save_csv(std::filesystem::path const& path, recording const& what);

}  // namespace ballast::inline trace
