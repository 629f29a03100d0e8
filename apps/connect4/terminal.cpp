// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "wording.hpp"

namespace ballast::connect4 {
namespace {

constexpr std::size_t max_line_bytes = 256;

/// Until there is something to read, or a while has passed, or a signal came.
bool is_readable(int file) {
  constexpr int a_while_ms = 200;
  pollfd watched{file, POLLIN, 0};
  return poll(&watched, 1, a_while_ms) > 0;
}

}  // namespace

std::optional<std::string> line_reader::next() {
  for (;;) {
    if (auto line = take_line()) return line;
    if (at_end_ || (stop_requested_ && stop_requested_())) return std::nullopt;
    if (is_readable(file_)) read_more();
  }
}

std::optional<std::string> line_reader::take_line() {
  auto const end = read_.find('\n');
  bool const is_whole = end != read_.npos || read_.size() > max_line_bytes || (at_end_ && !read_.empty());
  if (!is_whole) return std::nullopt;
  auto line = read_.substr(0, std::min(end, max_line_bytes));
  read_.erase(0, line.size() + (end == line.size() ? 1 : 0));
  return line;
}

void line_reader::read_more() {
  char bytes[512];
  auto const count = read(file_, bytes, sizeof bytes);
  if (count > 0) read_.append(bytes, static_cast<std::size_t>(count));
  at_end_ = count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
}

void play(game& games, terminal const& on) {
  try {
    on.write(games.greeting());
    on.write(games.begin());
    while (!games.ended()) {
      on.write(games.prompt());
      auto const line = on.read_line();
      if (!line) return on.write("\n");
      if (on.echo) on.write(shown(*line) + "\n");
      on.write(games.answer(*line));
    }
  } catch (search_stopped const&) { on.write("\n"); }
}

search_function with_progress_message(search_function look, std::function<void(std::string_view)> write) {
  return [look = std::move(look), write = std::move(write)](board const& at, int lookahead) {
    write("thinking ...");
    auto const seen = look(at, lookahead);
    write("\r\x1b[K");
    return seen;
  };
}

}  // namespace ballast::connect4
