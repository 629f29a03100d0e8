// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <utility>

namespace ballast::detail {
namespace {

journal_entry line_of(op_id op, operation const& about) {
  journal_entry line;
  line.operation = op.value();
  line.is_kernel = about.kind == op_kind::kernel;
  line.device = about.on.executor;
  line.stream = about.on.stream;
  return line;
}

}  // namespace

void operation_journal::record_submission(op_id op, operation const& planned, job_number job) {
  auto line = line_of(op, planned);
  line.job = job.value();
  for (auto const earlier : planned.dependencies) line.dependencies.push_back(earlier.value());
  keep(std::move(line));
}

void operation_journal::record_end(op_id op, operation const& ended) {
  auto line = line_of(op, ended);
  line.happened =
      ended.status == op_status::failed ? journal_entry::what::failed : journal_entry::what::ended;
  keep(std::move(line));
}

void operation_journal::keep(journal_entry line) {
  lines_.push_back(std::move(line));
  if (lines_.size() > max_lines) lines_.pop_front();
}

}  // namespace ballast::detail
