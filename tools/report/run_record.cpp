// SPDX-License-Identifier: Apache-2.0
#include "report/run_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "report/json_text.hpp"
#include "report/json_value.hpp"
#include "report/statistics.hpp"

namespace ballast {
namespace {

/// The legal characters of a benchmark's name, the slash last.
constexpr std::string_view legal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";

void check_name(std::string const& name) {
  if (name.empty() || name.find_first_not_of(legal) != std::string::npos) {
    throw_bad_argument("run_record.benchmark", "'" + name + "'", "letters, digits and ._/-, at least one");
  }
}

void check_measured(std::string const& argument, double value) {
  if (!std::isfinite(value)) throw_bad_argument(argument, value, "finite");
  if (is_measurable(value)) return;
  throw_bad_argument(argument, value, "0 or of a size from 1e-150 to 1e150, so that quotients stay finite");
}

void check_points(std::vector<sample_series> const& all) {
  std::set<std::tuple<std::string, std::string, double>> points;
  for (sample_series const& one : all) {
    if (one.x) check_measured("run_record.series " + one.name + ".x", *one.x);
    if (one.curve.empty()) continue;
    if (!one.x)
      throw_bad_argument("run_record.series " + one.name + ".x", "none", "a number, as curve is set");
    if (points.emplace(one.curve, one.unit, *one.x).second) continue;
    throw_bad_argument("run_record.series " + one.name + ".x", *one.x, "used once in its curve and unit");
  }
}

void check_series(std::vector<sample_series> const& all) {
  std::set<std::string> names;
  for (sample_series const& one : all) {
    if (!names.insert(one.name).second) throw_bad_argument("run_record.series", one.name, "a name used once");
    if (one.samples.empty()) throw_bad_argument("run_record.series", one.name, "one sample or more");
    for (double const sample : one.samples) check_measured("run_record.series " + one.name, sample);
  }
}

/// Throws bad_argument naming the field if the record breaks a rule of bench/SCHEMA.md that its type does not
/// enforce.
void check_record(run_record const& record) {
  check_name(record.benchmark);
  check_series(record.series);
  check_points(record.series);
}

/// Throws bad_argument if a file's name may not contain the part; it may be empty.
void check_name_part(std::string const& argument, std::string const& part) {
  if (part.find_first_not_of(legal.substr(0, legal.size() - 1)) == std::string::npos) return;
  throw_bad_argument(argument, "'" + part + "'", "letters, digits and ._-");
}

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

/// Makes an empty file with the first free name, so that no other process takes it. If none can be made,
/// replace_file() will report the reason.
std::filesystem::path claimed_path(std::filesystem::path const& folder, std::string const& stem) {
  std::filesystem::path path = folder / (stem + ".json");
  for (int k = 2;; ++k) {
    int const made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made >= 0) ::close(made);
    if (made >= 0 || errno != EEXIST) return path;
    path = folder / (stem + '-' + std::to_string(k) + ".json");
  }
}

std::filesystem::path make_folder(std::filesystem::path const& results, run_record const& record) {
  std::filesystem::path const folder = results / record.machine.name;
  std::error_code cause;
  std::filesystem::create_directories(folder, cause);
  if (cause) throw error("cannot make the folder " + folder.string() + ": " + cause.message());
  return folder;
}

}  // namespace

bool is_measurable(double value) {
  return value == 0 || (std::fabs(value) >= 1e-150 && std::fabs(value) <= 1e150);
}

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
  std::filesystem::path const path = claimed_path(make_folder(results, record), file_stem(record, suffix));
  try {
    replace_file(path, text);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);  // empty
    throw;
  }
  return path;
}

void require_run_folder(std::filesystem::path const& results, run_record const& record) {
  check_replaceable(make_folder(results, record) / "trial");
}

namespace {

/// One value of a JSON document that was read, and its path ("series[2].unit"). Any mismatch throws
/// ballast::error, which begins with the file and that path. The document outlives it.
class json_member {
 public:
  json_member(nlohmann::ordered_json const& value, std::string file, std::string place = {})
      : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

  json_member at(std::string const& name) const;
  std::optional<json_member> find(std::string const& name) const;
  std::vector<json_member> elements() const;
  bool is_null() const { return value_->is_null(); }

