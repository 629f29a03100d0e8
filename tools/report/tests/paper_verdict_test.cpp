// SPDX-License-Identifier: Apache-2.0
#include "report/paper_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "report/html.hpp"

namespace {

using ballast::figure_outcome;
using ballast::filed_record;
using ballast::run_record;
using testing::HasSubstr;

/// Two checks on one benchmark: a ratio of two curves, and a derived figure.
constexpr char invented_paper[] =
    R"({"schema": "ballast-papers/1", "seconds": {"a/b": {"quick": 2, "whole": 9}},
  "papers": [{"key": "nobody1999", "short": "Nobody 1999", "title": "t", "machine": "m", "authors": "N. Body",
    "published_in": "Nowhere",  "results": "r", "figures": [
    {"figure": "Fig. 1", "title": "f", "benchmarks": ["a/b"], "devices": {"at_least": 2}, "connections": 1,
     "values": [{"series": "ratio", "x": 8, "y": 2, "unit": "1", "source": "Table 1",
                 "ours": {"benchmark": "a/b", "curve": "fast, *", "x": [8, "last"], "over": {"curve": "slow", "x": 4}}}],
     "checks": [
       {"says": "fast over slow", "benchmark": "a/b", "curve": "fast, *", "x": [8, "last"],
        "over": {"curve": "slow", "x": "least"}, "at_least": 2},
       {"says": "derived", "benchmark": "a/b", "derived": "d of *", "at_most": 1}]}]}]})";

ballast::published_paper paper_of_one_figure() { return ballast::read_papers(invented_paper).papers[0]; }

/// Another benchmark, a/c, repeats the second figure.
ballast::published_paper paper_of_two_figures() {
  auto paper = paper_of_one_figure();
  auto& other = paper.figures.emplace_back(paper.figures[0]);
  other.benchmarks = {"a/c"};
  for (auto& check : other.checks) {
    check.value.value.benchmark = "a/c";
    if (check.value.over) check.value.over->benchmark = "a/c";
  }
  return paper;
}

ballast::sample_series curve_point(std::string const& curve, double x, double y) {
  return {curve + "@" + std::to_string(x), "1", {y}, curve, x};
}

/// A record for which both checks hold: 6 over 3, and 0.5.
filed_record paper_record(std::string const& started = "2026-01-31T09:05:00Z") {
  run_record record;
  record.benchmark = "a/b";
  record.started = started;
  record.devices = {"host:1#0", "host:1#1"};
  record.parameters = {{"quick", false}, {"hardware_connections", 1}};
  record.series = {curve_point("fast, 1 thing", 4, 100), curve_point("fast, 2 things", 4, 6),
                   curve_point("slow", 2, 4), curve_point("slow", 4, 3)};
  record.derived = {{"d of 1", 7}, {"d of 2", 0.5}};
  record.answer.verified = true;
  record.source = {"0123456789abcdef", true};
  record.version = "0.2.0";
  record.command = {"/usr/bin/ballast-bench", "a/b"};
  return {started + ".json", record};
}

/// A record of a machine, with a GPU of that model unless it is empty.
filed_record record_on(std::string const& machine, std::string const& gpu, std::string const& day,
                       std::string const& benchmark = "a/b") {
  auto one = paper_record("2026-02-" + day + "T00:00:00Z");
  one.record.benchmark = benchmark;
  one.record.machine.name = machine;
  if (!gpu.empty()) one.record.machine.gpus = {{gpu, 132, 1, "9.0"}};
  return one;
}

/// The machine on which each figure of paper_of_two_figures() is judged.
std::vector<std::string> machines_judged(std::vector<filed_record> const& records) {
  std::vector<std::string> machines;
  for (auto const& verdict : ballast::judge(paper_of_two_figures(), records)) {
    machines.push_back(verdict.machine);
    for (auto const* one : verdict.records) EXPECT_EQ(one->record.machine.name, verdict.machine);
  }
  return machines;
}

ballast::figure_verdict verdict_on(std::vector<filed_record> const& records) {
  auto verdict = ballast::judge(paper_of_one_figure(), records).at(0);
  verdict.records.clear();  // they point into destroyed records
  return verdict;
}

