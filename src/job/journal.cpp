// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <utility>

namespace ballast::inline job {
namespace {

operation_note line_of(op_id op, operation const& about) {
  operation_note line;
  line.operation = op.value();
  line.is_kernel = about.kind == op_kind::kernel;
  line.device = about.on.lane;
  line.stream = about.on.stream;
  return line;
}

}  // namespace

void operation_journal::note_handed_over(op_id op, operation const& planned, job_number job) {
  auto line = line_of(op, planned);
  line.job = job.value();
  for (auto const earlier : planned.after) line.after.push_back(earlier.value());
  keep(std::move(line));
}

void operation_journal::note_end(op_id op, operation const& ended) {
  auto line = line_of(op, ended);
  line.happened =
      ended.status == op_status::failed ? operation_note::what::failed : operation_note::what::ended;
  keep(std::move(line));
}

void operation_journal::keep(operation_note line) {
  lines_.push_back(std::move(line));
  if (lines_.size() > most_lines) lines_.pop_front();
}

}  // namespace ballast::inline job
