// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <string>
#include <utility>

#include "command_line/program.hpp"
#include "kernels.hpp"
#include "report/table.hpp"
#include "shared_pairs.hpp"

namespace ballast::ep {
namespace {

std::string arrays_of(plan const& asked) {
  return std::string("the sums and counts of class ") + asked.of.name + " (" +
         byte_size(shared_pairs::bytes_of(asked.of.log2_pairs)) + ")";
}

job_run::verdict checked(tally const& found, problem_class const& expected) {
  return {is_right(found, expected), expected.counts
                                         ? "sums to 1e-8 and all counts against the published class"
                                         : "sums to 1e-8 and accepted pairs against the published class"};
}

finished_run run_in_memory(device_list const& devices, plan const& asked,
                           std::function<bool()> const& stop_requested) {
  auto options = asked.options;
  options.array_bytes = shared_pairs::bytes_of(asked.of.log2_pairs);
  job_scheduler jobs(devices, pair_kernels(), options);
  shared_pairs pairs(jobs, asked.of.log2_pairs);
  tally found;
  auto const draw = [&] {
    pairs.submit();
    found = pairs.read();
    return true;
  };
  auto runs = job_run::repeated(jobs, asked.repeat, {[] {}, draw}, stop_requested);
  return {found, job_run::summary_of(devices, asked.options, std::move(runs), checked(found, asked.of))};
}

}  // namespace

finished_run run(device_list const& devices, plan const& asked, std::function<bool()> const& stop_requested) {
  return command_line::with_memory_for([&] { return arrays_of(asked); },
                                       [&] { return run_in_memory(devices, asked, stop_requested); });
}

}  // namespace ballast::ep
