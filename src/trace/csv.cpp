// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>
#include <string>

#include "ballast/replace_file.hpp"
#include "ballast/trace.hpp"

namespace ballast {
namespace {

std::string field(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char const letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + '"';
}

}  // namespace

void write_csv(std::ostream& out, recording const& what) {
  out << "device,worker,label,step,tasks,begin_ns,end_ns\n";
  for (span const& one : what.spans) {
    out << fmt::format("{},{},{},{},{},{},{}\n", field(what.devices.at(one.device)), one.worker,
                       field(one.label), one.step, one.tasks, one.begin_ns, one.end_ns);
  }
}

void save_csv(std::filesystem::path const& path, recording const& what) {
  replace_file(path, [&what](std::ostream& out) { write_csv(out, what); });
}

}  // namespace ballast
