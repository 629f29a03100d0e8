// SPDX-License-Identifier: Apache-2.0
#include "emit/launch_struct.hpp"

#include "model/expression_text.hpp"

namespace ballast::mesicc {
namespace {

std::string joined(std::vector<std::string> const& words, std::string const& between) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// One way in which a launch uses an array, with one access map.
struct array_use {
  std::string mode;                   ///< "reads"
  std::vector<element_range> ranges;  ///< none: the whole array
};

/// A pointer has two of them where it reads beyond what it writes.
std::vector<array_use> uses_of(array_plan const& plan) {
  if (!plan.is_written() && !plan.is_read()) return {};
  if (!plan.is_written()) return {{plan.reads_all ? "reads_all" : "reads", plan.reads}};
  if (plan.writes_all) return {{"updates_all", {}}};
  if (!plan.is_read()) return {{"writes", plan.writes}};
  array_use const written{"updates", plan.writes};
  if (plan.reads_only_what_it_writes) return {written};
  return {written, {plan.reads_all ? "reads_all" : "reads", plan.reads}};
}

class printer {
 public:
  printer(launch_struct const& what, launch_model const& model, launch_plan const& plan)
      : what_(what), model_(model), plan_(plan), names_(names_in_code(model)) {}

  std::string text() const {
    return "// line " + std::to_string(model_.where.line) + ": " + model_.kernel + "<<[" + axes() +
           "]>>\nnamespace {\nstruct " + what_.name + " {\n" + members() + form() + call() + uses() + bind() +
           arrays() + "};\n}  // namespace\n";
  }

 private:
  std::string axes() const { return model_.dimensions == 2 ? "x, y" : "x"; }

  std::string members() const {
    std::string text;
    for (auto const& member : what_.members) text += "  " + member.declaration + ";\n";
    return text;
  }
  std::string form() const {
    return "  static constexpr char name[] = \"" + model_.kernel +
           "\";\n  static constexpr ballast::mesi::launch_form form{" + std::to_string(plan_.block.x) + ", " +
           std::to_string(plan_.block.y) + ", ballast::mesi::axis::" +
           (!plan_.partitioned     ? "none"
            : plan_.cut == axis::y ? "y"
                                   : "x") +
           "};\n";
  }
  std::string call() const {
    std::vector<std::string> words;
    if (what_.has_thread_id) words.push_back("lThreadId");
    for (auto const& member : what_.members) words.push_back(member.argument);
    return "  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const { " + what_.callee + "(" +
           joined(words, ", ") + "); }\n";
  }

  std::string text_of_ranges(std::vector<element_range> const& ranges) const {
    std::vector<std::string> all;
    for (auto const& one : ranges)
      all.push_back("{" + text_of(one.begin, names_) + ", " + text_of(one.end, names_) + "}");
    return joined(all, ", ");
  }
  std::string text_of_use(array_use const& use, std::string const& name) const {
    auto const first = "of." + use.mode + "(" + name + ", \"" + name + "\"";
    if (use.ranges.empty()) return first + ")";
    return first + ", [=, *this](ballast::mesi::part part) { return ballast::mesi::ranges{" +
           text_of_ranges(use.ranges) + "}; })";
  }

  std::string uses() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < model_.arrays.size(); ++i)
      for (auto const& use : uses_of(plan_.arrays[i]))
        all.push_back(text_of_use(use, model_.arrays[i].parameter));
    return "  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {\n    return "
           "std::tuple(" +
           joined(all, ",\n                      ") + ");\n  }\n";
  }
  std::string bind() const {
    std::vector<std::string> parameters;
    std::string body;
    for (std::size_t i = 0; i < model_.arrays.size(); ++i) {
      auto const& name = model_.arrays[i].parameter;
      auto const uses = uses_of(plan_.arrays[i]);
      for (std::size_t use = 0; use < uses.size(); ++use)
        parameters.push_back(use == 0 ? "auto " + name + "_here" : "auto");
      if (!uses.empty())
        body += "    " + name + " = ballast::mesi::biased(" + name + ", " + name + "_here);\n";
    }
    return "  void bind(" + joined(parameters, ", ") + ") {\n" + body + "  }\n";
  }
  std::string arrays() const {
    std::string body;
    for (std::size_t i = 0; i < model_.arrays.size(); ++i)
      if (!uses_of(plan_.arrays[i]).empty()) body += " f(" + model_.arrays[i].parameter + ");";
    return "  template <class F>\n  void for_each_array([[maybe_unused]] F f) const {" + body + " }\n";
  }

  launch_struct const& what_;
  launch_model const& model_;
  launch_plan const& plan_;
  leaf_names names_;
};

}  // namespace

std::string text_of(launch_struct const& what, launch_model const& model, launch_plan const& plan) {
  return printer(what, model, plan).text();
}

}  // namespace ballast::mesicc
