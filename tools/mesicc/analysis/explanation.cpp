// SPDX-License-Identifier: Apache-2.0
#include "explanation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/evaluate.hpp"
#include "model/expression_text.hpp"

namespace ballast::mesicc {
namespace {

/// Each once, also where ranges meet.
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

  /// "; copies in 64 bytes a row and 128 more", of a task in the middle of a launch of constant size.
  std::string moved(std::vector<element_range> const& ranges, bool all, array_argument const& array,
                    std::string const& verb) const {
    auto const few = all ? std::nullopt : bytes_of_rows(ranges, array, some_rows),
               one_more = all ? std::nullopt : bytes_of_rows(ranges, array, some_rows + 1);
    if (!few || !one_more) return "";
    auto const row = *one_more - *few, more = *few - some_rows * row;
    if (row < 0 || more < 0) return "";
    if (row == 0) return "; " + verb + " " + std::to_string(more) + " bytes";
    auto const beside = more == 0 ? "" : " and " + std::to_string(more) + " more";
    return "; " + verb + " " + std::to_string(row) + " bytes a " +
           (model_.dimensions == 1 ? "thread" : "row") + beside;
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

}  // namespace

std::string explain(launch_model const& model, launch_plan const& plan) {
  return explainer(model, plan).text();
}

}  // namespace ballast::mesicc
