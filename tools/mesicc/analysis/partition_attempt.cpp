// SPDX-License-Identifier: Apache-2.0
#include "partition_attempt.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "overlap_checks.hpp"
#include "part_hull.hpp"
#include "variable_use.hpp"

namespace ballast::mesicc {
namespace {

/// The number of the variable's elements; nothing if it is unknown.
std::optional<expression> elements_of(array_argument const& array) {
  expression elements = 1;
  for (auto const& extent : array.extents) elements = elements * extent;
  if (array.extents.empty() || first_unknown(elements) || !is_constant(array.offset)) return std::nullopt;
  return elements + array.offset;
}

element_range moved(element_range const& range, expression const& offset) {
  return {range.begin - offset, range.end - offset};
}

/// The plan with elements counted from the one to which the argument points.
array_plan seen_from(array_argument const& array, array_plan plan) {
  if (is_placed_at_run_time(array)) return plan;
  for (auto* const ranges : {&plan.reads, &plan.writes}) {
    for (auto& range : *ranges) range = moved(range, array.offset);
  }
  return plan;
}

class attempt {
 public:
  attempt(launch_model const& model, axis along, lowering& to_isl, isl_session const& session)
      : model_(model),
        cut_(along, model, to_isl),
        to_isl_(to_isl),
        session_(session),
        checks_(model, cut_, session) {
    result_.arrays.resize(model.arrays.size());
  }

  partition_attempt of(std::vector<accessed_variable> const& variables) {
    for (auto const& variable : variables) plan(variable);
    return std::move(result_);
  }

 private:
  void plan(accessed_variable const& variable) {
    if (refuse_writes(variable)) return;
    std::vector<variable_use> uses;
    for (int const place : variable.arguments) {
      if (auto use = keep_plan(variable.through(place))) {
        uses.push_back(*std::move(use));
      } else {
        return refuse(checks_.too_complex(variable));
      }
    }
    refuse_reads(variable, uses);
  }

  /// Stores the argument's plan, which may contain more than the accesses need where it cannot be exact.
  /// Nothing if there is no plan.
  std::optional<variable_use> keep_plan(accessed_variable const& argument) {
    auto use = use_of(argument, cut_, session_);
    if (!use) return std::nullopt;
    bool const is_whole = !use->reads_all && reads_whole(argument, use->reads);
    use->reads_all = use->reads_all || is_whole;
    auto const planned = printable_plan(*use, cut_, session_);
    if (!planned) return std::nullopt;
    if (use->reads_all) remark_on_reads(argument, is_whole);
    auto const place = std::size_t(argument.arguments.front());
    result_.arrays[place] = seen_from(model_.arrays[place], *planned);
    return use;
  }

  void refuse(diagnostic said) { result_.errors.push_back(std::move(said)); }

  bool refuse_writes(accessed_variable const& variable) {
    if (variable.writes.empty() || checks_.rows_are_apart(variable)) return false;
    auto refused = checks_.shared_writes(variable);
    if (!refused) refused = checks_.interleaved_writes(variable);
    if (refused) refuse(*refused);
    return refused.has_value();
  }

  void refuse_reads(accessed_variable const& variable, std::vector<variable_use> const& uses) {
    for (auto const& reader : uses) {
      for (auto const& writer : uses) {
        if (writer.writes && refuse_reads(variable, reader.reads, *writer.writes)) return;
      }
    }
  }

  bool refuse_reads(accessed_variable const& variable, std::vector<part_hull> const& reads,
                    part_hull const& written) {
    for (auto const& read : reads) {
      auto refused = checks_.reads_of_others(variable, read, written);
      if (!refused) continue;
      refuse(*std::move(refused));
      return true;
    }
    return false;
  }

  bool reads_whole(accessed_variable const& variable, std::vector<part_hull> const& reads) {
    auto const elements = elements_of(model_.arrays[std::size_t(variable.arguments.front())]);
    if (!elements || reads.empty()) return false;
    return session_.ask(false, [&] {
      auto const element = to_isl_.element();
      auto const all = to_isl_.constant(0).le_set(element).intersect(element.lt_set(to_isl_.of(*elements)));
      return all.intersect(cut_.limits).is_subset(reads.front().elements);
    });
  }

  /// Adds remarks about a variable that is read as a whole only because its reads are unknown.
  void remark_on_reads(accessed_variable const& variable, bool is_whole) {
    auto const before = result_.remarks.size();
    for (auto const* const read : variable.exposed_reads) {
      if (read->index_causes.empty() && read->other_causes.empty()) continue;
      result_.remarks.push_back(remark_on(*read));
    }
    if (is_whole || result_.remarks.size() > before || variable.exposed_reads.empty()) return;
    result_.remarks.push_back(remark_on(*variable.exposed_reads.front()));
    result_.remarks.back().notes.push_back(
        {model_.where, "the reads of this launch together are too complex"});
  }

  diagnostic remark_on(access_elements const& read) const {
    auto const& array = model_.arrays[std::size_t(read.source->array)];
    diagnostic said{severity::remark, read.source->where,
                    "it is not known which elements of '" + array.parameter +
                        "' are read here: the whole array is copied to every device"};
    for (auto const& cause : read.index_causes) said.notes.push_back({cause.where, "the index " + cause.why});
    for (auto const& cause : read.other_causes)
      said.notes.push_back({cause.where, "a loop or a condition " + cause.why});
    return said;
  }

  launch_model const& model_;
  cut_direction cut_;
  lowering& to_isl_;
  isl_session const& session_;
  overlap_checks checks_;
  partition_attempt result_;
};

}  // namespace

partition_attempt attempt_partition(launch_model const& model, axis along,
                                    std::vector<accessed_variable> const& variables, lowering& to_isl,
                                    isl_session const& session) {
  return attempt(model, along, to_isl, session).of(variables);
}

}  // namespace ballast::mesicc
