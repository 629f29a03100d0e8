// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/launch_ticket.hpp"

#include "producer_line.hpp"

namespace ballast::inline launch {

bool launch_ticket::is_issued() const { return line_ == nullptr || line_->issued() >= number_; }

bool launch_ticket::is_finished() const {
  if (line_ == nullptr || line_->finished() >= number_) return true;
  line_->check(number_);
  line_->ask();
  return false;
}

void launch_ticket::wait_issued(deadline until) const {
  if (line_ == nullptr) return;
  line_->await(
      awaited::issue, [&] { return is_issued(); }, number_, "be issued", until);
}

void launch_ticket::wait_finished(deadline until) const {
  if (line_ == nullptr) return;
  line_->await(
      awaited::end, [&] { return is_finished(); }, number_, "finish", until);
}

}  // namespace ballast::inline launch
