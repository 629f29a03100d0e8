// SPDX-License-Identifier: Apache-2.0
#include "report/paper_verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ballast/error.hpp"
#include "report/html.hpp"

namespace {

using ballast::figure_outcome;
using ballast::filed_record;
using ballast::run_record;
using testing::HasSubstr;

/// Two checks on one benchmark: a ratio of two curves, and a figure that was derived.
constexpr char invented_paper[] =
    R"({"schema": "ballast-papers/1", "seconds": {"a/b": {"quick": 2, "whole": 9}},
  "papers": [{"key": "nobody1999", "short": "Nobody 1999", "title": "t", "machine": "m", "results": "r", "figures": [
    {"figure": "Fig. 1", "title": "f", "benchmarks": ["a/b"], "devices": "several", "connections": 1,
     "values": [{"series": "ratio", "x": 8, "y": 2, "unit": "1", "source": "Table 1",
                 "ours": {"benchmark": "a/b", "curve": "fast, *", "x": [8, "last"], "over": {"curve": "slow", "x": 4}}}],
     "checks": [
       {"says": "fast over slow", "benchmark": "a/b", "curve": "fast, *", "x": [8, "last"],
        "over": {"curve": "slow", "x": "least"}, "at_least": 2},
       {"says": "derived", "benchmark": "a/b", "derived": "d of *", "at_most": 1}]}]}]})";

ballast::published_paper paper_of_one_figure() { return ballast::read_papers(invented_paper).papers[0]; }

/// The second figure is redone by another benchmark, a/c.
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

/// Of which both checks hold: 6 over 3, and 0.5.
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
  return {started + ".json", record};
}

/// A record of some machine, with a GPU of that model unless it is empty.
filed_record record_on(std::string const& machine, std::string const& gpu, std::string const& day,
                       std::string const& benchmark = "a/b") {
  auto one = paper_record("2026-02-" + day + "T00:00:00Z");
  one.record.benchmark = benchmark;
  one.record.machine.name = machine;
  if (!gpu.empty()) one.record.machine.gpus = {{gpu, 132, 1, "9.0"}};
  return one;
}

/// On which machine each figure of paper_of_two_figures() is judged.
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
  verdict.records.clear();  // they point into what is gone
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

TEST(report_paper_verdict, counts_no_record_that_is_not_verified_or_of_another_setting) {
  std::vector<filed_record> others(5, paper_record());
  others[0].record.answer.verified = false;
  others[1].record.devices.pop_back();
  others[2].record.parameters.pop_back();
  others[3].record.parameters.back().second = 8;
  others[4].record.benchmark = "a/c";
  for (auto const& other : others) EXPECT_EQ(verdict_on({other}).outcome, figure_outcome::not_measured);
  EXPECT_EQ(verdict_on(others).why, "there is no verified record of a/b");
  EXPECT_EQ(verdict_on({}).outcome, figure_outcome::not_measured);
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
              "1 of 2 checks hold on m, of a quick run; not measured here: no GPU");
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
  EXPECT_EQ(machines_judged({old_b, old_c, newer_c}), (machines{"1x-H200", "1x-H200"}));
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

TEST(report_paper_verdict, takes_the_least_ratio_of_two_curves_over_all_places) {
  auto changed = paper_of_one_figure();
  auto& checks = changed.figures[0].checks;
  checks.resize(1);
  checks[0].value.value.names = {"fast, 2 things"};
  checks[0].value.value.places = {"each"};
  auto record = paper_record();
  record.record.series.push_back(curve_point("fast, 2 things", 2, 4));
  auto const verdicts = ballast::judge(changed, std::vector{record});
  EXPECT_EQ(verdicts[0].checks[0].value, 1);  // at 2; at 4 it is 2
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

TEST(report_papers, refuses_at_most_of_the_least_ratio_over_each_place) {
  std::string text = invented_paper;
  auto const replace = [&](std::string const& before, std::string const& after) {
    text.replace(text.rfind(before), before.size(), after);
  };
  replace("\"x\": [8, \"last\"]", "\"x\": \"each\"");
  EXPECT_NO_THROW(ballast::read_papers(text));
  replace("\"at_least\"", "\"at_most\"");
  EXPECT_THROW(ballast::read_papers(text), ballast::error);
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
