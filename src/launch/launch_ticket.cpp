// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch_ticket.hpp"

#include "launch_stream_state.hpp"

namespace ballast {

using namespace detail;

bool launch_ticket::is_issued() const { return state_ == nullptr || state_->issued() >= number_; }

bool launch_ticket::is_finished() const {
  if (state_ == nullptr || state_->finished() >= number_) return true;
  state_->check(number_);
  state_->mark_watched();
  return false;
}

void launch_ticket::wait_issued(deadline until) const {
  if (state_ == nullptr) return;
  state_->await(
      launch_phase::issue, [&] { return is_issued(); }, number_, "be issued", until);
}

void launch_ticket::wait_finished(deadline until) const {
  if (state_ == nullptr) return;
  state_->await(
      launch_phase::end, [&] { return is_finished(); }, number_, "finish", until);
}

}  // namespace ballast
