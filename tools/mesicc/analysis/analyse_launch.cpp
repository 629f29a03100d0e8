// SPDX-License-Identifier: Apache-2.0
#include "analyse_launch.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "access_elements.hpp"
#include "accessed_variable.hpp"
#include "isl_session.hpp"
#include "model/evaluate.hpp"
#include "model/expression_text.hpp"
#include "model/launch_model.hpp"
#include "model/launch_plan.hpp"
#include "partition_attempt.hpp"

namespace ballast::mesicc {
namespace {

constexpr int max_threads = 256, min_threads = 64;
constexpr std::int64_t enough_blocks = 1024;  // a few for each multiprocessor of a large GPU
constexpr int warp = 32;
// docs/decisions/0015 has the measurements for these two.
constexpr int max_rows_per_thread = 8;
constexpr std::size_t max_accesses_of_short_kernel = 16;

/// A thread in the middle of a launch of constant size, in the first iteration of each loop.
leaf_values sample_thread(launch_model const& model) {
  leaf_values leaves;
  auto const middle = [](expression const& threads) {
    return is_constant(threads) ? threads->value / 2 : 1000;
  };
  leaves.thread = {middle(model.threads_x), middle(model.threads_y)};
  leaves.scalars.assign(model.scalars.size(), 1024);
  leaves.loops.assign(model.loops.size(), 0);
  return leaves;
}

std::int64_t flat_index(array_argument const& array, access const& one, leaf_values const& leaves) {
  std::int64_t flat = 0;
  for (std::size_t place = 0; place < one.index.size(); ++place) {
    auto const extent = place > 0 && is_constant(array.extents[place]) ? array.extents[place]->value : 1;
    flat = evaluate(expression(flat) * extent + one.index[place], leaves);
  }
  return flat;
}

/// True if neighbours in `direction` touch elements within one memory transaction.
bool is_coalesced(launch_model const& model, access const& one, axis direction) {
  auto const& array = model.arrays[std::size_t(one.array)];
  auto leaves = sample_thread(model);
  auto const here = flat_index(array, one, leaves);
  ++leaves.thread[std::size_t(direction)];
  auto const there = flat_index(array, one, leaves);
  return there == here || there - 1 == here || there + 1 == here;
}

/// The number of accesses that are coalesced in `direction`. An access in loops counts more, since it happens
/// more often.
std::int64_t coalesced(launch_model const& model, axis direction) {
  std::int64_t count = 0;
  for (auto const& one : model.accesses) {
    if (is_coalesced(model, one, direction))
      count += std::int64_t(1) << (4 * std::min<std::size_t>(one.loops.size(), 8));
  }
  return count;
}

std::optional<std::int64_t> threads_along(launch_model const& model, axis direction) {
  auto const& threads = direction == axis::x ? model.threads_x : model.threads_y;
  return is_constant(threads) ? std::optional(std::max<std::int64_t>(threads->value, 1)) : std::nullopt;
}

/// The number of threads of a block. Many blocks matter more than large ones, as long as a block has two
/// warps.
int threads_of_block(launch_model const& model) {
  auto const x = threads_along(model, axis::x), y = threads_along(model, axis::y);
  int threads = max_threads;
  if (!x || !y || *x > max_threads * enough_blocks || *y > max_threads * enough_blocks) return threads;
  while (threads > min_threads && *x * *y < threads * enough_blocks) threads /= 2;
  return threads;
}

/// The width of a block in `direction`: a power of two, enough for the launch's threads or equal to
/// `threads`.
int width_along(launch_model const& model, axis direction, int threads) {
  auto const wanted = threads_along(model, direction).value_or(threads);
  return int(std::bit_ceil(std::uint64_t(std::min<std::int64_t>(wanted, threads))));
}

bool is_short(launch_model const& model) { return model.accesses.size() <= max_accesses_of_short_kernel; }

bool waits_for_memory_in_a_loop(launch_model const& model) {
  return std::ranges::any_of(
      model.accesses, [](access const& one) { return one.kind == access_kind::read && !one.loops.empty(); });
}

/// True if few registers suffice; 8-byte numbers take two each.
bool gets_on_with_few_registers(launch_model const& model) {
  return is_short(model) &&
         std::ranges::all_of(model.arrays, [](auto const& array) { return array.element_bytes <= 4; });
}

/// Chooses the most rows that leave plenty of blocks, which are the units of balancing.
int rows_per_thread(launch_model const& model, block_shape const& block) {
  auto const x = threads_along(model, axis::x), y = threads_along(model, axis::y);
  if (!x || !y || block.x < warp || !is_short(model) || !model.loops.empty()) return 1;
  int rows = max_rows_per_thread;
  while (rows > 1 && *x / block.x * (*y / (block.y * rows)) < 8 * enough_blocks) rows /= 2;
  return rows;
}

block_shape shape_of_block(launch_model const& model, axis cut) {
  int const threads = threads_of_block(model);
  if (model.dimensions == 1) return {threads, 1};
  if (coalesced(model, axis::y) > coalesced(model, axis::x)) {
    int const height = width_along(model, axis::y, threads);
    return {threads / height, height};
  }
  int const most = cut == axis::x ? warp : threads;  // a part is whole blocks
  int const width = width_along(model, axis::x, most);
  return {width, threads / width};
}

/// Chooses the threads of a block; those along x are neighbours in a warp. They lie along the direction in
/// which more accesses touch neighbouring elements. Their number keeps a multiprocessor busy, or is lower if
/// there would be too few blocks. A short kernel that waits for memory in a loop should use few registers;
/// one without loops gives each thread several rows if there are more than enough.
block_shape choose_block(launch_model const& model, axis cut) {
  auto block = shape_of_block(model, cut);
  block.rows_per_thread = rows_per_thread(model, block);
  block.few_registers = waits_for_memory_in_a_loop(model) && gets_on_with_few_registers(model);
  return block;
}

/// The number of elements in the ranges. Counts each element once, even where ranges meet.
std::int64_t elements_in(std::vector<element_range> const& ranges, leaf_values const& leaves) {
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
  for (auto const& range : ranges)
    parts.emplace_back(evaluate(range.begin, leaves), evaluate(range.end, leaves));
  std::ranges::sort(parts);
  std::int64_t elements = 0, counted_to = INT64_MIN;
  for (auto const& [begin, end] : parts) {
    elements += std::max<std::int64_t>(0, begin < end ? end - std::max(begin, counted_to) : 0);
    counted_to = std::max(counted_to, end);
  }
  return elements;
}

class explainer {
 public:
  explainer(launch_model const& model, launch_plan const& plan)
      : model_(model), plan_(plan), names_(names_in_messages(model)) {}

