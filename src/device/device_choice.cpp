// SPDX-License-Identifier: Apache-2.0
#include "device_choice.hpp"

#include <set>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

std::string describe_offered_gpus(offered_gpus const& offered) {
  if (!offered.gpus.empty())
    return "a GPU of this machine: cuda:0 to cuda:" + std::to_string(offered.gpus.size() - 1);
#if BALLAST_HAVE_CUDA
  return "a GPU of this machine, which has none that the driver offers";
#else
  return "a host device: this build of ballast has no CUDA";
#endif
}

bool has_code(offered_gpus const& offered, int index) {
  return offered.code.runs_on(offered.gpus[std::size_t(index)]);
}

std::vector<int> gpus_without_code(offered_gpus const& offered) {
  std::vector<int> indices;
  for (int index = 0; index < int(offered.gpus.size()); ++index)
    if (!has_code(offered, index)) indices.push_back(index);
  return indices;
}

[[noreturn]] void throw_missing_code(std::string const& text, offered_gpus const& offered,
                                     std::vector<int> const& named) {
  throw_bad_argument(
      "devices", text,
      "a GPU that there is code for: " + describe_missing_code(offered.code, offered.gpus, named));
}

std::vector<device_spec> expand_all_gpus(device_spec spec, offered_gpus const& offered) {
  if (offered.gpus.empty()) throw_bad_argument("devices", to_text(spec), describe_offered_gpus(offered));
  auto const without = gpus_without_code(offered);
  if (without.size() == offered.gpus.size()) throw_missing_code(to_text(spec), offered, without);
  std::vector<device_spec> named;
  for (spec.index = 0; spec.index < int(offered.gpus.size()); ++spec.index)
    if (has_code(offered, spec.index)) named.push_back(spec);
  return named;
}

bool names_all_gpus(device_spec const& spec) { return spec.kind == backend::cuda && spec.index == spec.all; }

void check_openable(std::vector<device_spec> const& specs, offered_gpus const& offered) {
  if (specs.empty()) throw_bad_argument("devices", "", "at least one device");
  std::set<int> seen;
  for (auto const& spec : specs) {
    if (spec.kind == backend::host) continue;
    auto const text = to_text(spec);
    if (spec.index < 0 || std::size_t(spec.index) >= offered.gpus.size())
      throw_bad_argument("devices", text, describe_offered_gpus(offered));
    if (!has_code(offered, spec.index)) throw_missing_code(text, offered, {spec.index});
    if (!seen.insert(spec.index).second) throw_bad_argument("devices", text, "each GPU at most once");
  }
}

}  // namespace

device_choice choose_devices(std::vector<device_spec> const& specs, offered_gpus const& offered) {
  device_choice chosen;
  for (auto const& spec : specs) {
    if (!names_all_gpus(spec)) {
      chosen.specs.push_back(spec);
      continue;
    }
    for (auto const& one : expand_all_gpus(spec, offered)) chosen.specs.push_back(one);
    if (auto const without = gpus_without_code(offered); !without.empty())
      chosen.left_out =
          "not every GPU is used: " + describe_missing_code(offered.code, offered.gpus, without);
  }
  check_openable(chosen.specs, offered);
  return chosen;
}

default_choice choose_default(offered_gpus const& offered) {
  if (offered.gpus.empty()) return {"host", ""};
  auto const without = gpus_without_code(offered);
  if (without.size() < offered.gpus.size()) return {"cuda", ""};
  return {"host",
          "CPU cores are used and no GPU: " + describe_missing_code(offered.code, offered.gpus, without)};
}

}  // namespace ballast::detail
