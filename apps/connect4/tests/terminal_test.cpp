// SPDX-License-Identifier: Apache-2.0
#include "connect4/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "connect4/methods.hpp"

namespace ballast::connect4::terminal_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A pipe that was filled and closed.
class filled_pipe {
 public:
  explicit filled_pipe(std::string const& text) {
    int ends[2];
    if (pipe(ends) != 0) throw error("no pipe can be made");
    from_ = ends[0];
    written_ = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(ends[1]);
  }
  filled_pipe(filled_pipe const&) = delete;
  filled_pipe& operator=(filled_pipe const&) = delete;
  ~filled_pipe() { close(from_); }

  std::vector<std::string> lines() const {
    EXPECT_TRUE(written_);
    line_reader reader(from_, {});
    std::vector<std::string> all;
    while (auto line = reader.next()) all.push_back(*line);
    return all;
  }

 private:
  int from_;
  bool written_;
};

TEST(connect4_line_reader, gives_every_line_and_the_rest_at_the_end_of_the_file) {
  EXPECT_THAT(filled_pipe("4\n\nundo\nlast").lines(), ElementsAre("4", "", "undo", "last"));
  EXPECT_THAT(filled_pipe("").lines(), ElementsAre());
  EXPECT_THAT(filled_pipe("\n").lines(), ElementsAre(""));
}

TEST(connect4_line_reader, gives_a_line_without_end_in_pieces) {
  EXPECT_THAT(filled_pipe(std::string(256, 'a') + "\n" + std::string(257, 'b') + "\n").lines(),
              ElementsAre(std::string(256, 'a'), std::string(256, 'b'), "b"));
}

TEST(connect4_line_reader, gives_nothing_more_once_a_stop_is_requested_or_the_file_is_not_open) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // stays open and empty
  line_reader stopped(ends[0], [] { return true; });
  EXPECT_EQ(stopped.next(), std::nullopt);
  close(ends[0]);
  close(ends[1]);
  line_reader closed(ends[0], {});
  EXPECT_EQ(closed.next(), std::nullopt);
}

outlook look(board const& at, int lookahead) {
  return search_ahead(method_named("sequential"), {at, lookahead, heuristic::h1, {}, {}});
}

/// What is written while these lines are read.
std::string written(std::vector<std::string> lines, search_function looks, bool echo = false) {
  std::string all;
  auto next = lines.begin();
  game games({"", false, 2, false}, std::move(looks));
  play(games, {[&] { return next == lines.end() ? std::nullopt : std::optional(*next++); },
               [&](std::string_view text) { all += text; }, echo});
  return all;
}

TEST(connect4_play, goes_on_until_the_person_quits) {
  auto const all = written({"4", "quit", "4"}, &look);
  EXPECT_THAT(all, testing::StartsWith("Four in a row."));
  EXPECT_THAT(all, HasSubstr("The computer plays"));
  EXPECT_THAT(all, testing::EndsWith("Your move (1-7, or ?): Goodbye.\n"));
}

TEST(connect4_play, ends_with_its_line_when_there_are_no_more_lines) {
  EXPECT_THAT(written({}, &look), testing::EndsWith("Your move (1-7, or ?): \n"));
}

TEST(connect4_play, shows_lines_that_nobody_typed_here_without_what_a_terminal_would_obey) {
  EXPECT_THAT(written({"4\x1b"}, &look, true), HasSubstr("Your move (1-7, or ?): 4?\n"));
}

TEST(connect4_play, ends_when_a_search_is_stopped) {
  search_function const stopped = [](board const&, int) -> outlook { throw search_stopped(); };
  EXPECT_THAT(written({"4", "4"}, stopped), testing::EndsWith("Your move (1-7, or ?): \n"));
}

TEST(connect4_play, tells_that_the_computer_thinks_and_takes_it_away_again) {
  std::string all;
  auto const announced = with_progress_message(&look, [&](std::string_view text) { all += text; });
  announced({}, 1);
  EXPECT_EQ(all, "thinking ...\r\x1b[K");
}

}  // namespace
}  // namespace ballast::connect4::terminal_test
