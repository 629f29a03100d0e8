// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ballast/device/kernel_code.hpp"
#include "ballast/device/kernel_identity.hpp"

namespace ballast::inline job {

/// One kernel of a list.
struct listed_job_kernel {
  kernel_key key;
  std::string name;
  kernel_code code;  ///< runs a task_of_kernel of it; without a name
};

/// What a list of kernels for jobs became when its .cu file was compiled (BALLAST_JOB_KERNELS). Immutable;
/// lives as long as the program; any thread may call.
class job_kernels {
 public:
  job_kernels(std::string name, std::vector<listed_job_kernel> kernels)
      : name_(std::move(name)), kernels_(std::move(kernels)) {
    for (auto& kernel : kernels_) kernel.code.name = kernel.name;
  }
  job_kernels(job_kernels const&) = delete;
  job_kernels& operator=(job_kernels const&) = delete;

  std::string const& name() const { return name_; }
  std::span<listed_job_kernel const> kernels() const { return kernels_; }

 private:
  std::string name_;
  std::vector<listed_job_kernel> kernels_;
};

}  // namespace ballast::inline job
