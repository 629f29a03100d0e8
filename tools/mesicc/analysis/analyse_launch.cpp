// SPDX-License-Identifier: Apache-2.0
#include "analyse_launch.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "access_elements.hpp"
#include "accessed_variable.hpp"
#include "block_choice.hpp"
#include "explanation.hpp"
#include "isl_session.hpp"
#include "partition_attempt.hpp"

namespace ballast::mesicc {
namespace {

bool has_rows(expression const& threads) { return !is_constant(threads) || threads->value > 1; }

/// y first, since rows of an array are mostly threads of one y.
std::vector<axis> directions(launch_model const& model) {
  if (model.dimensions == 1) return {axis::x};
  if (!has_rows(model.threads_y) && has_rows(model.threads_x)) return {axis::x, axis::y};
  return {axis::y, axis::x};
}

partition_attempt too_complex(launch_model const& model) {
  return {{},
          {{severity::error, model.where,
            "kernel '" + model.kernel + "' is too complex to tell what its threads read and write"}},
          {}};
}

/// Undefined in C++, and nothing that one task could do better.
std::vector<diagnostic> accesses_beyond_arrays(launch_model const& model,
                                               std::vector<access_elements> const& accesses) {
  std::vector<diagnostic> said;
  for (auto const& one : accesses) {
    if (!one.leaves_array) continue;
    auto const& array = model.arrays[std::size_t(one.source->array)];
    said.push_back({severity::error,
                    one.source->where,
                    std::string("some threads of this launch ") +
                        (one.source->kind == access_kind::read ? "read" : "write") + " beyond the ends of '" +
                        array.parameter + "' here",
                    {{model.where, "'" + model.kernel + "' is launched here"}}});
  }
  return said;
}

struct answer {
  partition_attempt result;
  bool is_complete = true;  ///< isl has answered all questions
  std::size_t questions = 0;
};

answer attempted(launch_model const& model, axis along, precision wanted, analysis_options const& options) {
  isl_session const session(options.operations);
  auto result = session.ask([&] {
    lowering to_isl(session.context());
    auto const accesses = elements_of_accesses(model, wanted, to_isl, session);
    if (auto beyond = accesses_beyond_arrays(model, accesses); !beyond.empty())
      return partition_attempt{{}, std::move(beyond), {}, true};
    return attempt_partition(model, along, variables_of(model, accesses, session), to_isl, session);
  });
  return {result ? *std::move(result) : too_complex(model), !session.is_exhausted(), session.asked()};
}

answer attempted(launch_model const& model, axis along, analysis_options const& options) {
  auto exact = attempted(model, along, precision::exact, options);
  if (exact.is_complete) return exact;
  auto rough = attempted(model, along, precision::no_divisions, options);
  auto const questions = exact.questions + rough.questions;
  auto& better = rough.result.errors.empty() ? rough : exact;
  return {std::move(better.result), better.is_complete, questions};
}

launch_plan planned(launch_model const& model, axis cut, partition_attempt const& success) {
  launch_plan plan{true, cut, choose_block(model, cut), success.arrays, {}};
  plan.explanation = explain(model, plan);
  return plan;
}

launch_plan undivided(launch_model const& model) {
  launch_plan plan{false, directions(model).front(), choose_block(model, directions(model).front()), {}, {}};
  plan.arrays.resize(model.arrays.size());
  for (auto const& one : model.accesses) {
    auto& array = plan.arrays[std::size_t(one.array)];
    array.reads_all = true;
    array.writes_all = array.writes_all || one.kind == access_kind::write;
  }
  plan.explanation = explain(model, plan);
  return plan;
}

/// The errors of the direction that was tried first, and as a note what stands against the other one.
std::vector<diagnostic> complaints(launch_model const& model, std::vector<partition_attempt> const& failures,
                                   bool allowed) {
  auto errors = failures.front().errors;
  if (failures.size() > 1) {
    auto const& other = failures.back().errors.front();
    if (other.message != errors.front().message)
      errors.front().notes.push_back({other.where, "nor in the other direction: " + other.message});
  }
  for (auto& error : errors) error.level = allowed ? severity::warning : severity::error;
  errors.back().notes.push_back(
      {model.where, allowed ? "this launch runs as one task, on one device"
                            : "with --allow-unpartitioned this launch runs as one task, on one device"});
  return errors;
}

}  // namespace

launch_analysis analyse(launch_model const& model, analysis_options const& options) {
  std::vector<partition_attempt> failures;
  std::size_t questions = 0;
  for (auto const along : directions(model)) {
    auto [result, is_complete, asked] = attempted(model, along, options);
    questions += asked;
    if (result.errors.empty()) return {planned(model, along, result), std::move(result.remarks), questions};
    if (result.is_final) return {std::nullopt, std::move(result.errors), questions};
    failures.push_back(std::move(result));
  }
  auto said = complaints(model, failures, options.allow_unpartitioned);
  if (!options.allow_unpartitioned) return {std::nullopt, std::move(said), questions};
  return {undivided(model), std::move(said), questions};
}

}  // namespace ballast::mesicc
