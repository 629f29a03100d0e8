// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "ballast/deadline.hpp"

namespace ballast {

/// The output of progress. On a terminal one line is redrawn, at most ten times a second; elsewhere a line is
/// added every ten seconds at most.
struct progress_output {
  std::function<void(std::string_view)> write;
  bool terminal = false;
};

/// An output that writes to a C stream and flushes it; a terminal if the stream is one.
progress_output progress_on(std::FILE* stream);
/// An output that drops what is written.
progress_output no_progress();

/// Reports how far a long run is, how fast, and how long it will take. One thread at a time may call.
///   progress steps("md TQ", 1000, "steps", progress_on(stderr)); ... steps.update(done); ... steps.finish();
class progress {
 public:
  using time_source = std::function<clock::time_point()>;

  /// `total` 0: the end is unknown, so no remaining time is shown. The clock starts here.
  progress(
      std::string title, std::uint64_t total, std::string unit, progress_output output,
      time_source now = [] { return clock::now(); });

  /// `done` of the total are done; writes if the last line is old enough.
  void update(std::uint64_t done);
  /// Writes the last line, with the whole time, and ends it; only the first call counts.
  void finish();

 private:
  std::string state(double elapsed_seconds) const;
  void show(std::string const& line);
  double elapsed_seconds() const;

  std::string title_;
  std::uint64_t total_, done_ = 0;
  std::string unit_;
  progress_output output_;
  time_source now_;
  clock::time_point begin_, shown_;
  std::size_t drawn_places_ = 0;
  bool finished_ = false;
};

/// "[3 of 12, 40 s so far, about 3 min 00 s left]", as the third of 12 parts begins; the remaining time
/// appears once a part has ended.
std::string part_begins(std::uint64_t part, std::uint64_t parts, double seconds_so_far);

/// "0.4 s", "25 s", "3 min 05 s", "2 h 07 min", "5 d 03 h".
std::string duration_text(double seconds);

}  // namespace ballast
