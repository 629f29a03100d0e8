// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ballast::detail {

/// What a GPU can do, in CUDA's numbers: 9.0.
struct compute_capability {
  int major = 0, minor = 0;

  auto operator<=>(compute_capability const&) const = default;
};

std::string to_text(compute_capability gpu);

/// What GPUs there is code for in a build.
class gpu_code {
 public:
  /// `listed` is words such as "80", machine code for 8.0, or "100+", PTX for 10.0; an `a` after the number
  /// says that the code runs on exactly that capability, an `f` on those of its family. Throws bad_argument
  /// ("BALLAST_GPU_CODE") for any other word.
  explicit gpu_code(std::string_view listed);

  /// Machine code runs where the major number is the same and the minor one no less, PTX on every later GPU.
  bool runs_on(compute_capability gpu) const;
  /// "7.5, 9.0 only, 10.0 and later"; "no GPU" if there is none.
  std::string description() const;

 private:
  enum class coverage { one, family, later };
  struct piece {
    compute_capability min_capability;
    coverage runs_on;
  };
  static piece read(std::string_view word);

  std::vector<piece> pieces_;
};

/// "this build has code for 7.5, 8.0; cuda:0 is 7.0 and cuda:2 is 6.1": the capabilities of `named`, which
/// are indices of `gpus`.
std::string describe_missing_code(gpu_code const& code, std::span<compute_capability const> gpus,
                                  std::span<int const> named);

/// What to say when CUDA finds no code of one kernel for a GPU, whatever the build has of others.
std::string describe_missing_kernel(std::string_view kernel, compute_capability gpu);

}  // namespace ballast::detail
