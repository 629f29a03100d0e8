// SPDX-License-Identifier: Apache-2.0
#include "plan/job_failed.hpp"

#include "ballast/error.hpp"
#include "ballast/job_scheduler.hpp"

namespace ballast::detail {
namespace {

struct source_failed : error {
  source_failed() : error("it takes data of an operation that failed") {}
};
struct not_begun : error {
  not_begun() : error("its scheduler was stopped before it had run") {}
};

std::string message(std::string const& job, job_part part, std::string const& device,
                    std::string_view cause) {
  auto const units = part.count == 0   ? std::string()
                     : part.count == 1 ? ", unit " + std::to_string(part.first)
                                       : ", units " + std::to_string(part.first) + " to " +
                                             std::to_string(part.first + (part.count - 1));
  auto const where = device.empty() ? "" : " on " + device;
  return "job " + job + units + where + ": " + std::string(cause);
}

}  // namespace

std::exception_ptr failure_of_source() { return std::make_exception_ptr(source_failed()); }
bool is_failure_of_source(std::exception_ptr const& failure) { return is_a<source_failed>(failure); }

std::exception_ptr failure_by_stop() { return std::make_exception_ptr(not_begun()); }
bool is_failure_by_stop(std::exception_ptr const& failure) { return is_a<not_begun>(failure); }

std::string first_failure_text(std::optional<std::string> const& first) {
  return first ? "; the first failure was of " + *first : std::string();
}

}  // namespace ballast::detail

ballast::job_failed::job_failed(std::string job, job_part part, std::string device, std::string_view cause)
    : kernel_failed(detail::message(job, part, device, cause), job, device), part_(part) {}
