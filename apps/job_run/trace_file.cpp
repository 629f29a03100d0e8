// SPDX-License-Identifier: Apache-2.0
#include "trace_file.hpp"

#include <utility>
#include <vector>

#include "ballast/replace_file.hpp"
#include "ballast/trace.hpp"

namespace ballast::job_run {

trace_file::trace_file(std::string path, device_list const& devices) : path_(std::move(path)) {
  if (path_.empty()) return;
  check_replaceable(path_);
  std::vector<std::string> names;
  for (auto const& device : devices) names.push_back(device->name());
  spans_ = std::make_unique<recorder>(std::move(names));
}

void trace_file::save() const {
  if (spans_ != nullptr) save_chrome_trace(path_, spans_->snapshot());
}

}  // namespace ballast::job_run
