// SPDX-License-Identifier: Apache-2.0
#include "ballast/job_scheduler.hpp"

namespace ballast {

using namespace detail;
namespace {

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

job_failed::job_failed(std::string job, job_part part, std::string device, std::string_view cause)
    : error(message(job, part, device, cause)),
      job_(std::move(job)),
      part_(part),
      device_(std::move(device)) {}

}  // namespace ballast
