// SPDX-License-Identifier: Apache-2.0
#include "report/run_record.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <system_error>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "record_rules.hpp"
#include "report/statistics.hpp"

namespace ballast {
namespace {

using object = json_value::object;

json_value null_if_empty(std::string const& text) { return text.empty() ? json_value() : json_value(text); }

json_value to_json(source_state const& source) {
  return object{{"commit", null_if_empty(source.commit)},
                {"clean", source.clean ? json_value(*source.clean) : json_value()}};
}

json_value to_json(gpu_facts const& gpu) {
  return object{{"model", gpu.model},
                {"multiprocessors", gpu.multiprocessors},
                {"memory_bytes", gpu.memory_bytes},
                {"compute_capability", gpu.compute_capability}};
}

json_value to_json(machine_facts const& machine) {
  json_value::list gpus;
  for (gpu_facts const& gpu : machine.gpus) gpus.push_back(to_json(gpu));
  return object{{"name", machine.name},
                {"cpu", machine.cpu},
                {"cores", machine.cores},
                {"memory_bytes", machine.memory_bytes},
                {"system", machine.system},
                {"compiler", machine.compiler},
                {"gpus", gpus},
                {"driver", null_if_empty(machine.driver)},
                {"cuda_runtime", null_if_empty(machine.cuda_runtime)}};
}

json_value to_json(sample_series const& one) {
  sample_summary const all = summarise(one.samples);
  return object{{"name", one.name},
                {"unit", one.unit},
                {"curve", one.curve},
                {"x", one.x ? json_value(*one.x) : json_value()},
                {"samples", json_value::list_of(one.samples)},
                {"summary", object{{"count", all.count},
                                   {"min", all.min},
                                   {"lower_quartile", all.lower_quartile},
                                   {"median", all.median},
                                   {"upper_quartile", all.upper_quartile},
                                   {"max", all.max}}}};
}

json_value to_json(std::vector<sample_series> const& series) {
  json_value::list all;
  for (sample_series const& one : series) all.push_back(to_json(one));
  return all;
}

json_value to_json(plot_axes const& axes) {
  return object{{"title", axes.title},
                {"x_label", axes.x_label},
                {"y_label", axes.y_label},
                {"x_log", axes.x_log},
                {"y_log", axes.y_log}};
}

/// "md/solutions" and "2026-01-31T09:05:00Z" become "md-solutions-20260131T090500Z".
std::string file_stem(run_record const& record, std::string const& suffix) {
  std::string stem = record.benchmark + '-' + (suffix.empty() ? "" : suffix + '-');
  std::replace(stem.begin(), stem.end(), '/', '-');
  for (char const sign : record.started) {
    if (sign != ':' && sign != '-') stem += sign;
  }
  return stem;
}

std::filesystem::path free_path(std::filesystem::path const& folder, std::string const& stem) {
  std::filesystem::path path = folder / (stem + ".json");
  for (int k = 2; std::filesystem::exists(path); ++k) {
    path = folder / (stem + '-' + std::to_string(k) + ".json");
  }
  return path;
}

std::filesystem::path make_folder(std::filesystem::path const& results, run_record const& record) {
  std::filesystem::path const folder = results / record.machine.name;
  std::error_code cause;
  std::filesystem::create_directories(folder, cause);
  if (cause) throw error("cannot make the folder " + folder.string() + ": " + cause.message());
  return folder;
}

}  // namespace

json_value to_json(run_record const& record) {
  check_record(record);
  return object{{"schema", run_record::schema},
                {"benchmark", record.benchmark},
                {"version", record.version},
                {"started", record.started},
                {"command", json_value::list_of(record.command)},
                {"source", to_json(record.source)},
                {"machine", to_json(record.machine)},
                {"devices", json_value::list_of(record.devices)},
                {"policies", record.policies},
                {"parameters", record.parameters},
                {"warm_up", record.warm_up},
                {"repetitions", record.repetitions},
                {"series", to_json(record.series)},
                {"axes", to_json(record.axes)},
                {"derived", record.derived},
                {"answer", object{{"verified", record.answer.verified}, {"how", record.answer.how}}}};
}

std::filesystem::path write_run_record(std::filesystem::path const& results, run_record const& record,
                                       std::string const& suffix) {
  check_name_part("suffix", suffix);
  std::string const text = to_json(record).text(2) + '\n';
  std::filesystem::path const path = free_path(make_folder(results, record), file_stem(record, suffix));
  replace_file(path, text);
  return path;
}

void require_run_folder(std::filesystem::path const& results, run_record const& record) {
  check_replaceable(make_folder(results, record) / "trial");
}

std::string utc_now() {
  std::time_t const now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace ballast
