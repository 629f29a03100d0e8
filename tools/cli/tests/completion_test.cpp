// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "command_run.hpp"
#include "scratch_folder.hpp"

namespace ballast::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A folder with `ballast` and foreign programs with ballast's names.
class cli_completion_of_others : public testing::Test {
 protected:
  cli_completion_of_others() { fs::copy_file(tested_folder() / "ballast", at("ballast")); }

  fs::path at(std::string const& name) const { return folder_.path() / name; }
  void put(std::string const& name, std::string const& script) const {
    std::ofstream(at(name)) << "#!/bin/sh\n" << script << '\n';
    fs::permissions(at(name), fs::perms::owner_all);
  }
  /// Adds a program that describes itself by this tree.
  void put_tree(std::string const& name, json const& tree) const {
    put(name, "cat <<'EOF'\n" + tree.dump() + "\nEOF");
  }
  outcome script_for(std::string const& shell) const {
    return run("completion " + shell, "env", at("ballast"));
  }

  void expect_without(std::string const& name, std::string const& why) const {
    SCOPED_TRACE(why);
    for (auto const* const shell : {"bash", "zsh", "fish"}) {
      auto const written = script_for(shell);
      EXPECT_EQ(written.code, 0) << written.err;
      EXPECT_THAT(written.err, AllOf(HasSubstr(name + " does not tell its options: "), HasSubstr(why)));
      EXPECT_THAT(written.out, AllOf(HasSubstr("compare"), Not(HasSubstr("ballast-ep"))));
    }
  }

 private:
  test::scratch_folder folder_;
};

json tree_called(std::string const& called) {
  return {{"called", called},
          {"commands", json::array()},
          {"arguments", json::array()},
          {"options",
           {{{"names", {"--size"}},
             {"values", {"small"}},
             {"value", "SIZE"},
             {"meaning", "m"},
             {"takes_list", false}}}}};
}

TEST_F(cli_completion_of_others, has_the_words_of_a_program_that_tells_them) {
  put_tree("ballast-ep", tree_called("ballast ep"));
  auto const written = script_for("bash");
  EXPECT_EQ(written.code, 0);
  EXPECT_EQ(written.err, "");
  EXPECT_THAT(written.out,
              AllOf(HasSubstr("'ballast ep --size') _ballast_values 'small'"), HasSubstr("ballast-ep")));
}

TEST_F(cli_completion_of_others, leaves_out_a_program_that_tells_no_tree) {
  for (auto const& [script, why] : {std::pair<std::string, std::string>{"echo '[1,2'", "is not JSON"},
                                    {"exit 0", "is not JSON"},
                                    {"echo '{}'", "another form"},
                                    {"echo '[]'", "another form"},
                                    {"echo '{\"called\": \"ballast ep\"}'", "another form"},
                                    {"echo oh no >&2; exit 3", "it ended with 3: oh no"},
                                    {"kill -SEGV $$", "it ended with 139"},
                                    {"head -c 100000 /dev/zero | tr '\\0' '['", "is nested too deeply"},
                                    {"exec yes", " printed more than"}}) {
    put("ballast-ep", script);
    expect_without("ballast-ep", why);
  }
}

TEST_F(cli_completion_of_others, leaves_out_a_program_that_does_not_end) {
  put("ballast-ep", "exec sleep 1000000");
  auto const written = script_for("bash");
  EXPECT_EQ(written.code, 0);
  EXPECT_THAT(written.err, HasSubstr(" did not end within 10 s"));
  EXPECT_THAT(written.out, AllOf(HasSubstr("complete -F _ballast ballast "), Not(HasSubstr("ballast-ep"))));
}

TEST_F(cli_completion_of_others, leaves_out_a_program_with_words_that_a_shell_would_expand) {
  auto const with = [](char const* place, json const& word) {
    auto tree = tree_called("ballast ep");
    tree[json::json_pointer(place)] = word;
    return tree;
  };
  for (std::string const word :
       {"$(touch run)", "`touch run`", "a b", "x;y", "'", "*", "~", "", "\n", "a\\b"}) {
    put_tree("ballast-ep", with("/options/0/values/0", word));
    expect_without("ballast-ep", "as it is");
    put_tree("ballast-ep", with("/options/0/names/0", "--" + word + "'"));
    expect_without("ballast-ep", "as it is");
  }
  put_tree("ballast-ep", with("/arguments/0", {{"values", {"$(touch run)"}}}));
  expect_without("ballast-ep", "as it is");
  put_tree("ballast-ep", with("/commands/0", tree_called("ballast ep $(touch run)")));
  expect_without("ballast-ep", "as it is");
}

TEST_F(cli_completion_of_others, leaves_out_a_program_that_would_complete_the_words_of_another) {
  for (std::string const called : {"ls", "ballast", "ballast md", "ballast epo"}) {
    put_tree("ballast-ep", tree_called(called));
    expect_without("ballast-ep", "it calls itself '" + called + "' and not 'ballast ep'");
  }
  auto tree = tree_called("ballast ep");
  tree["commands"] = {tree_called("ls run")};
  put_tree("ballast-ep", tree);
  expect_without("ballast-ep", "'ls run' is no command of 'ballast ep'");
}

TEST_F(cli_completion_of_others, quotes_what_a_program_says_of_an_option_in_fish) {
  auto tree = tree_called("ballast ep");
  tree["options"][0]["meaning"] = "'; touch run #\x1b\n";
  put_tree("ballast-ep", tree);
  EXPECT_THAT(script_for("fish").out, HasSubstr(" -d '\\'; touch run #\\\\x1b\\\\n'"));
}

}  // namespace
}  // namespace ballast::cli
