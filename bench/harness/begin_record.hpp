// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ballast/device.hpp"
#include "report/run_record.hpp"

namespace ballast::bench {

/// The GPUs of a list in its order, once each: parts of a GPU, and a device that is named twice, are one.
device_list one_of_each_gpu(device_list const& devices);

/// A record with all facts known before the first sample: names, this moment, command line, source, machine
/// and devices. Throws bad_argument if `benchmark` is no valid name (see to_json(run_record)).
run_record begin_record(std::string benchmark, device_list const& devices);

}  // namespace ballast::bench