TEST(report_paper_verdict, is_reproduced_if_all_checks_hold) {
  auto const verdict = verdict_on({paper_record()});
  EXPECT_EQ(verdict.outcome, figure_outcome::reproduced);
  EXPECT_EQ(verdict.checks[0].value, 2);
  EXPECT_EQ(verdict.checks[1].value, 0.5);
  EXPECT_EQ(verdict.ours[0], 2);
  EXPECT_EQ(verdict.why, "2 of 2 checks hold");
  EXPECT_FALSE(verdict.is_quick);
}

TEST(report_paper_verdict, is_gone_if_one_does_not_hold) {
  auto other = paper_record();
  other.record.derived.back().second = 1.01;
  auto const verdict = verdict_on({other});
  EXPECT_EQ(verdict.outcome, figure_outcome::gone);
  EXPECT_TRUE(verdict.checks[0].holds);
  EXPECT_FALSE(verdict.checks[1].holds);
  EXPECT_EQ(verdict.why, "1 of 2 checks hold");
}

TEST(report_paper_verdict, counts_no_record_of_another_benchmark_or_setting) {
  std::vector<filed_record> others(3, paper_record());
  others[0].record.parameters.pop_back();
  others[1].record.parameters.back().second = 8;
  others[2].record.benchmark = "a/c";
  for (auto const& other : others) EXPECT_EQ(verdict_on({other}).outcome, figure_outcome::not_measured);
  EXPECT_EQ(verdict_on(others).why, "there is no record of a/b");
  EXPECT_EQ(verdict_on({}).outcome, figure_outcome::not_measured);
}

TEST(report_paper_verdict, stands_on_no_record_that_is_no_evidence_and_says_why) {
  std::vector<filed_record> refused(6, paper_record());
  refused[0].record.answer.verified = false;
  refused[1].record.source.clean = false;
  refused[2].record.source.clean.reset();
  refused[3].record.source.commit.clear();
  refused[4].record.command = {"./mini5", "a/b"};
  refused[5].record.version = "0";
  std::vector<std::string> const why{"its answer was not verified",
                                     "its program was built of changed files",
                                     "its program was built of changed files",
                                     "its program is of an unknown commit",
                                     "its program is called 'mini5'",
                                     "it is of version 0"};
  for (std::size_t i = 0; i < refused.size(); ++i) {
    auto const verdict = verdict_on({refused[i]});
    EXPECT_EQ(verdict.outcome, figure_outcome::not_measured);
    EXPECT_EQ(verdict.why, "there is no record of a/b that is evidence (of one " + why[i] + ")");
  }
  EXPECT_EQ(verdict_on({paper_record(), refused[1]}).outcome, figure_outcome::reproduced);
}

/// The verdict on paper_record() on such devices, if the paper's figure needs others.
ballast::figure_verdict verdict_of(ballast::figure_devices const& needed, std::vector<std::string> devices,
                                   std::vector<std::string> const& gpus = {}) {
  auto paper = paper_of_one_figure();
  paper.figures[0].devices = needed;
  auto one = paper_record();
  one.record.devices = std::move(devices);
  for (auto const& model : gpus) one.record.machine.gpus.push_back({model, 132, 1, "9.0"});
  std::vector const records{one};
  auto verdict = ballast::judge(paper, records).at(0);
  verdict.records.clear();
  return verdict;
}

