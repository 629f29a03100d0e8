// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include "ballast/error.hpp"
#include "ballast/replace_file.hpp"
#include "commands.hpp"
#include "diagnostic_text.hpp"

namespace ballast::mesicc {
namespace {

namespace fs = std::filesystem;

fs::path output_for(fs::path const& input, translate_request const& request) {
  auto const name = input.stem().string() + ".cu";
  if (request.output.empty()) return input.parent_path() / name;
  return request.files.size() > 1 ? fs::path(request.output) / name : fs::path(request.output);
}

bool writes(translate_request const& request) { return !request.explain || !request.output.empty(); }

void refuse_colliding_outputs(translate_request const& request) {
  if (!writes(request)) return;
  std::vector<fs::path> outputs;
  for (fs::path const file : request.files) {
    auto const output = output_for(file, request);
    for (fs::path const input : request.files)
      if (is_same_file(output, input))
        throw_bad_argument("output", output.string(), "another file than the input " + input.string());
    if (std::ranges::any_of(outputs, [&](auto const& other) { return is_same_file(output, other); }))
      throw_bad_argument("output", output.string(), "a file for each input; two of them have this one");
    outputs.push_back(output);
  }
}

bool translate_one(fs::path const& file, translate_request const& request) {
  auto const made = translate(file, request.options);
  std::cerr << texts_of(made.diagnostics);
  if (made.has_errors()) return false;
  if (request.explain) std::cout << made.explanation << std::flush;
  if (!std::cout) throw error("cannot write to standard output");
  if (writes(request)) replace_file(output_for(file, request), made.source);
  return true;
}

}  // namespace

int translate_files(translate_request const& request) {
  refuse_colliding_outputs(request);
  bool all = true;
  for (fs::path const file : request.files) all = translate_one(file, request) && all;
  return all ? exit_codes::succeeded : exit_codes::failed;
}

}  // namespace ballast::mesicc
