// SPDX-License-Identifier: Apache-2.0
// How the programs describe themselves: help texts, completions and manual pages come from one tree.
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

/// The trees of `ballast` and of the programs next to it.
std::vector<json> const& all_trees() {
  static auto const trees = [] {
    std::vector<json> all;
    for (auto const& entry : fs::directory_iterator(tested_folder())) {
      auto const name = entry.path().filename().string();
      if (name != "ballast" && name != "mesicc" && !name.starts_with("ballast-")) continue;
      if (entry.is_symlink() || !entry.is_regular_file() || access(entry.path().c_str(), X_OK) != 0) continue;
      all.push_back(json::parse(run("--print-tree", "env", entry.path()).out));
    }
    return all;
  }();
  return trees;
}

void visit(json const& tree, std::function<void(json const&)> const& see) {
  see(tree);
  for (auto const& one : tree.at("commands")) visit(one, see);
}

std::vector<std::string> groups_of(json const& command) {
  std::vector<std::string> groups;
  for (auto const& one : command.at("options")) {
    auto const group = one.at("group").get<std::string>();
    if (groups.empty() || groups.back() != group) groups.push_back(group);
  }
  return groups;
}

json option_named(json const& command, std::string const& name) {
  for (auto const& one : command.at("options"))
    for (std::string const known : one.at("names"))
      if (known == name) return one;
  return {};
}

/// The command of `tree` that the words of `line` select; null if it belongs to another program.
json called_by(json const& tree, std::string const& line) {
  json found;
  visit(tree, [&](json const& one) {
    auto const called = one.at("called").get<std::string>();
    if ((line + " ").find(called + " ") != line.npos) found = one;
  });
  return found;
}

void expect_known_words(json const& tree, std::string const& line) {
  SCOPED_TRACE(line);
  auto const command = called_by(tree, line);
  ASSERT_FALSE(command.is_null());
  std::istringstream words(line.substr(line.find(command.at("called").get<std::string>())));
  for (std::string word; words >> word && word != "--";) {
    if (!word.starts_with("-")) continue;
    auto const option = option_named(command, word);
    ASSERT_FALSE(option.is_null()) << word;
    if (option.at("value") == "") continue;
    EXPECT_TRUE(words >> word);
    std::vector<std::string> const legal = option.at("values");
    if (legal.empty() || option.at("takes_list")) continue;
    EXPECT_THAT(legal, testing::Contains(word));
  }
}

/// The words that bash offers for the last of these words.
std::string completed(std::string const& words) {
  test::scratch_folder const folder;
  static auto const completions = run("completion bash").out;
  auto const script = folder.file(
      "asked", completions + "COMP_WORDS=(" + words +
                   ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_ballast\necho \"${COMPREPLY[*]}\"\n");
  auto const offered = run("'" + script + "'", "env", "bash");
  EXPECT_EQ(offered.code, 0) << offered.err;
  EXPECT_EQ(offered.err, "") << words;
  return offered.out.substr(0, offered.out.find('\n'));
}

bool is_installed(std::string const& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

TEST(cli_help, has_the_same_few_groups_in_the_same_order_in_every_command) {
  std::vector<std::string> const order{"Work", "Devices", "Output", "Help"};
  for (auto const& tree : all_trees())
    visit(tree, [&](json const& command) {
      auto const groups = groups_of(command);
      auto next = order.begin();
      for (auto const& group : groups) {
        next = std::find(next, order.end(), group);
        ASSERT_NE(next, order.end()) << command.at("called") << " has " << group;
        ++next;
      }
      EXPECT_EQ(groups.back(), "Help");
    });
}

TEST(cli_help, ends_with_examples_whose_words_the_command_knows) {
  std::size_t examples = 0;
  for (auto const& tree : all_trees())
    visit(tree, [&](json const& command) {
      EXPECT_FALSE(command.at("examples").empty()) << command.at("called");
      for (std::string const line : command.at("examples")) {
        bool const is_of_another = command.at("called") == "ballast" && called_by(tree, line) == command;
        if (!is_of_another) expect_known_words(tree, line);
        ++examples;
      }
    });
  EXPECT_GE(examples, 25u);
  EXPECT_THAT(run("md --help").out, HasSubstr("\nExamples:\n  ballast md "));
}

TEST(cli_help, has_examples_that_the_parser_takes) {
  for (auto const& tree : all_trees())
    visit(tree, [&](json const& command) {
      for (std::string line : command.at("examples")) {
        if (!line.starts_with("ballast ")) continue;        // under mpirun, or mesicc
        auto const told = run(line.substr(8) + " --help");  // values are read before the help is printed
        EXPECT_EQ(told.code, 0) << line << '\n' << told.err;
      }
    });
}

TEST(cli_completion, offers_commands_options_and_the_words_that_an_option_takes_in_bash) {
  EXPECT_EQ(completed("ballast ma"), "matmul");
  EXPECT_EQ(completed("ballast matmul --ker"), "--kernel");
  EXPECT_EQ(completed("ballast matmul --kernel ''"), "naive tiled");
  EXPECT_EQ(completed("ballast matmul --kernel = t"), "tiled");
  EXPECT_EQ(completed("ballast-md --bound"), "--boundary");
  EXPECT_EQ(completed("ballast md --solutions S1,T"), "S1,TQ");
  EXPECT_EQ(completed("ballast md --atoms ''"), "");
  EXPECT_EQ(completed("ballast bench queue/thr"), "queue/throughput");
  EXPECT_EQ(completed("ballast completion f"), "fish");
  EXPECT_EQ(completed("ballast compare /et"), "/etc");
}

TEST(cli_completion, is_legal_in_each_shell_that_is_installed) {
  for (std::string const shell : {"bash", "zsh", "fish"}) {
    auto const script = run("completion " + shell);
    EXPECT_EQ(script.code, 0) << script.err;
    EXPECT_THAT(script.out, HasSubstr("matmul"));
    if (!is_installed(shell)) continue;
    test::scratch_folder const folder;
    auto const checked = run("-n '" + folder.file(shell, script.out) + "'", "env", shell);
    EXPECT_EQ(checked.code, 0) << checked.err;
  }
  expect_refusal("completion bsh", "SHELL is bsh; legal is bash, zsh or fish; did you mean bash?");
}

TEST(cli_manual, has_a_page_of_each_program_that_groff_takes_without_a_warning) {
  if (!is_installed("groff")) GTEST_SKIP() << "groff is not installed";
  for (auto const& tree : all_trees()) {
    auto name = tree.at("called").get<std::string>();
    std::replace(name.begin(), name.end(), ' ', '-');
    auto const page = tested_folder() / "man" / (name + ".1");
    auto const set = run("-ww -z -man '" + page.string() + "'", "env", "groff");
    EXPECT_EQ(set.code, 0) << page;
    EXPECT_EQ(set.err, "") << page;
    EXPECT_EQ(contents(page), run("--print-manual", "env", tested_folder() / name).out);
  }
}

TEST(cli_pages, of_the_reference_say_what_the_programs_tell) {
  auto const checked =
      run("'" BALLAST_COMMAND_PAGES "' '" + tested_folder().string() + "' --check", "env", "python3");
  EXPECT_EQ(checked.code, 0) << checked.err;
}

}  // namespace
}  // namespace ballast::cli