TEST(report_paper_verdict, does_not_apply_where_the_devices_are_not_those_that_the_figure_is_about) {
  using devices = std::vector<std::string>;
  auto const expect = [](ballast::figure_verdict const& verdict, std::string const& why) {
    EXPECT_EQ(verdict.outcome, why.empty() ? figure_outcome::reproduced : figure_outcome::inapplicable)
        << verdict.why;
    if (!why.empty()) { EXPECT_EQ(verdict.why, why); }
  };
  expect(verdict_of({.gpus = true}, {"host:2"}), "it is of GPUs");
  expect(verdict_of({.gpus = true}, {"cuda:0", "host:2"}), "it is of GPUs");
  expect(verdict_of({.gpus = true}, {"cuda:0"}), "");
  expect(verdict_of({.least = 4, .most = 4}, {"cuda:0", "cuda:1"}), "it is of 4 devices");
  expect(verdict_of({.least = 2}, {"cuda:0"}), "it is of at least 2 devices");
  std::string const unequal = "it is of unequal devices";
  for (auto const& equal :
       {devices{"cuda:0", "cuda:1"}, {"host:1#0", "host:1#1"}, {"cuda:0@64", "cuda:1@64"}})
    expect(verdict_of({.unequal = true}, equal, {"H200", "H200"}), unequal);
  for (auto const& other :
       {devices{"cuda:0@104", "cuda:1@64"}, {"host:1", "host:1/4.5"}, {"cuda:0", "host:1"}})
    expect(verdict_of({.unequal = true}, other, {"H200", "H200"}), "");
  expect(verdict_of({.unequal = true}, {"cuda:0", "cuda:1"}, {"TITAN", "GTX 680"}), "");
}

TEST(report_paper_verdict, shows_what_was_measured_where_it_does_not_apply_and_goes_by_others_if_it_can) {
  auto const verdict = verdict_of({.gpus = true}, {"host:2"});
  EXPECT_EQ(verdict.ours[0], 2);
  EXPECT_EQ(verdict.machine, "");
  auto paper = paper_of_one_figure();
  paper.figures[0].devices = {.gpus = true};
  auto other = record_on("gpu", "H200", "01");
  other.record.devices = {"cuda:0"};
  std::vector const records{record_on("cores", "", "02"), other};
  EXPECT_EQ(ballast::judge(paper, records).at(0).machine, "gpu");
  EXPECT_EQ(ballast::judge(paper, records).at(0).outcome, figure_outcome::reproduced);
}

TEST(report_paper_verdict, is_not_measured_on_more_devices_than_the_figure_is_about) {
  EXPECT_EQ(verdict_of({.most = 1}, {"cuda:0", "cuda:1"}).outcome, figure_outcome::not_measured);
}

TEST(report_paper_verdict, says_which_sizes_are_not_the_papers) {
  auto paper = paper_of_one_figure();
  paper.figures[0].sizes = {{"n", "\"class D\""}, {"hardware_connections", "1"}, {"unknown", "1"}};
  auto one = paper_record();
  one.record.parameters.emplace_back("n", "class C");
  std::vector const records{one};
  auto const verdict = ballast::judge(paper, records).at(0);
  EXPECT_EQ(verdict.outcome, figure_outcome::reproduced);
  EXPECT_EQ(verdict.differences,
            std::vector<std::string>{"n is \"class C\" here and \"class D\" in the paper"});
  EXPECT_THAT(ballast::grounds_of(verdict, ""), HasSubstr("; n is \"class C\" here"));
}

TEST(report_paper_verdict, is_better_than_published_if_a_check_is_more_than_a_tenth_beyond) {
  auto paper = paper_of_one_figure();
  auto& check = paper.figures[0].checks[1];  // 0.5
  std::vector const records{paper_record()};
  auto const outcome_at = [&](double published) {
    check.at_most = check.published = published;
    return ballast::judge(paper, records).at(0);
  };
  EXPECT_EQ(outcome_at(0.5).outcome, figure_outcome::reproduced);
  EXPECT_EQ(outcome_at(0.549).outcome, figure_outcome::reproduced);
  EXPECT_EQ(outcome_at(0.56).outcome, figure_outcome::better);
  EXPECT_EQ(outcome_at(5).why, "2 of 2 checks hold, by a factor of 10");
  EXPECT_EQ(outcome_at(0.49).outcome, figure_outcome::gone);
  check = paper.figures[0].checks[0];  // 2
  check.at_least = check.published = 1;
  EXPECT_EQ(ballast::judge(paper, records).at(0).why, "2 of 2 checks hold, by a factor of 2");
}

TEST(report_paper_verdict, is_not_measured_if_the_record_lacks_what_is_looked_at) {
  auto other = paper_record();
  other.record.series.pop_back();
  other.record.series.pop_back();
  auto const verdict = verdict_on({other});
  EXPECT_EQ(verdict.outcome, figure_outcome::not_measured);
  EXPECT_EQ(verdict.why, "what a check looks at is in no record");
  EXPECT_TRUE(verdict.checks[1].holds);
}

