// SPDX-License-Identifier: Apache-2.0
#include "report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "report/table.hpp"

namespace ballast {

progress_output progress_on(std::FILE* stream) {
  auto const write = [stream](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);
  };
  return {write, isatty(fileno(stream)) == 1};
}

progress_output no_progress() {
  return {[](std::string_view) {}, false};
}

progress::progress(std::string title, std::uint64_t total, std::string unit, progress_output output,
                   time_source now)
    : title_(std::move(title)),
      total_(total),
      unit_(std::move(unit)),
      output_(std::move(output)),
      now_(std::move(now)),
      begin_(now_()),
      shown_(begin_) {}

void progress::update(std::uint64_t done) {
  done_ = done;
  auto const now = now_();
  auto const pause = output_.terminal ? std::chrono::milliseconds(100) : std::chrono::seconds(10);
  if (finished_ || now - shown_ < pause) return;
  shown_ = now;
  show(state(elapsed_seconds()));
}

void progress::finish() {
  if (std::exchange(finished_, true)) return;
  double const elapsed = elapsed_seconds();
  std::string line = fmt::format("{}: {} {} in {}", title_, done_, unit_, duration_text(elapsed));
  if (elapsed > 0)
    line += fmt::format(", {}", with_unit(static_cast<double>(done_) / elapsed, unit_ + "/s", 3));
  show(line);
  if (output_.terminal) output_.write("\n");
}

std::string progress::state(double elapsed) const {
  std::string text = fmt::format("{}: {}", title_, done_);
  if (total_ > 0) text += fmt::format(" of {}", total_);
  text += ' ' + unit_;
  double const rate = static_cast<double>(done_) / elapsed;
  if (!(rate > 0)) return text + " in " + duration_text(elapsed);
  text += fmt::format(", {}", with_unit(rate, unit_ + "/s", 3));
  if (total_ < done_) return text;
  return text + fmt::format(", {} left", duration_text(static_cast<double>(total_ - done_) / rate));
}

void progress::show(std::string const& line) {
  if (!output_.terminal) return output_.write(line + '\n');
  std::size_t const places = line.size();
  std::string const erasure(places < drawn_places_ ? drawn_places_ - places : 0, ' ');
  drawn_places_ = places;
  output_.write('\r' + line + erasure);
}

double progress::elapsed_seconds() const { return std::chrono::duration<double>(now_() - begin_).count(); }

std::string part_begins(std::uint64_t part, std::uint64_t parts, double seconds_so_far) {
  auto const text = fmt::format("[{} of {}, {} so far", part, parts, duration_text(seconds_so_far));
  if (part <= 1 || part > parts) return text + "]";
  double const each = seconds_so_far / static_cast<double>(part - 1);
  return text + fmt::format(", about {} left]", duration_text(each * static_cast<double>(parts - part + 1)));
}

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  auto const whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {:02} h", whole / 86400, whole % 86400 / 3600);
}

}  // namespace ballast
