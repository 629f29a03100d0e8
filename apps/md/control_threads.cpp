// SPDX-License-Identifier: Apache-2.0
#include "control_threads.hpp"

#include <utility>

#include "ballast/start_threads.hpp"

namespace ballast::md {

control_threads::control_threads(std::size_t count) {
  threads_ = start_threads(
      count, [this](std::size_t i) { serve(i); }, "md-control");
}

control_threads::~control_threads() {
  {
    std::scoped_lock const hold(mutex_);
    ended_ = true;
  }
  begun_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void control_threads::run(std::function<void(std::size_t)> const& job) {
  std::unique_lock hold(mutex_);
  job_ = &job;
  working_ = threads_.size();
  ++round_;
  begun_.notify_all();
  done_.wait(hold, [this] { return working_ == 0; });
  if (auto const failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void control_threads::serve(std::size_t index) {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock hold(mutex_);
      begun_.wait(hold, [&] { return ended_ || round_ != seen; });
      if (ended_) return;
      seen = round_;
    }
    do_job(index);
  }
}

void control_threads::do_job(std::size_t index) {
  std::exception_ptr failure;
  try {
    (*job_)(index);
  } catch (...) { failure = std::current_exception(); }
  std::scoped_lock const hold(mutex_);
  if (failure && !failure_) failure_ = failure;
  if (--working_ == 0) done_.notify_all();
}

}  // namespace ballast::md