TEST(report_paper_verdict, goes_by_the_newest_record_and_tells_if_it_is_of_a_quick_run) {
  auto older = record_on("m", "", "01"), newer = record_on("m", "", "02");
  for (auto* one : {&older, &newer}) one->record.parameters[0].second = true;
  newer.record.derived.back().second = 2;
  for (auto const& records : {std::vector{older, newer}, std::vector{newer, older}}) {
    auto const verdict = verdict_on(records);
    EXPECT_EQ(verdict.outcome, figure_outcome::gone);
    EXPECT_TRUE(verdict.is_quick);
    EXPECT_EQ(ballast::grounds_of(verdict, "no GPU"),
              "1 of 2 checks hold on m (host:1#0 host:1#1; 2026-02-02; 01234567), of a quick run; "
              "not measured here: no GPU");
  }
}

TEST(report_paper_verdict, takes_no_quick_run_where_there_is_a_whole_one) {
  auto const whole = record_on("m", "", "01");
  auto quick = record_on("m", "", "02");
  quick.record.parameters[0].second = true;
  quick.record.derived.back().second = 2;
  for (auto const& records : {std::vector{whole, quick}, std::vector{quick, whole}}) {
    EXPECT_EQ(verdict_on(records).outcome, figure_outcome::reproduced);
    EXPECT_FALSE(verdict_on(records).is_quick);
  }
}

TEST(report_paper_verdict, is_on_a_machine_with_gpus_if_there_is_one) {
  EXPECT_EQ(machines_judged({record_on("gpu", "H200", "01"), record_on("cores", "", "02"),
                             record_on("cores", "", "02", "a/c")}),
            (std::vector<std::string>{"gpu", "cores"}));
}

TEST(report_paper_verdict, is_on_the_kind_of_machine_that_measured_most_figures) {
  auto const old_b = record_on("1x-H200", "H200", "01"), old_c = record_on("1x-H200", "H200", "01", "a/c");
  auto const new_b = record_on("1x-H100", "H100", "02"), two_c = record_on("2x-H200", "H200", "01", "a/c");
  using machines = std::vector<std::string>;
  EXPECT_EQ(machines_judged({old_b, old_c, new_b}), (machines{"1x-H200", "1x-H200"}));
  EXPECT_EQ(machines_judged({new_b, old_b, two_c}), (machines{"1x-H200", "2x-H200"}));
  auto const newer_c = record_on("0x-H200", "H200", "03", "a/c");
  EXPECT_EQ(machines_judged({old_b, old_c, newer_c}), (machines{"1x-H200", "0x-H200"}))
      << "of one kind the newest";
}

TEST(report_paper_verdict, is_on_the_machine_with_the_newest_record_if_all_else_is_equal) {
  for (std::string const day : {"01", "03"})
    EXPECT_EQ(machines_judged({record_on("a", "H200", "02"), record_on("b", "H200", day)}),
              (std::vector<std::string>{day == "01" ? "a" : "b", ""}));
}

TEST(report_paper_verdict, is_on_the_machine_that_measured_most_benchmarks_of_a_figure) {
  auto paper = paper_of_one_figure();
  paper.figures[0].benchmarks.push_back("a/c");
  std::vector<filed_record> const records{
      record_on("one", "H200", "01"), record_on("one", "H200", "01", "a/c"), record_on("two", "H200", "02")};
  auto const verdict = ballast::judge(paper, records).at(0);
  EXPECT_EQ(verdict.machine, "one");
  EXPECT_EQ(verdict.records.size(), 2u);
}

/// A check of "fast, 2 things" over "slow" at places 2 and 4, where the ratios are 1 and 2.
ballast::check_outcome outcome_at_each_place(std::optional<double> at_least, std::optional<double> at_most,
                                             std::optional<ballast::figure_ratio> const& expected = {}) {
  auto changed = paper_of_one_figure();
  auto& check = changed.figures[0].checks[0];
  check.value.value.names = {"fast, 2 things"};
  check.value.value.places = {"each"};
  check.at_least = at_least;
  check.at_most = at_most;
  check.expected = expected;
  auto record = paper_record();
  record.record.series.push_back(curve_point("fast, 2 things", 2, 4));
  record.record.series.push_back(curve_point("model", 2, 8));
  record.record.series.push_back(curve_point("model", 4, 6));
  return ballast::judge(changed, std::vector{record})[0].checks[0];
}

