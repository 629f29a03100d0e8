// SPDX-License-Identifier: Apache-2.0
#include "ballast/launch/producer.hpp"

#include "ballast/base/error.hpp"
#include "ballast/base/log.hpp"
#include "issuers.hpp"

namespace ballast::inline launch {
namespace {

std::uint64_t now_ns() { return std::uint64_t(clock::now().time_since_epoch().count()); }

}  // namespace

producer::producer(std::shared_ptr<issuers> queue, std::shared_ptr<producer_line> line,
                   std::uint64_t most_waiting, std::chrono::nanoseconds patience)
    : queue_(std::move(queue)), line_(std::move(line)), most_waiting_(most_waiting), patience_(patience) {}

producer& producer::operator=(producer&& other) noexcept {
  producer(std::move(other)).swap(*this);
  return *this;
}

producer::~producer() {
  if (line_ == nullptr) return;
  if (!prerequisites_.empty())
    write_log(log_level::warning, "a producer goes, and nothing was launched behind its last after()");
  if (line_->leave()) line_->by().take(*line_);
}

void producer::swap(producer& other) noexcept {
  std::swap(queue_, other.queue_);
  std::swap(line_, other.line_);
  std::swap(most_waiting_, other.most_waiting_);
  std::swap(patience_, other.patience_);
  std::swap(prerequisites_, other.prerequisites_);
}

launchable_kernel const& producer::listed_kernel_of(kernel_key key, std::uint32_t grid) const {
  auto const* const list = line_->by().kernels();
  if (list == nullptr)
    refuse_argument("kernel", "a ballast kernel",
                    "a plain kernel or a callable, since the queue has no kernel list");
  if (grid == 0) refuse_argument("grid", grid, "at least 1 block");
  return list->at(key);
}

void producer::refuse_plain_on_cores() const {
  if (device().is_cuda()) return;
  refuse_argument("kernel", "a __global__ function",
                  "a ballast kernel or a callable on " + device().name() + ", which has no GPU");
}

submission& producer::next_submission() {
  line_->check(line_->submitted() + 1);
  line_->by().refuse_if_stopped();  // its thread tells the line later
  if (line_->submitted() - line_->issued() >= most_waiting_) wait_for_room();
  auto& next = line_->chain().next();
  next.clear();
  next.set_time(now_ns());
  return next;
}

void producer::wait_for_room() {
  auto const number = line_->submitted() + 1;
  auto const has_room = [&] { return number - line_->issued() <= most_waiting_; };
  line_->await(awaited::issue, has_room, number, "find room", deadline::in(patience_));
}

launch_ticket producer::commit() {
  if (!prerequisites_.empty()) line_->chain().next().set_prerequisites(std::exchange(prerequisites_, {}));
  if (line_->by().issue_at_once(*line_, line_->chain().next())) {
    line_->chain().next().clear();
    line_->note_submitted();
    return last();
  }
  line_->note_submitted();
  line_->chain().commit();
  if (line_->announce()) line_->by().take(*line_);
  return last();
}

launch_ticket producer::last() const { return {line_, line_->submitted()}; }

compute_device& producer::device() const { return line_->by().device(); }

void producer::after(launch_ticket const& other) {
  line_->by().refuse_if_stopped();
  prerequisites_.push_back({other, nullptr});
}

void producer::after(std::shared_ptr<event> moment) {
  line_->by().refuse_if_stopped();
  prerequisites_.push_back({{}, std::move(moment)});
}

void producer::precede(stream& theirs, deadline until) {
  auto const moment = std::make_shared<std::unique_ptr<event>>();
  launch([moment](stream& on) { *moment = on.record_unmeasured(); }).wait_issued(until);
  theirs.wait_for(**moment);
}

}  // namespace ballast::inline launch