  std::string text() const {
    auto lines = heading();
    for (std::size_t place = 0; place < model_.arrays.size(); ++place)
      lines += about(model_.arrays[place], plan_.arrays[place]);
    return lines;
  }

 private:
  std::string text_of(expression const& value) const { return mesicc::text_of(value, names_); }

  std::string heading() const {
    auto extents = text_of(model_.threads_x);
    if (model_.dimensions == 2) extents += ", " + text_of(model_.threads_y);
    auto const block = std::to_string(plan_.block.x) + " x " + std::to_string(plan_.block.y);
    auto const rows = plan_.block.rows_per_thread;
    return model_.kernel + "<<[" + extents + "]>>: " + cut() + ", in blocks of " + block + " threads" +
           (rows == 1 ? "" : ", " + std::to_string(rows) + " rows each") + "\n";
  }
  std::string cut() const {
    if (!plan_.partitioned) return "one task";
    return std::string("tasks of threads b <= lThreadId.") + (plan_.cut == axis::x ? "x" : "y") + " < e";
  }

  std::string about(array_argument const& array, array_plan const& use) const {
    auto const name =
        "  " + array.parameter +
        (array.variable.empty() || array.variable == array.parameter ? "" : " = " + array.variable);
    if (!use.is_read() && !use.is_written()) return name + ": is not used\n";
    std::string lines;
    if (use.is_read())
      lines += name + ": reads " + (use.reads_all ? "all" : listed(use.reads)) +
               moved(use.reads, use.reads_all, array, "copies in") + "\n";
    if (use.is_written())
      lines +=
          name + ": writes " + (use.writes_all ? "all" : listed(use.writes)) + written(array, use) + "\n";
    return lines;
  }

  std::string listed(std::vector<element_range> const& ranges) const {
    std::string text;
    for (auto const& range : ranges) {
      text += (text.empty() ? "" : " and ") + ("[" + text_of(range.begin) + ", " + text_of(range.end) + ")");
    }
    return text;
  }

  std::string written(array_argument const& array, array_plan const& use) const {
    return (use.is_read() ? "" : ", each element") + moved(use.writes, use.writes_all, array, "makes");
  }

  /// A text such as "; copies in 64 bytes a row and 128 more", for a task in the middle of a launch of
  /// constant size.
  std::string moved(std::vector<element_range> const& ranges, bool all, array_argument const& array,
                    std::string const& verb) const {
    auto const few = all ? std::nullopt : bytes_of_rows(ranges, array, some_rows),
               one_more = all ? std::nullopt : bytes_of_rows(ranges, array, some_rows + 1);
    if (!few || !one_more) return "";
    auto const row = *one_more - *few, more = *few - some_rows * row;
    if (row < 0 || more < 0) return "";
    auto const bytes = "; " + verb + " " + std::to_string(row == 0 ? more : row) +
                       ((row == 0 ? more : row) == 1 ? " byte" : " bytes");
    if (row == 0) return bytes;
    auto const beside = more == 0 ? "" : " and " + std::to_string(more) + " more";
    return bytes + " a " + (model_.dimensions == 1 ? "thread" : "row") + beside;
  }

  std::optional<std::int64_t> bytes_of_rows(std::vector<element_range> const& ranges,
                                            array_argument const& array, std::int64_t rows) const {
    auto const& threads = plan_.cut == axis::x ? model_.threads_x : model_.threads_y;
    if (!is_constant(threads) || !model_.scalars.empty() || threads->value < 4 * some_rows)
      return std::nullopt;
    leaf_values leaves;
    leaves.part_begin = threads->value / 2;
    leaves.part_end = leaves.part_begin + rows;
    auto const elements = elements_in(ranges, leaves);
    return elements * std::int64_t(array.element_bytes);
  }

  static constexpr std::int64_t some_rows = 6;

  launch_model const& model_;
  launch_plan const& plan_;
  leaf_names names_;
};

/// Lines that describe how a launch is cut and which bytes a task reads, writes and moves.
std::string explain(launch_model const& model, launch_plan const& plan) {
  return explainer(model, plan).text();
}

bool has_rows(expression const& threads) { return !is_constant(threads) || threads->value > 1; }

/// The directions to try, in order: y first, since rows of an array usually belong to threads of one y,
/// unless only x has several threads.
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

/// Errors for accesses that leave their array, which is undefined in C++, also in a single task.
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

/// The errors of the direction that was tried first, with a note about the obstacle in the other direction.
/// If `allowed`, they become warnings.
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
