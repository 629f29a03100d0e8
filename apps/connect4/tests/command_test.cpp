// SPDX-License-Identifier: Apache-2.0
// `ballast connect4` as called by a program: answers and refusals. Games are in game_test.cpp.

#include "connect4/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ballast/error.hpp"
#include "command_line.hpp"
#include "references.hpp"

namespace ballast::connect4 {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;

test::command_line const command("connect4", &add_command);

TEST(connect4_command, answers_with_the_reference_values_as_one_object) {
  for (auto const& known : references) {
    SCOPED_TRACE(name_of(known));
    auto const found = command.answer((known.moves.empty() ? "" : "--moves " + known.moves) +
                                      " --heuristic H" + std::to_string(int(known.rule) + 1) +
                                      " --method sequential --lookahead " + std::to_string(known.lookahead));
    EXPECT_EQ(found["values"], json(known.values));
    EXPECT_EQ(found["best_column"], known.best_column);
    EXPECT_EQ(found["best_value"], known.best_value);
    EXPECT_EQ(found["nodes"], known.nodes);
    EXPECT_GT(found["stored_tasks"], 0);
    EXPECT_GE(found["seconds"], 0.0);
    EXPECT_EQ(found.size(), 6u);
  }
}

TEST(connect4_command, looks_7_moves_ahead_by_h1_from_the_empty_board_unless_told_otherwise) {
  EXPECT_EQ(command.answer("")["values"], json({1, 2, 2, 3, 2, 2, 1}));
}

TEST(connect4_command, writes_wins_as_words_and_full_columns_as_null) {
  auto const won = command.answer("--moves 445566 --lookahead 1");
  EXPECT_EQ(won["values"][2], "W");
  EXPECT_EQ(won["best_value"], "W");
  EXPECT_EQ(won["best_column"], 3);
  auto const lost = command.answer("--moves 4455661 --lookahead 2");
  EXPECT_EQ(lost["values"], json::array({"-W", "-W", "-W", "-W", "-W", "-W", "-W"}));
  EXPECT_EQ(lost["best_value"], "-W");
  EXPECT_EQ(lost["best_column"], 1);
  EXPECT_TRUE(command.answer("--moves 111111 --lookahead 1")["values"][0].is_null());
}

TEST(connect4_command, refuses_moves_that_are_no_game_that_goes_on) {
  EXPECT_EQ(command.refusal("--moves 4a"),
            "moves is 4a, whose move 2 is 'a'; legal is a column from 1 to 7 for each move");
  EXPECT_EQ(command.refusal("--json --moves 4444444"),
            "moves is 4444444, whose move 7 is in column 4, which is full; "
            "legal is at most 6 moves in a column");
  EXPECT_EQ(command.refusal("--json --moves 1212121"),
            "moves is 1212121, where move 7 wins; legal is moves after which the game goes on");
}

TEST(connect4_command, refuses_options_outside_their_range) {
  for (std::string const lookahead : {"0", "17", "-1", "7.5", "far", "99999999999999999999"}) {
    EXPECT_EQ(command.refusal("--json --lookahead " + lookahead),
              "lookahead is " + lookahead + "; legal is a whole number from 1 to 16");
  }
  EXPECT_EQ(command.refusal("--json --heuristic h1"), "heuristic is h1; legal is H1, H2 or H3");
  EXPECT_EQ(command.refusal("--json --method luck"),
            "method is luck; legal is sequential, chunks, abp, chase-lev, ring, blocking, static "
            "or static-per-task");
  EXPECT_EQ(command.refusal("--begins nobody"), "begins is nobody; legal is you or computer");
  EXPECT_EQ(command.refusal("--json --method chunks --workers grid"),
            "workers is grid; legal is thread, warp or block");
}

TEST(connect4_command, refuses_options_that_would_do_nothing) {
  EXPECT_EQ(command.refusal("--json --begins you"),
            "begins is you; legal is nothing beside --json, which plays no game");
  EXPECT_EQ(command.refusal("--json --devices host:1"),
            "devices is host:1; legal is nothing beside --method sequential, which uses none");
  EXPECT_EQ(command.refusal("--json --workers warp"),
            "workers is warp; legal is nothing beside --method sequential, which uses none");
  EXPECT_EQ(command.refusal("--list-methods --lookahead 3"),
            "list-methods is beside --lookahead; legal is on its own");
}

TEST(connect4_command, opens_the_devices_of_a_method_that_uses_them) {
  search_method const on_devices{"invented", "", true};
  auto const devices = devices_for(on_devices, "host:1,host:1/2");
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1]->name(), "host:1/2");
  EXPECT_THAT([&] { devices_for(on_devices, "teapot"); }, ThrowsMessage<bad_argument>(HasSubstr("teapot")));
}

TEST(connect4_command, searches_by_workers_of_the_size_that_it_is_told) {
  auto const workers_of = [](std::optional<std::string> typed) {
    command_request asked;
    asked.method = "chunks";
    asked.devices = "host:1";
    asked.workers = std::move(typed);
    return checked(asked, {}).search.workers;
  };
  EXPECT_EQ(workers_of({}), worker_size::thread);
  EXPECT_EQ(workers_of("thread"), worker_size::thread);
  EXPECT_EQ(workers_of("warp"), worker_size::warp);
  EXPECT_EQ(workers_of("block"), worker_size::block);
}

TEST(connect4_command, answers_the_same_whatever_the_size_of_the_workers) {
  auto const expected = command.answer("--moves 4453 --lookahead 4");
  for (std::string const size : {"thread", "warp", "block"}) {
    auto const found =
        command.answer("--moves 4453 --lookahead 4 --method chunks --devices host:2 --workers " + size);
    EXPECT_EQ(found["values"], expected["values"]) << size;
    EXPECT_EQ(found["nodes"], expected["nodes"]) << size;
    EXPECT_EQ(found.size(), expected.size()) << size;
  }
}

TEST(connect4_command, lists_every_method) {
  auto const listed = command.printed("--list-methods");
  for (auto const& method : search_methods()) EXPECT_THAT(listed, HasSubstr("\n" + std::string(method.name)));
  EXPECT_EQ(command.answer("--list-methods").size(), search_methods().size());
}

TEST(connect4_command, gives_no_answer_when_it_is_stopped) {
  EXPECT_THROW(command.printed("--json --lookahead 16", true), search_stopped);
}

}  // namespace
}  // namespace ballast::connect4
