// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "ballast/deadline.hpp"
#include "ballast/stream.hpp"

namespace ballast {
namespace {

// A sleep takes some 60 us longer than asked, so shorter debts wait for company.
constexpr double min_sleep_ns = 100e3;

}  // namespace

std::chrono::nanoseconds pacer::add_debt(std::chrono::nanoseconds worked) {
  debt_ns_ += extra_ * double(worked.count());
  return std::chrono::nanoseconds(debt_ns_ < min_sleep_ns ? 0 : std::int64_t(debt_ns_));
}

void pacer::slept(std::chrono::nanoseconds took) { debt_ns_ -= double(took.count()); }

void pacer::worked(std::chrono::nanoseconds worked) {
  auto const sleep = add_debt(worked);
  if (sleep.count() == 0) return;
  auto const begin = clock::now();
  std::this_thread::sleep_for(sleep);
  slept(clock::now() - begin);
}

}  // namespace ballast
