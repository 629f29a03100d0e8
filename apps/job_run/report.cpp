// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <utility>

#include "ballast/error.hpp"
#include "report/statistics.hpp"
#include "report/table.hpp"

namespace ballast::job_run {
namespace {

double median_seconds(run_summary const& of) {
  std::vector<double> seconds;
  for (auto const& run : of.runs) seconds.push_back(run.seconds);
  return median(seconds);
}

json_value runs_as_json(std::vector<timed_run> const& runs) {
  json_value::list all;
  for (auto const& run : runs)
    all.push_back(
        json_value::object{{"seconds", run.seconds}, {"tasks", run.tasks}, {"bytes_moved", run.moved.all()}});
  return all;
}

json_value by_direction(moved_bytes const& moved) {
  return json_value::object{
      {"from_host", moved.from_host}, {"to_host", moved.to_host}, {"between_devices", moved.between_devices}};
}

std::string joined(std::vector<std::string> const& names) {
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string sizes_text(moved_bytes const& moved) {
  return byte_size(moved.from_host) + " from the host, " + byte_size(moved.to_host) + " to it, " +
         byte_size(moved.between_devices) + " between devices";
}

}  // namespace

run_summary summary_of(device_list const& devices, job_options const& options, std::vector<timed_run> runs,
                       verdict found) {
  run_summary summary{{}, options.policy, options.reuse, std::move(runs), std::move(found)};
  for (auto const& device : devices) summary.devices.push_back(device->name());
  return summary;
}

json_value::object members_of(run_summary const& of) {
  auto const& last = of.runs.back();
  return {{"seconds", median_seconds(of)},
          {"repetitions", of.runs.size()},
          {"runs", runs_as_json(of.runs)},
          {"devices", json_value::list_of(of.devices)},
          {"policy", of.policy},
          {"reuse", of.reuse},
          {"tasks", last.tasks},
          {"bytes_moved", last.moved.all()},
          {"bytes_moved_by_direction", by_direction(last.moved)},
          {"verified", of.found.is_right},
          {"checked", of.found.checked}};
}

std::string text_of(run_summary const& of) {
  auto const& last = of.runs.back();
  return "on " + joined(of.devices) + ", policy " + of.policy + (of.reuse ? "" : ", no reuse") + "\n" +
         rounded(median_seconds(of)) + " s (median of " + std::to_string(of.runs.size()) +
         "); the last run: " + std::to_string(last.tasks) + " tasks, " + sizes_text(last.moved) + "\n" +
         (of.found.is_right ? "right: " : "WRONG: ") + of.found.checked + "\n";
}

void expect_right(run_summary const& of) {
  if (!of.found.is_right) throw error("the result is wrong; checked: " + of.found.checked);
}

}  // namespace ballast::job_run
