// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ballast/device.hpp"

namespace ballast::detail {

/// The number that the whole text is, without blanks or '+'; nothing if it is none, or too large for the
/// type.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  auto const end = text.data() + text.size();
  auto const [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || rest != end) return std::nullopt;
  return value;
}

/// The shortest text that reads as this number again.
std::string shortest(double number);

/// A GPU's compute capability, in CUDA's numbers: 9.0.
struct compute_capability {
  int major = 0, minor = 0;

  auto operator<=>(compute_capability const&) const = default;
};

/// "9.0".
std::string to_text(compute_capability gpu);

/// The GPUs for which a build has code.
class gpu_code {
 public:
  /// `listed` is words such as "80", machine code for 8.0, or "100+", PTX for 10.0. After the number, an `a`
  /// limits the code to exactly that capability, an `f` to its family. Throws bad_argument
  /// ("BALLAST_GPU_CODE") for any other word.
  explicit gpu_code(std::string_view listed);

  /// True if some of the code runs on the GPU: machine code if the major number is the same and the minor one
  /// at least as large, PTX also on every later GPU.
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

/// "this build has code for 7.5, 8.0; cuda:0 is 7.0 and cuda:2 is 6.1": the capabilities of the GPUs `named`,
/// which are indices in `gpus`.
std::string describe_missing_code(gpu_code const& code, std::span<compute_capability const> gpus,
                                  std::span<int const> named);

/// The message when CUDA finds no code of one kernel for a GPU, even if the build has code of others.
std::string describe_missing_kernel(std::string_view kernel, compute_capability gpu);

/// The numbers of multiprocessors, from 1 to `all`, that a part of a GPU can have: those for which `given`
/// returns the same number. A driver rounds a request up silently.
std::vector<int> sm_counts(int all, std::function<int(int asked)> const& given);

/// Describes counts in a message: "8 to 128 in steps of 8", "8, 16, 40", "none".
std::string description(std::span<int const> ascending_counts);

/// The driver's division of a GPU's multiprocessors: as many equal, disjoint groups as fit.
struct sm_groups {
  int multiprocessors = 0;  ///< of each group
  int groups = 0;

  int total() const { return multiprocessors * groups; }
};

/// How one split of a GPU becomes its parts: each part is one or more of the groups, in their order.
struct part_plan {
  int multiprocessors_of_group = 0;
  std::vector<std::size_t> groups_of_parts;

  std::size_t groups() const;  ///< the groups of all parts together
};

/// Plans the parts of one GPU with `all` multiprocessors; the driver makes `offered(n)` when it is asked for
/// groups of n. The groups are as large as possible. Throws bad_argument ("devices") if a part cannot have
/// its size, if the driver makes too few groups for all parts, or none whose size divides them all.
part_plan plan_parts(std::span<device_spec const> parts, int all,
                     std::function<sm_groups(int asked)> const& offered);

/// The indices of each GPU's parts in the list, by the GPU's index; whole GPUs are left out.
std::map<int, std::vector<std::size_t>> parts_by_gpu(std::span<device_spec const> specs);

/// The GPUs that the driver offers, in its order, and the code in this build.
struct offered_gpus {
  gpu_code code;
  std::vector<compute_capability> gpus;
};

/// The devices that a list stands for.
struct device_choice {
  std::vector<device_spec> specs;  ///< each GPU by its index
  std::string left_out;            ///< a line on the GPUs that `cuda` leaves out; empty if there are none
};

/// The devices for which the specs stand: `cuda` alone stands for every GPU for which there is code. Throws
/// bad_argument ("devices") if the list is empty, names a GPU twice (except for parts of it), names one that
/// does not exist or has no code, or if none is left for `cuda`.
device_choice choose_devices(std::vector<device_spec> const& specs, offered_gpus const& offered);

/// The device list of a program that names no device. `text` is "cuda" if there is code for a GPU, else
/// "host"; `left_out` is a line on the GPUs if missing code is the reason.
struct default_choice {
  std::string text, left_out;
};
default_choice choose_default(offered_gpus const& offered);

}  // namespace ballast::detail
