// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "request.hpp"
#include "trace_file.hpp"

namespace ballast::job_run {

/// Opens the devices, returns what run(devices, options) does, and writes the trace that was asked for.
template <class Run>
auto run_with_devices(request const& how, Run run) {
  auto const devices = devices_of(how);
  trace_file const trace(how.trace, devices);
  auto options = options_of(how);
  options.spans = trace.spans();
  auto done = run(devices, options);
  trace.save();
  return done;
}

}  // namespace ballast::job_run
