// SPDX-License-Identifier: Apache-2.0
#include "emit/launch_struct.hpp"

#include <algorithm>
#include <cstdint>

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

array_use reads_of(array_plan const& plan) {
  if (plan.reads_all) return {"reads_all", {}};
  return {"reads", plan.reads};
}

/// A pointer has two of them where it reads beyond what it writes. A launch that is not cut has its arrays
/// whole.
std::vector<array_use> uses_of(array_plan const& plan, bool partitioned) {
  if (!plan.is_written() && !plan.is_read()) return {};
  if (!plan.is_written()) return {partitioned ? reads_of(plan) : array_use{"reads_all", {}}};
  if (plan.writes_all || !partitioned) return {{"updates_all", {}}};
  if (!plan.is_read()) return {{"writes", plan.writes}};
  array_use const written{plan.writes_ends ? "updates" : "updates_some", plan.writes};
  if (plan.reads_only_what_it_writes) return {written};
  return {written, reads_of(plan)};
}

bool names_scalar(expression const& value, std::int64_t scalar);

bool names_scalar(condition const& value, std::int64_t scalar) {
  return std::ranges::any_of(value->operands, [&](auto const& part) { return names_scalar(part, scalar); }) ||
         std::ranges::any_of(value->conditions, [&](auto const& part) { return names_scalar(part, scalar); });
}
bool names_scalar(expression const& value, std::int64_t scalar) {
  if (value->what == operation::scalar) return value->value == scalar;
  return std::ranges::any_of(value->operands, [&](auto const& part) { return names_scalar(part, scalar); }) ||
         std::ranges::any_of(value->conditions, [&](auto const& part) { return names_scalar(part, scalar); });
}

class printer {
 public:
  printer(launch_struct const& what, launch_model const& model, launch_plan const& plan)
      : what_(what), model_(model), plan_(plan), names_(names_in_code(model)) {
    for (auto const& array : plan.arrays) uses_.push_back(uses_of(array, plan.partitioned));
    for (std::size_t i = 0; i < model.scalars.size(); ++i)
      if (auto const argument = model.scalars[i].argument; argument >= 0)
        names_.scalars[i] = what.members[what.first_argument + std::size_t(argument)].name;
  }

  std::string text() const {
    return "namespace {\nstruct " + what_.name + " {\n" + members() + form() + call() + uses() + bind() +
           arrays() + "};\n}  // namespace\n";
  }

 private:
  launch_member const& member_of(std::size_t array) const { return what_.members[what_.arrays[array]]; }
  std::string const& name_of_array(std::size_t array) const { return member_of(array).name; }

  std::string members() const {
    std::string text;
    for (auto const& member : what_.members) text += "  " + member.declaration + ";\n";
    return text;
  }
  /// What is not as usual.
  std::string rest_of_form() const {
    auto const& block = plan_.block;
    if (block.few_registers)
      return ", " + std::to_string(block.rows_per_thread) + ", ballast::mesi::registers::few";
    return block.rows_per_thread == 1 ? "" : ", " + std::to_string(block.rows_per_thread);
  }
  std::string form() const {
    std::string const cut = !plan_.partitioned ? "none" : plan_.cut == axis::y ? "y" : "x";
    return "  static constexpr char name[] = \"" + model_.kernel + "\";\n" +
           "  static constexpr ballast::mesi::launch_form form{" + std::to_string(plan_.block.x) + ", " +
           std::to_string(plan_.block.y) + ", ballast::mesi::axis::" + cut + rest_of_form() + "};\n";
  }
  /// Whether no other pointer of the kernel leads to the variable of this one, or nothing writes there.
  bool leads_where_no_other_does(std::size_t array) const {
    auto const& own = model_.arrays[array];
    for (std::size_t other = 0; other < plan_.arrays.size(); ++other) {
      if (other == array || (!plan_.arrays[array].is_written() && !plan_.arrays[other].is_written()))
        continue;
      auto const& variable = model_.arrays[other].variable;
      if (own.variable.empty() || variable.empty() || own.variable == variable) return false;
    }
    return true;
  }
  /// Pointers that lead where no other does, as nvcc wants to be told it: at variables of the function that
  /// the kernel is put into. At parameters of what is put into another function it does not look.
  std::string restricted() const {
    std::string text;
    for (std::size_t array = 0; array < what_.arrays.size(); ++array) {
      auto const& member = member_of(array);
      if (!member.restricted.empty() && leads_where_no_other_does(array))
        text += "    " + member.restricted + " = this->" + member.name + ";\n";
    }
    return text;
  }
  std::string call() const {
    std::vector<std::string> words{"lThreadId"};
    for (auto const& member : what_.members) words.push_back(member.argument);
    return "  BALLAST_HD void operator()(ballast::mesi::thread_id lThreadId) const {\n" + restricted() +
           "    " + what_.kernel + "(" + joined(words, ", ") + ");\n  }\n";
  }

