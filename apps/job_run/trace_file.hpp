// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ballast/device.hpp"
#include "ballast/trace.hpp"

namespace ballast::job_run {

/// What --trace asks for: a file of what ran where and when. Nothing without a path.
class trace_file {
 public:
  /// Throws ballast::error if the file cannot be written.
  trace_file(std::string path, device_list const& devices);

  /// For job_options::spans.
  recorder* spans() const { return spans_.get(); }
  /// Throws ballast::error with the path.
  void save() const;

 private:
  std::string path_;
  std::unique_ptr<recorder> spans_;
};

}  // namespace ballast::job_run
