// SPDX-License-Identifier: Apache-2.0
#include "described_source.hpp"

#include "model/expression_text.hpp"
#include "source/launch_sites.hpp"

namespace ballast::mesicc {
namespace {

std::string position(place const& where) {
  return std::to_string(where.line) + ":" + std::to_string(where.column) +
         (where.length > 0 ? "+" + std::to_string(where.length) : "");
}

char const* level_of(diagnostic const& one) {
  if (one.level == severity::error) return " error: ";
  return one.level == severity::warning ? " warning: " : " remark: ";
}

std::string described(std::vector<diagnostic> const& all) {
  std::string text;
  for (auto const& one : all) {
    text += position(one.where) + level_of(one) + one.message + "\n";
    for (auto const& note : one.notes) text += "  " + position(note.where) + " note: " + note.message + "\n";
  }
  return text;
}

class launch_text {
 public:
  explicit launch_text(launch_model const& model) : model_(model), names_(names_in_messages(model)) {}

  std::string head() const {
    auto text = position(model_.where) + " " + model_.kernel + "<<[" + text_of(model_.threads_x, names_);
    if (model_.dimensions > 1) text += ", " + text_of(model_.threads_y, names_);
    text += "]>>\n";
    for (auto const& array : model_.arrays) text += "array " + of(array) + "\n";
    for (auto const& known : model_.scalars)
      text += "scalar " + known.name + " of argument " + std::to_string(known.argument) + "\n";
    for (auto const& one : model_.loops) text += "loop " + of(one) + "\n";
    return text;
  }

  std::string accesses() const {
    std::string text;
    for (auto const& one : model_.accesses) text += of(one) + "\n";
    return text;
  }

 private:
  std::string of(array_argument const& array) const {
    auto text = array.parameter + ": " + array.element_type;
    for (auto const& extent : array.extents) text += "[" + text_of(extent, names_) + "]";
    return text + " at " + (array.variable.empty() ? "?" : array.variable) + " + " +
           text_of(array.offset, names_);
  }
  std::string of(loop const& one) const {
    return one.name + " from " + text_of(one.first, names_) + " to " + text_of(one.bound, names_) + " by " +
           std::to_string(one.step) + (one.runs_whole ? "" : ", may end before");
  }
  std::string of(access const& one) const {
    auto text = std::string(one.kind == access_kind::read ? "read " : "write ") +
                model_.arrays[std::size_t(one.array)].parameter;
    for (auto const& index : one.index) text += "[" + text_of(index, names_) + "]";
    for (auto const& guard : one.guards) text += " if " + text_of(guard, names_);
    for (auto const loop : one.loops) text += " in " + model_.loops[std::size_t(loop)].name;
    return text + (one.always ? "" : " maybe");
  }

  launch_model const& model_;
  leaf_names names_;
};

struct read_source {
  program parsed;
  launch_sites launches;
  std::string complaints;
};

read_source reading(std::string const& code) {
  read_source made{parse_text(code, "test.mcu"), {}, {}};
  made.complaints = described(made.parsed.diagnostics);
  if (made.parsed.has_errors()) return made;
  made.launches = launches_of(made.parsed);
  made.complaints = described(made.launches.diagnostics);
  return made;
}

}  // namespace

std::string complaints_about(std::string const& code) { return reading(code).complaints; }

std::string launches_in(std::string const& code) {
  auto const read = reading(code);
  auto text = read.complaints;
  for (auto const& site : read.launches.sites)
    text += launch_text(site.model).head() + launch_text(site.model).accesses();
  return text;
}

std::string accesses_in(std::string const& code) {
  auto const read = reading(code);
  auto text = read.complaints;
  for (auto const& site : read.launches.sites) text += launch_text(site.model).accesses();
  return text;
}

}  // namespace ballast::mesicc