  std::string text_of_ranges(std::vector<element_range> const& ranges) const {
    std::vector<std::string> all;
    for (auto const& one : ranges)
      all.push_back("{" + text_of(one.begin, names_) + ", " + text_of(one.end, names_) + "}");
    return joined(all, ", ");
  }
  std::string text_of_use(array_use const& use, launch_member const& of) const {
    auto const first = "of." + use.mode + "(" + of.name + ", \"" + of.shown + "\"";
    if (use.ranges.empty()) return first + ")";
    auto const ranges = text_of_ranges(use.ranges);
    bool const depends = ranges.find(names_.part_begin) != std::string::npos ||
                         ranges.find(names_.part_end) != std::string::npos;
    return first + ", [=](ballast::mesi::part" + (depends ? " part" : "") +
           ") { return ballast::mesi::ranges{" + ranges + "}; })";
  }

  bool is_named(std::size_t scalar) const {
    auto const names = [&](element_range const& one) {
      return names_scalar(one.begin, std::int64_t(scalar)) || names_scalar(one.end, std::int64_t(scalar));
    };
    for (auto const& of_array : uses_)
      for (auto const& use : of_array)
        if (std::ranges::any_of(use.ranges, names)) return true;
    return false;
  }
  /// Scalars that the ranges name, wide enough that nothing overflows.
  std::string scalars() const {
    std::string text;
    for (std::size_t i = 0; i < model_.scalars.size(); ++i) {
      auto const& scalar = model_.scalars[i];
      if (!is_named(i)) continue;
      auto const& name = names_.scalars[i];
      auto const from = scalar.argument < 0 ? scalar.spelling + "()"
                                            : "bound(this->" + name + ", \"" + scalar.spelling + "\")";
      text += "    std::int64_t const " + name + " = of." + from + ";\n";
    }
    return text;
  }

  std::string uses() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < uses_.size(); ++i)
      for (auto const& use : uses_[i]) all.push_back(text_of_use(use, member_of(i)));
    return "  auto uses([[maybe_unused]] ballast::mesi::launch_uses const& of) const {\n" + scalars() +
           "    return std::tuple(" + joined(all, ",\n                      ") + ");\n  }\n";
  }
  std::string bind() const {
    std::vector<std::string> parameters;
    std::string body;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      auto const& name = name_of_array(i);
      for (std::size_t use = 0; use < uses_[i].size(); ++use)
        parameters.push_back(use == 0 ? "auto " + name + "_here" : "auto");
      if (!uses_[i].empty())
        body += "    " + name + " = ballast::mesi::biased(" + name + ", " + name + "_here);\n";
    }
    return "  void bind(" + joined(parameters, ", ") + ") {\n" + body + "  }\n";
  }
  std::string arrays() const {
    std::string body;
    for (std::size_t i = 0; i < uses_.size(); ++i)
      if (!uses_[i].empty()) body += " f(" + name_of_array(i) + ");";
    return "  template <class F>\n  void for_each_array([[maybe_unused]] F f) const {" + body + " }\n";
  }

  launch_struct const& what_;
  launch_model const& model_;
  launch_plan const& plan_;
  leaf_names names_;
  std::vector<std::vector<array_use>> uses_;  ///< of each array
};

}  // namespace

std::string text_of(launch_struct const& what, launch_model const& model, launch_plan const& plan) {
  return printer(what, model, plan).text();
}

}  // namespace ballast::mesicc