TEST(report_paper_verdict, looks_at_each_place_and_shows_the_one_that_is_farthest_off) {
  auto const below = outcome_at_each_place(1.5, {});
  EXPECT_FALSE(below.holds);
  EXPECT_EQ(below.value, 1);
  EXPECT_EQ(below.places, 2u);
  EXPECT_EQ(below.within, 1u);
  EXPECT_TRUE(outcome_at_each_place(1, 2).holds);
  EXPECT_EQ(outcome_at_each_place(1, 1.9).value, 2);
  EXPECT_FALSE(outcome_at_each_place({}, 1.9).holds);
}

TEST(report_paper_verdict, divides_by_what_is_expected_at_each_place) {
  ballast::record_figure model, slow;
  for (auto* one : {&model, &slow}) one->what = ballast::record_figure::kind::curve, one->benchmark = "a/b";
  model.names = {"model"};
  slow.names = {"slow"};
  auto const outcome = outcome_at_each_place(0.9, 1.1, ballast::figure_ratio{model, slow});
  EXPECT_EQ(outcome.places, 2u);
  EXPECT_EQ(outcome.within, 1u);  // 1 over 2 at place 2, 2 over 2 at 4
  EXPECT_EQ(outcome.value, 0.5);
}

TEST(report_paper_verdict, knows_how_many_blocks_a_level_has) {
  auto paper = paper_of_one_figure();
  auto& value = paper.figures[0].checks[0].value;
  value.over.reset();
  value.value.names = {"blocks"};
  auto one = record_on("m", "H200", "01");
  for (auto const& [x, y] : {std::pair{132, 1}, {133, 2}, {264, 3}, {265, 4}})
    one.record.series.push_back(curve_point("blocks", x, y));
  std::vector const records{one};
  for (auto const& [place, expected] :
       {std::pair{"level 1", 1.0}, {"level 1 + 1", 2.0}, {"level 2", 3.0}, {"level 2 + 1", 4.0}}) {
    value.value.places = {place};
    EXPECT_EQ(ballast::judge(paper, records)[0].checks[0].value, expected) << place;
  }
  value.value.places = {"level 3"};
  EXPECT_EQ(ballast::judge(paper, records)[0].outcome, figure_outcome::not_measured);
}

/// The series, curves and derived figures that a paper's checks name.
std::set<std::string> names_checked(std::string const& key, std::string const& figure_begins) {
  std::set<std::string> names;
  for (auto const& figure : ballast::all_papers().named(key).figures)
    for (auto const& check : figure.checks)
      if (figure.figure.starts_with(figure_begins))
        names.insert(check.value.value.names.begin(), check.value.value.names.end());
  return names;
}

TEST(report_papers, are_judged_by_their_own_methods) {
  using names = std::set<std::string>;
  EXPECT_EQ(names_checked("ohno2016", "Fig. 14a"), (names{"master_worker", "fixed"}));
  EXPECT_EQ(names_checked("ohno2016", "Fig. 14b"), (names{"master_worker", "fixed"}));
  EXPECT_EQ(names_checked("ohno2016", "Fig. 14c"), (names{"naive"}));
  EXPECT_EQ(names_checked("ohno2016", "Fig. 14d"), (names{"master_worker", "fixed"}));
  for (auto const& name : names_checked("ohno2016", "Fig. 15")) EXPECT_THAT(name, HasSubstr("master_worker"));
  for (auto const& name : names_checked("mohan2014", "Fig. 6")) EXPECT_THAT(name, HasSubstr("abp by blocks"));
  EXPECT_EQ(names_checked("chen2010", "Fig. 9"),
            (names{"TQ.efficiency@*", "S1.efficiency@*", "S2.efficiency@*", "S3.efficiency@*"}));
}

