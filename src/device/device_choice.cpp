// SPDX-License-Identifier: Apache-2.0
#include "device_choice.hpp"

#include <set>

#include "ballast/base/error.hpp"

namespace ballast::inline device {
namespace {

std::string words_on_offered(offered_gpus const& offered) {
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

[[noreturn]] void refuse_for_its_code(std::string const& text, offered_gpus const& offered,
                                      std::vector<int> const& named) {
  refuse_argument(
      "devices", text,
      "a GPU that there is code for: " + words_on_missing_code(offered.code, offered.gpus, named));
}

std::vector<device_spec> every_gpu(device_spec spec, offered_gpus const& offered) {
  if (offered.gpus.empty()) refuse_argument("devices", to_text(spec), words_on_offered(offered));
  auto const without = gpus_without_code(offered);
  if (without.size() == offered.gpus.size()) refuse_for_its_code(to_text(spec), offered, without);
  std::vector<device_spec> named;
  for (spec.index = 0; spec.index < int(offered.gpus.size()); ++spec.index)
    if (has_code(offered, spec.index)) named.push_back(spec);
  return named;
}

bool is_every_gpu(device_spec const& spec) { return spec.kind == backend::cuda && spec.index == spec.all; }

void refuse_what_cannot_be_opened(std::vector<device_spec> const& specs, offered_gpus const& offered) {
  if (specs.empty()) refuse_argument("devices", "", "at least one device");
  std::set<int> seen;
  for (auto const& spec : specs) {
    if (spec.kind == backend::host) continue;
    auto const text = to_text(spec);
    if (spec.index < 0 || std::size_t(spec.index) >= offered.gpus.size())
      refuse_argument("devices", text, words_on_offered(offered));
    if (!has_code(offered, spec.index)) refuse_for_its_code(text, offered, {spec.index});
    if (!seen.insert(spec.index).second) refuse_argument("devices", text, "each GPU at most once");
  }
}

}  // namespace

device_choice choose_devices(std::vector<device_spec> const& specs, offered_gpus const& offered) {
  device_choice chosen;
  for (auto const& spec : specs) {
    if (!is_every_gpu(spec)) {
      chosen.specs.push_back(spec);
      continue;
    }
    for (auto const& one : every_gpu(spec, offered)) chosen.specs.push_back(one);
    if (auto const without = gpus_without_code(offered); !without.empty())
      chosen.left_out =
          "not every GPU is used: " + words_on_missing_code(offered.code, offered.gpus, without);
  }
  refuse_what_cannot_be_opened(chosen.specs, offered);
  return chosen;
}

default_choice choose_default(offered_gpus const& offered) {
  if (offered.gpus.empty()) return {"host", ""};
  auto const without = gpus_without_code(offered);
  if (without.size() < offered.gpus.size()) return {"cuda", ""};
  return {"host",
          "CPU cores are used and no GPU: " + words_on_missing_code(offered.code, offered.gpus, without)};
}

}  // namespace ballast::inline device
