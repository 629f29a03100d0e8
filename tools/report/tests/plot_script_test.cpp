// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "ballast/error.hpp"
#include "report/plot.hpp"

namespace {

using ballast::bad_argument;
using ballast::plot_script;
using ballast::run_record;
using ballast::sample_series;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

run_record drawn_record(std::vector<sample_series> series, ballast::plot_axes axes = {}) {
  run_record record;
  record.benchmark = "queue/throughput";
  record.started = "2026-01-31T09:05:00Z";
  record.source = {"0123456789abcdef", true};
  record.machine.name = "2x-nvidia-h200";
  record.devices = {"cuda:0", "cuda:1"};
  record.repetitions = 5;
  record.series = std::move(series);
  record.axes = std::move(axes);
  record.answer = {true, "every block ran once"};
  return record;
}

sample_series point(std::string const& curve, double x, std::vector<double> samples,
                    std::string unit = "tasks/s") {
  return {curve + "@" + std::to_string(x), std::move(unit), std::move(samples), curve, x};
}

std::string script_of(run_record const& record) { return plot_script({&record, 1}); }

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

/// The part of the script that gnuplot takes for commands and not for text.
std::string without_strings(std::string const& script) {
  return std::regex_replace(script, std::regex("'([^'\n]|'')*'"), "''");
}

TEST(report_plot_script, draws_a_curve_by_median_and_quartiles_in_order_of_x) {
  auto const script = script_of(drawn_record(
      {point("queue", 8, {60, 50, 70}), point("queue", 2, {30, 10, 20}), point("graph", 2, {5})}));
  EXPECT_THAT(script, AllOf(HasSubstr("$line0 << END\n2 20 15 25\n8 60 55 65\nEND\n"),
                            HasSubstr("$line1 << END\n2 5 5 5\nEND\n")));
  EXPECT_THAT(script, AllOf(HasSubstr("plot $line0 using 1:2:3:4 with yerrorlines"),
                            HasSubstr("title 'queue'"), HasSubstr("title 'graph'")));
}

TEST(report_plot_script, says_what_was_measured_where_and_from_which_source) {
  auto record =
      drawn_record({point("queue", 8, {60})}, {"Tasks per second", "batch", "tasks/s", false, false});
  EXPECT_THAT(
      script_of(record),
      AllOf(HasSubstr("'queue/throughput: Tasks per second'"),
            HasSubstr("'2x-nvidia-h200 (cuda:0, cuda:1), commit 0123456789, 2026-01-31, 5 repetitions'"),
            HasSubstr("set xlabel 'batch'"), HasSubstr("set ylabel 'tasks/s'")));
  record.source.clean = false;
  record.answer.verified = false;
  EXPECT_THAT(script_of(record),
              AllOf(HasSubstr("commit 0123456789 (changed)"), HasSubstr("ANSWER NOT VERIFIED")));
}

TEST(report_plot_script, has_logarithmic_axes_only_where_asked_and_possible) {
  std::vector<sample_series> const series = {point("queue", 1, {2}), point("queue", 10, {3})};
  EXPECT_THAT(script_of(drawn_record(series)), Not(HasSubstr("\nset logscale")));
  EXPECT_THAT(script_of(drawn_record(series, {"", "", "", true, false})),
              AllOf(HasSubstr("\nset logscale x\n"), Not(HasSubstr("\nset logscale y"))));
  EXPECT_THAT(script_of(drawn_record(series, {"", "", "", false, true})),
              AllOf(HasSubstr("\nset logscale y\n"), Not(HasSubstr("\nset logscale x"))));
  EXPECT_THAT(script_of(drawn_record({point("queue", 0, {0})}, {"", "", "", true, true})),
              Not(HasSubstr("\nset logscale")));
}

TEST(report_plot_script, leaves_out_numbers_without_room_along_a_logarithmic_axis) {
  auto const script =
      script_of(drawn_record({point("queue", 132, {2}), point("queue", 3968, {3}), point("queue", 4224, {4})},
                             {"", "", "", true, false}));
  EXPECT_THAT(script, AllOf(HasSubstr("set xtics (132, 3968)\n"), HasSubstr("\n4224 4 4 4\n")));
}

TEST(report_plot_script, draws_small_times_and_large_rates_with_a_prefix) {
  auto const times = script_of(drawn_record({point("queue", 1, {2e-6}, "s")}));
  EXPECT_THAT(times, AllOf(HasSubstr("\n1 2 2 2\n"), HasSubstr("set format y '%.10g µs'")));
  auto const rates = script_of(drawn_record({point("queue", 1, {3e6})}));
  EXPECT_THAT(rates, AllOf(HasSubstr("\n1 3 3 3\n"), HasSubstr("set format y '%.10g M'"),
                           HasSubstr("set ylabel 'tasks/s'")));
  for (std::string const unit : {"tasks/ms", "tasks"})
    EXPECT_THAT(script_of(drawn_record({point("queue", 1, {3e6}, unit)}, {"", "", "", false, true})),
                HasSubstr("set format y '%.0s %c'"));
  auto const ratios = script_of(drawn_record({point("queue", 1, {0.001}, "1")}));
  EXPECT_THAT(ratios, AllOf(HasSubstr("\n1 0.001 0.001 0.001\n"), HasSubstr("set ylabel 'ratio or count'")));
}

TEST(report_plot_script, writes_no_number_that_gnuplot_would_take_for_a_name) {
  EXPECT_THAT(
      [] {
        script_of(drawn_record({{"idle", "1", {1.7e308}}}));
      },
      testing::ThrowsMessage<ballast::error>(HasSubstr("not finite")));
  for (bool const log : {false, true})
    EXPECT_NO_THROW(script_of(drawn_record({point("queue", 1e-150, {1e-150}), point("queue", 1e150, {1e150})},
                                           {"", "", "", log, log})));
}

TEST(report_plot_script, keeps_texts_within_what_an_svg_picture_may_hold) {
  auto const script = script_of(drawn_record(
      {point("a]]>b\xEF\xBF\xBE\u0085\xFF", 1, {2}), {"c]]]>d.e]]>", "1", {4}}}, {"x ]]> y", "]]>", "]]>"}));
  EXPECT_THAT(script, AllOf(Not(HasSubstr("]]>")), Not(HasSubstr("\xEF\xBF\xBE")),
                            HasSubstr("'a]] >b\uFFFD\uFFFD\uFFFD'"), HasSubstr("x ]] > y"),
                            HasSubstr("'c]]] >d.e]] >'")));
}

TEST(report_plot_script, gives_each_unit_a_panel) {
  auto const script =
      script_of(drawn_record({point("queue", 1, {2}), point("queue", 1, {3}, "s"), {"idle", "1", {4}}}));
  EXPECT_EQ(count(script, "\nplot "), 3u);
  EXPECT_EQ(count(script_of(drawn_record({point("queue", 1, {2}), point("graph", 1, {3})})), "\nplot "), 1u);
}

TEST(report_plot_script, splits_more_curves_than_there_are_colours_by_what_they_have_in_common) {
  std::vector<sample_series> few, many;
  for (int line = 0; line < 9; ++line)
    many.push_back(
        point("method " + std::to_string(line / 2) + ", depth " + std::to_string(line % 2), line / 2, {2}));
  few.assign(many.begin(), many.end() - 1);
  EXPECT_EQ(count(script_of(drawn_record(few)), "\nplot "), 1u);
  auto const script = script_of(drawn_record(many, {"", "", "speed", false, false}));
  EXPECT_EQ(count(script, "\nplot "), 2u);
  EXPECT_EQ(count(script, "title 'method 3'"), 2u);
  EXPECT_THAT(script, AllOf(HasSubstr("set key title 'depth 0'"), HasSubstr("set key title 'depth 1'"),
                            HasSubstr("set ylabel 'speed'")));
  many.push_back(point("alone", 1, {2}));
  auto const by_number = script_of(drawn_record(many));
  EXPECT_EQ(count(by_number, "\nplot "), 2u) << "one line is about nothing that others are";
  EXPECT_THAT(by_number, Not(HasSubstr("set key title 'depth 0'")));
  EXPECT_EQ(count(by_number, "lc rgb '#0072B2'"), 2u) << "a colour once a panel";
}

TEST(report_plot_script, draws_no_line_through_places_that_have_names) {
  ballast::plot_axes const named{"", "1: matmul, 2: ep", "seconds", false, false};
  std::vector<sample_series> const all{point("jobs", 1, {2}), point("jobs", 2, {3}),
                                       point("by hand", 1, {4})};
  auto const script = script_of(drawn_record(all, named));
  EXPECT_THAT(script, AllOf(HasSubstr("'matmul.jobs'"), HasSubstr("'ep.jobs'"), HasSubstr("'matmul.by hand'"),
                            Not(HasSubstr("yerrorlines"))));
  ballast::plot_axes const no_names{"", "1: matmul, or 2", "seconds", false, false};
  EXPECT_THAT(script_of(drawn_record(all, no_names)), HasSubstr("yerrorlines"));
}

TEST(report_plot_script, labels_the_values_as_the_record_does_only_if_there_is_one_panel) {
  ballast::plot_axes const axes = {"", "", "throughput, tasks/s", false, false};
  EXPECT_THAT(script_of(drawn_record({point("queue", 1, {2})}, axes)),
              HasSubstr("set ylabel 'throughput, tasks/s'"));
  EXPECT_THAT(script_of(drawn_record({point("queue", 1, {2}), {"idle", "1", {4}}}, axes)),
              AllOf(HasSubstr("set ylabel 'tasks/s'"), HasSubstr("set xlabel 'ratio or count'")));
  EXPECT_THAT(script_of(drawn_record({point("queue", 1, {2}, "s")}, {"", "", "seconds", false, false})),
              HasSubstr("set ylabel ''"));  // its ticks read "1 s"
}

TEST(report_plot_script, draws_series_without_a_curve_as_bars_with_whiskers) {
  auto const script = script_of(drawn_record({{"launch", "s", {1, 2, 3}}, {"submit", "s", {6}}}));
  EXPECT_THAT(script,
              AllOf(HasSubstr("$bars0 << END\n2 0 0 2 -0.38 0.38\n6 1 0 6 0.62 1.38\nEND\n"),
                    HasSubstr("$whiskers << END\n2 0 1.5 2.5 \"2.000 s\"\n6 1 6 6 \"6.000 s\"\nEND\n"),
                    HasSubstr("set ytics ('launch' 0, 'submit' 1)")));
}

TEST(report_plot_script, draws_curves_with_all_points_at_one_place_as_bars) {
  auto const naps = [](double x) {
    return drawn_record({point("lifeline", 8, {2}), point("random", x, {3})});
  };
  EXPECT_THAT(script_of(naps(8)), AllOf(HasSubstr("'lifeline@8.000000' 0"), HasSubstr("'random@8.000000' 1"),
                                        HasSubstr("with boxxyerror"), Not(HasSubstr("yerrorlines"))));
  EXPECT_THAT(script_of(naps(9)), AllOf(HasSubstr("yerrorlines"), Not(HasSubstr("boxxyerror"))));
}

TEST(report_plot_script, writes_each_median_with_its_own_prefix) {
  auto const script = script_of(
      drawn_record({{"long", "s", {1}}, {"short", "s", {2e-6}}, {"none", "s", {0}}, {"back", "s", {-0.5}}}));
  EXPECT_THAT(script, AllOf(HasSubstr("\"1.000 s\""), HasSubstr("\"2.000 µs\""), HasSubstr("\"0 s\""),
                            HasSubstr("\"-500.0 ms\"")));
}

TEST(report_plot_script, keeps_bars_of_one_group_together_and_apart_from_others) {
  auto const script =
      script_of(drawn_record({{"S1.step", "s", {1}}, {"TQ.step", "s", {2}}, {"S1.busy", "s", {3}}}));
  EXPECT_THAT(script, HasSubstr("set ytics ('S1.step' 0, 'S1.busy' 1, 'TQ.step' 2.6)"));
  EXPECT_THAT(script, AllOf(HasSubstr("$bars0 << END\n1 0 "), HasSubstr("\n2 2.6 "),
                            HasSubstr("$bars1 << END\n3 1 ")));
}

TEST(report_plot_script, lays_records_over_each_other_and_tells_them_apart) {
  std::vector<run_record> records(2, drawn_record({point("queue", 1, {2})}));
  records[1].machine.name = "1x-nvidia-h200";
  EXPECT_THAT(plot_script(records),
              AllOf(HasSubstr("title '2x-nvidia-h200: queue'"), HasSubstr("title '1x-nvidia-h200: queue'")));
  records[1].machine.name = records[0].machine.name;
  records[1].source.commit = "fedcba9876543210";
  EXPECT_THAT(plot_script(records),
              AllOf(HasSubstr("title '0123456789: queue'"), HasSubstr("title 'fedcba9876: queue'")));
  records[1] = records[0];
  EXPECT_THAT(plot_script(records), AllOf(HasSubstr("title '#1: queue'"), HasSubstr("title '#2: queue'")));
}

TEST(report_plot_script, tells_records_apart_by_one_trait_if_that_is_enough_and_else_by_more) {
  std::vector<run_record> records(2, drawn_record({point("queue", 1, {2})}));
  records[1].machine.name = "1x-nvidia-h200";
  records[1].source.commit = "fedcba9876543210";
  EXPECT_THAT(plot_script(records), HasSubstr("title '1x-nvidia-h200: queue'"));
  records.push_back(records[1]);
  records[2].source.commit = records[0].source.commit;
  EXPECT_THAT(plot_script(records), AllOf(HasSubstr("title '1x-nvidia-h200, fedcba9876: queue'"),
                                          HasSubstr("title '1x-nvidia-h200, 0123456789: queue'")));
}

TEST(report_plot_script, puts_the_bars_of_several_records_side_by_side) {
  std::vector<run_record> records(2, drawn_record({{"launch", "s", {1}}, {"submit", "s", {2}}}));
  records[1].machine.name = "1x-nvidia-h200";
  EXPECT_THAT(plot_script(records),
              AllOf(HasSubstr("set ytics ('launch' 0.5, 'submit' 3.1)"), HasSubstr("title '2x-nvidia-h200'"),
                    HasSubstr("title '1x-nvidia-h200'")));
}

TEST(report_plot_script, lets_no_text_of_a_record_out_of_its_quotes) {
  auto const with = [](std::string const& text) {
    auto record = drawn_record({point(text, 1, {2}), {text, "s", {3}}, {text + ".busy", text, {3}}},
                               {text, text, text, true, true});
    record.machine.name = record.devices[0] = record.source.commit = record.started = text;
    return script_of(record);
  };
  std::string const evil = "'\n\"`id`\\\r$%d @x; '.system('id').'\x01";
  EXPECT_EQ(without_strings(with(evil)), without_strings(with(std::string(evil.size(), 'x'))));
  EXPECT_THAT(with(evil), Not(HasSubstr("\r")));
}

TEST(report_plot_script, writes_signs_of_gnuplot_as_they_are) {
  auto const script = script_of(drawn_record({point("it's 5%", 1, {2}), {"100% or\nless", "s", {3}}}));
  EXPECT_THAT(script, AllOf(HasSubstr("title 'it''s 5%'"), HasSubstr("set ytics ('100%% or less' 0)")));
  EXPECT_THAT(script, HasSubstr(" noenhanced "));
}

TEST(report_plot_script, refuses_records_that_make_no_picture) {
  auto const good = drawn_record({point("queue", 1, {2})});
  EXPECT_THROW(plot_script({}), bad_argument);
  EXPECT_THROW(script_of(drawn_record({})), bad_argument);
  std::vector<run_record> records = {good, good};
  records[1].benchmark = "md/solutions";
  EXPECT_THROW(plot_script(records), bad_argument);
  records[1] = good;
  records[1].axes.y_log = true;
  EXPECT_THROW(plot_script(records), bad_argument);
}

}  // namespace