TEST(report_papers, are_judged_on_as_many_devices_as_they_had) {
  auto const devices_of = [](std::string const& key, std::string const& name) {
    auto const& figures = ballast::all_papers().named(key).figures;
    return std::ranges::find(figures, name, &ballast::published_figure::figure)->devices;
  };
  for (auto const* const figure : {"Fig. 8", "Fig. 9", "Fig. 10"})
    EXPECT_EQ(devices_of("chen2010", figure).least, 4u);
  for (auto const* const figure :
       {"Fig. 14a", "Fig. 14b", "Fig. 14c", "Fig. 14d", "Fig. 15a", "Fig. 15b", "Fig. 15c"})
    EXPECT_TRUE(devices_of("ohno2016", figure).unequal) << figure;
  for (auto const& figure : ballast::all_papers().named("wende2012").figures)
    EXPECT_TRUE(figure.devices.gpus);
}

TEST(report_papers, are_the_five_and_each_figure_can_be_judged) {
  std::set<std::string> keys;
  for (auto const& paper : ballast::all_papers().papers) {
    keys.insert(paper.key);
    EXPECT_FALSE(paper.figures.empty());
    for (auto const& figure : paper.figures)
      for (auto const& benchmark : figure.benchmarks)
        EXPECT_TRUE(ballast::all_papers().durations.contains(benchmark)) << benchmark;
  }
  EXPECT_EQ(keys, (std::set<std::string>{"chen2010", "coscheduling", "mohan2014", "ohno2016", "wende2012"}));
}

TEST(report_papers, name_the_figures_of_a_benchmark) {
  EXPECT_EQ(ballast::all_papers().figures_of("pool/connect4_blocks"), "Mohan 2014, Fig. 6");
  EXPECT_EQ(ballast::all_papers().figures_of("queue/round_trip"), "");
  EXPECT_THROW(ballast::all_papers().named("chen2011"), ballast::bad_argument);
}

TEST(report_papers, refuses_a_check_without_a_bound_and_text_that_is_no_such_file) {
  std::string const good = invented_paper;
  auto without = good;
  without.replace(without.find(", \"at_most\": 1"), std::string(", \"at_most\": 1").size(), "");
  EXPECT_THROW(ballast::read_papers(without), ballast::error);
  EXPECT_THROW(ballast::read_papers(good.substr(0, good.size() - 1)), ballast::error);
  EXPECT_THROW(ballast::read_papers("{}"), ballast::error);
}

TEST(report_papers, refuses_a_published_number_that_does_not_hold_itself_or_has_two_bounds) {
  std::string const good = invented_paper, last = "\"at_most\": 1}";
  auto const with = [&](std::string const& bounds) {
    auto text = good;
    return text.replace(text.find(last), last.size(), bounds + "}");
  };
  EXPECT_NO_THROW(ballast::read_papers(with("\"at_most\": 1, \"published\": 0.9")));
  EXPECT_THROW(ballast::read_papers(with("\"at_most\": 1, \"published\": 1.1")), ballast::error);
  EXPECT_THROW(ballast::read_papers(with("\"at_least\": 1, \"published\": 0.9")), ballast::error);
  EXPECT_THROW(ballast::read_papers(with("\"at_least\": 0, \"at_most\": 1, \"published\": 0.9")),
               ballast::error);
}

TEST(report_html, escapes_what_would_end_a_text_or_an_attribute_and_what_no_page_may_hold) {
  EXPECT_EQ(ballast::html_text("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(ballast::html_text("\x01\xFF"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_THAT(ballast::html_page("</title>", ""), HasSubstr("<title>&lt;/title&gt;</title>"));
}

TEST(report_html, holds_pictures_as_base64) {
  EXPECT_THAT(ballast::html_picture("<svg>", "\""),
              HasSubstr("alt=\"&quot;\" src=\"data:image/svg+xml;base64,PHN2Zz4=\""));
  EXPECT_THAT(ballast::html_picture("abc", ""), HasSubstr("base64,YWJj\""));
  EXPECT_THAT(ballast::html_picture("a", ""), HasSubstr("base64,YQ==\""));
}

}  // namespace