  std::string text() const;
  double number() const;
  bool flag() const;
  template <class Integer>
  Integer count() const;
  std::vector<std::string> texts() const;
  std::vector<double> numbers() const;
  json_value::object members() const;  ///< all members of an object, in order

  /// "FILE: series[2].unit: a string is needed, a number is there", to be thrown.
  error type_error(std::string const& needed) const;

 private:
  std::string at_place() const { return file_ + ": " + (place_.empty() ? "" : place_ + ": "); }

  nlohmann::ordered_json const* value_;
  std::string file_, place_;
};

template <class Integer>
Integer json_member::count() const {
  if (value_->is_number_unsigned()) {
    auto const number = value_->get<std::uint64_t>();
    if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
  }
  throw type_error("a whole number from 0 on");
}

using json = nlohmann::ordered_json;

std::string kind_of(json const& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "the string " + value.dump();
    case json::value_t::boolean:
      return "a boolean";
    default:
      return "the number " + value.dump();
  }
}

json_value::object members_of(json const& value);

json_value copy_of(json const& value) {
  switch (value.type()) {
    case json::value_t::object:
      return members_of(value);
    case json::value_t::string:
      return value.get<std::string>();
    case json::value_t::boolean:
      return value.get<bool>();
    case json::value_t::number_integer:
      return value.get<std::int64_t>();
    case json::value_t::number_unsigned:
      return value.get<std::uint64_t>();
    case json::value_t::number_float:
      return value.get<double>();
    case json::value_t::array:
      break;
    default:
      return {};
  }
  json_value::list elements;
  for (json const& one : value) elements.push_back(copy_of(one));
  return elements;
}

json_value::object members_of(json const& value) {
  json_value::object members;
  for (auto const& [name, one] : value.items()) members.emplace_back(name, copy_of(one));
  return members;
}

error json_member::type_error(std::string const& needed) const {
  return error(at_place() + needed + " is needed, " + kind_of(*value_) + " is there");
}

std::optional<json_member> json_member::find(std::string const& name) const {
  if (!value_->is_object()) throw type_error("an object");
  auto const found = value_->find(name);
  if (found == value_->end()) return std::nullopt;
  return json_member(*found, file_, place_.empty() ? name : place_ + "." + name);
}

json_member json_member::at(std::string const& name) const {
  if (auto found = find(name)) return *std::move(found);
  throw error(at_place() + "the member " + name + " is missing");
}

std::vector<json_member> json_member::elements() const {
  if (!value_->is_array()) throw type_error("a list");
  std::vector<json_member> all;
  for (json const& one : *value_) {
    all.emplace_back(one, file_, place_ + "[" + std::to_string(all.size()) + "]");
  }
  return all;
}

std::string json_member::text() const {
  return value_->is_string() ? value_->get<std::string>() : throw type_error("a string");
}

double json_member::number() const {
  return value_->is_number() ? value_->get<double>() : throw type_error("a number");
}

bool json_member::flag() const {
  return value_->is_boolean() ? value_->get<bool>() : throw type_error("a boolean");
}

std::vector<std::string> json_member::texts() const {
  std::vector<std::string> all;
  for (json_member const& one : elements()) all.push_back(one.text());
  return all;
}

std::vector<double> json_member::numbers() const {
  std::vector<double> all;
  for (json_member const& one : elements()) all.push_back(one.number());
  return all;
}

json_value::object json_member::members() const {
  return value_->is_object() ? members_of(*value_) : throw type_error("an object");
}

std::string contents_of(std::filesystem::path const& path) {
  if (std::filesystem::is_directory(path)) throw error("cannot read " + path.string() + ": it is a folder");
  note_read(path);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.is_open()) text << file.rdbuf();
  if (file.is_open() && !text.bad()) return std::move(text).str();
  throw error("cannot read " + path.string() + ": " + std::generic_category().message(errno));
}

nlohmann::ordered_json document_in(std::filesystem::path const& path) {
  auto const text = contents_of(path);
  try {
    return parse_json<nlohmann::ordered_json>(text);
  } catch (error const& problem) { throw error(path.string() + " " + problem.what()); }
}

std::string text_or_null(json_member const& one) { return one.is_null() ? "" : one.text(); }

