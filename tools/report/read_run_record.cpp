// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "ballast/error.hpp"
#include "json_member.hpp"
#include "record_rules.hpp"
#include "report/run_record.hpp"

namespace ballast {
namespace {

std::string contents_of(std::filesystem::path const& path) {
  if (std::filesystem::is_directory(path)) throw error("cannot read " + path.string() + ": it is a folder");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.is_open()) text << file.rdbuf();
  if (file.is_open() && !text.bad()) return std::move(text).str();
  throw error("cannot read " + path.string() + ": " + std::generic_category().message(errno));
}

nlohmann::ordered_json document_in(std::filesystem::path const& path) {
  try {
    return nlohmann::ordered_json::parse(contents_of(path));
  } catch (nlohmann::json::exception const& problem) {
    throw error(path.string() + " is not JSON: " + problem.what());
  }
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

/// `curve` and `x` came later than the first records.
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

run_record record_in(json_member const& document) {
  check_schema(document.at("schema"));
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
  run_record record = record_in(json_member(document, path.string()));
  try {
    check_record(record);
  } catch (bad_argument const& problem) {  // here the file is wrong, not an argument
    throw error(path.string() + ": " + problem.what());
  }
  return record;
}

}  // namespace ballast
