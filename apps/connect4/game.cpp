// SPDX-License-Identifier: Apache-2.0
#include "game.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <sstream>
#include <utility>

#include "ballast/arguments.hpp"
#include "display.hpp"

namespace ballast::connect4 {
namespace {

constexpr auto over = "The game is over: undo takes your last move back, new begins another game.\n";

bool is_number(std::string_view word) { return word.find_first_not_of("+-0123456789") == word.npos; }

std::string lower_case(std::string word) {
  for (auto& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return word;
}

std::string column_text(int column) { return std::to_string(column + 1); }

constexpr std::size_t max_line_bytes = 256;

/// Waits until there is something to read, a while has passed, or a signal came.
bool is_readable(int file) {
  constexpr int a_while_ms = 200;
  pollfd watched{file, POLLIN, 0};
  return poll(&watched, 1, a_while_ms) > 0;
}

}  // namespace

game::game(game_settings const& settings, search_function look)
    : match_(settings.moves, settings.computer_begins),
      lookahead_(settings.lookahead),
      colours_(settings.colours),
      search_(std::move(look)) {}

std::span<game::order const> game::orders() {
  static constexpr std::array<order, 8> all{
      {{"undo", "u", "", "take your last move back, and the computer's answer", &game::undo},
       {"hint", "h", "", "ask for a move", &game::hint},
       {"who", "w", "", "who is winning, column by column", &game::who_is_winning},
       {"ahead", "a", "N", "let the computer look N moves ahead, 1 to 16", &game::set_lookahead},
       {"new", "n", "you|computer", "another game; who begins may be left out", &game::begin_again},
       {"board", "b", "", "draw the board again", &game::draw_board},
       {"help", "?", "", "this list", &game::help},
       {"quit", "q", "", "leave", &game::quit}}};
  return all;
}

std::string game::greeting() const {
  return "Four in a row. You are X; the computer is O and looks " + moves_ahead(lookahead_) +
         ".\n(X) marks the last move, and ? lists what you can type.\n";
}

std::string game::prompt() const { return is_over() ? "new, undo or quit: " : "Your move (1-7, or ?): "; }

std::string game::answer(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string word, argument, more;
  words >> word >> argument >> more;
  if (word.empty()) return "";
  if (!more.empty()) return "\"" + shown(line) + "\" is more than I understand; ? lists what you can type.\n";
  try {
    return obey(word, argument);
  } catch (bad_argument const& refused) { return std::string(refused.what()) + ".\n"; }
}

std::string game::obey(std::string const& word, std::string const& argument) {
  if (is_number(word) && argument.empty()) return drop(word);
  auto const name = lower_case(word);
  auto const known = std::ranges::find_if(
      orders(), [&](order const& one) { return name == one.name || name == one.short_name; });
  if (known == orders().end()) return "\"" + shown(word) + "\" is unknown here; ? lists what you can type.\n";
  if (known->argument.empty() && !argument.empty())
    return "Nothing goes after " + std::string(known->name) + ".\n";
  return (this->*known->obey)(argument);
}

std::string game::drop(std::string const& text) {
  if (is_over()) return over;
  if (text.size() != 1 || text[0] < '1' || text[0] > '7')
    return shown(text) + " is no column: the columns are 1 to 7.\n";
  int const column = text[0] - '1';
  if (!match_.is_free(column))
    return "Column " + text + " is full; there is room in " +
           describe_columns(landing_cells(match_.for_mover())) + ".\n";
  match_.drop(column);
  return go_on();
}

std::string game::undo(std::string const&) {
  if (!match_.take_back()) return "There is no move of yours to take back.\n";
  return "Taken back.\n" + draw_board();
}

std::string game::hint(std::string const&) {
  if (is_over()) return over;
  auto const seen = search_(match_.for_mover(), lookahead_);
  int const column = chosen_column(seen);
  auto const& after = seen.after[static_cast<std::size_t>(column)];
  return "Column " + column_text(column) + ": " + describe(*after, seen.to_the_end) + ".\n";
}

std::string game::who_is_winning(std::string const&) {
  if (is_over()) return result();
  return describe(search_(match_.for_mover(), lookahead_), lookahead_);
}

std::string game::set_lookahead(std::string const& lookahead) {
  if (!lookahead.empty()) lookahead_ = parse_integer("ahead", shown(lookahead), 1, max_lookahead);
  return "The computer looks " + moves_ahead(lookahead_) + "; one more takes up to seven times as long.\n";
}

std::string game::begin_again(std::string const& who_begins) {
  constexpr std::array<std::string_view, 2> who{"you", "computer"};
  bool const computer =
      who_begins.empty() ? match_.computer_begins() : index_among(who, "new", shown(who_begins)) == 1;
  match_ = match("", computer);
  return std::string("A new game; ") + (computer ? "the computer begins.\n" : "you begin.\n") + go_on();
}

std::string game::draw_board(std::string const&) {
  return drawing_of(match_.for_human(), match_.last_column(), colours_) + result();
}

std::string game::help(std::string const&) {
  std::string text = "  1 to 7                drop a disc into that column\n";
  for (auto const& one : orders()) {
    auto const name = fmt::format("{}, {} {}", one.short_name, one.name, one.argument);
    text += fmt::format("  {:22}{}\n", name, one.meaning);
  }
  return text + "  Ctrl-C                leave, also while the computer thinks\n";
}

std::string game::quit(std::string const&) {
  ended_ = true;
  return "Goodbye.\n";
}

/// Makes the computer's move if it is to move, and draws the board. Called after a move of the person, or at
/// the beginning.
std::string game::go_on() {
  auto const told = match_.computer_is_to_move() ? computers_move() : "";
  return told + draw_board();
}

std::string game::computers_move() {
  int const column = chosen_column(search_(match_.for_mover(), lookahead_));
  match_.drop(column);
  return "The computer plays " + column_text(column) + ".\n";
}

std::string game::result() const {
  constexpr char const* of_standing[] = {
      "", "You win: four in a row.\n", "The computer wins: four in a row.\n", "A draw: the board is full.\n"};
  return of_standing[static_cast<std::size_t>(match_.stands())];
}

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