source_state source_in(json_member const& one) {
  json_member const clean = one.at("clean");
  return {text_or_null(one.at("commit")), clean.is_null() ? std::nullopt : std::optional(clean.flag())};
}

gpu_facts gpu_in(json_member const& one) {
  return {one.at("model").text(), one.at("multiprocessors").count<int>(),
          one.at("memory_bytes").count<std::size_t>(), one.at("compute_capability").text()};
}

machine_facts machine_in(json_member const& one) {
  machine_facts facts;
  facts.name = one.at("name").text();
  facts.cpu = one.at("cpu").text();
  facts.cores = one.at("cores").count<std::size_t>();
  facts.memory_bytes = one.at("memory_bytes").count<std::size_t>();
  facts.system = one.at("system").text();
  facts.compiler = one.at("compiler").text();
  for (json_member const& gpu : one.at("gpus").elements()) facts.gpus.push_back(gpu_in(gpu));
  facts.driver = text_or_null(one.at("driver"));
  facts.cuda_runtime = text_or_null(one.at("cuda_runtime"));
  return facts;
}

/// Reads a series. The first records had no `curve` and `x`.
sample_series series_in(json_member const& one) {
  sample_series series{one.at("name").text(), one.at("unit").text(), one.at("samples").numbers()};
  if (auto const curve = one.find("curve")) series.curve = curve->text();
  if (auto const x = one.find("x"); x && !x->is_null()) series.x = x->number();
  return series;
}

plot_axes axes_in(json_member const& one) {
  return {one.at("title").text(), one.at("x_label").text(), one.at("y_label").text(), one.at("x_log").flag(),
          one.at("y_log").flag()};
}

void check_schema(json_member const& schema) {
  if (schema.text() != run_record::schema)
    throw schema.type_error("\"" + std::string(run_record::schema) + "\"");
}

void check_form(nlohmann::ordered_json const& document, std::string const& file) {
  try {
    check_schema(json_member(document, file).at("schema"));
  } catch (error const& problem) {
    if (document.is_object() && document.contains("schema") && !document["schema"].is_string()) throw;
    throw another_form(problem.what());
  }
}

run_record record_in(json_member const& document) {
  run_record record;
  record.benchmark = document.at("benchmark").text();
  record.version = document.at("version").text();
  record.started = document.at("started").text();
  record.command = document.at("command").texts();
  record.source = source_in(document.at("source"));
  record.machine = machine_in(document.at("machine"));
  record.devices = document.at("devices").texts();
  record.policies = document.at("policies").members();
  record.parameters = document.at("parameters").members();
  record.warm_up = document.at("warm_up").count<std::size_t>();
  record.repetitions = document.at("repetitions").count<std::size_t>();
  for (json_member const& one : document.at("series").elements()) record.series.push_back(series_in(one));
  if (auto const axes = document.find("axes")) record.axes = axes_in(*axes);
  record.derived = document.at("derived").members();
  record.answer = {document.at("answer").at("verified").flag(), document.at("answer").at("how").text()};
  return record;
}

}  // namespace

run_record read_run_record(std::filesystem::path const& path) {
  nlohmann::ordered_json const document = document_in(path);
  check_form(document, path.string());
  run_record record = record_in(json_member(document, path.string()));
  try {
    check_record(record);
  } catch (bad_argument const& problem) {  // here the file is wrong, not an argument
    throw error(path.string() + ": " + problem.what());
  }
  return record;
}

std::string why_no_evidence(run_record const& record) {
  if (!record.answer.verified) return "its answer was not verified";
  if (record.source.commit.empty()) return "its program is of an unknown commit";
  if (!record.source.clean.value_or(false)) return "its program was built of changed files";
  auto const program =
      record.command.empty() ? "" : std::filesystem::path(record.command.front()).filename().string();
  if (program != "ballast" && !program.starts_with("ballast-"))
    return "its program is called '" + program + "'";
  if (record.version == "0") return "it is of version 0";
  return {};
}

std::string parameter_of(run_record const& record, std::string_view name) {
  auto const found = std::ranges::find(record.parameters, name, &json_value::member::first);
  return found == record.parameters.end() ? "" : found->second.text();
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
