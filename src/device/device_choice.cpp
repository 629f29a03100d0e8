// SPDX-License-Identifier: Apache-2.0
#include "device_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "ballast/arguments.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

bool take_last(std::string_view& word, char letter) {
  if (!word.ends_with(letter)) return false;
  word.remove_suffix(1);
  return true;
}

bool are_in_equal_steps(std::span<int const> counts) {
  for (std::size_t i = 2; i < counts.size(); ++i)
    if (counts[i] - counts[i - 1] != counts[1] - counts[0]) return false;
  return true;
}

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

bool is_part(device_spec const& spec) { return spec.kind == backend::cuda && spec.multiprocessors != 0; }

/// Refuses a GPU that is listed twice, except in several parts: a part would share multiprocessors with the
/// whole.
void check_is_new(device_spec const& spec, std::map<int, device_spec>& seen) {
  auto const [before, is_new] = seen.try_emplace(spec.index, spec);
  if (is_new || (is_part(spec) && is_part(before->second))) return;
  auto const gpu = "cuda:" + std::to_string(spec.index);
  throw_bad_argument("devices", to_text(spec),
                     "each GPU at most once, or several parts of it (" + gpu + "@SMS)");
}

void check_openable(std::vector<device_spec> const& specs, offered_gpus const& offered) {
  if (specs.empty()) throw_bad_argument("devices", "", "at least one device");
  std::map<int, device_spec> seen;
  for (auto const& spec : specs) {
    if (spec.kind == backend::host) continue;
    auto const text = to_text(spec);
    if (spec.index < 0 || std::size_t(spec.index) >= offered.gpus.size())
      throw_bad_argument("devices", text, describe_offered_gpus(offered));
    if (!has_code(offered, spec.index)) throw_missing_code(text, offered, {spec.index});
    check_is_new(spec, seen);
  }
}

using sm_offer = std::function<sm_groups(int asked)>;

std::string legal_sizes(int all, sm_offer const& offered) {
  auto const counts = sm_counts(all, [&](int asked) { return offered(asked).multiprocessors; });
  return description(counts) + " of this GPU's " + std::to_string(all) + " multiprocessors";
}

/// The largest groups that suffice, otherwise the groups that leave the fewest multiprocessors unused; none
/// if the driver makes no groups of a size that divides all parts.
sm_groups choose_groups(int divisor, int wanted, sm_offer const& offered) {
  sm_groups best;
  for (int size = divisor; size > 0; --size) {
    if (divisor % size != 0) continue;
    auto const made = offered(size);
    if (made.multiprocessors != size) continue;
    if (made.total() >= wanted) return made;
    if (made.total() > best.total()) best = made;
  }
  return best;
}

[[noreturn]] void throw_too_many(std::span<device_spec const> parts, int wanted, int most, int all,
                                 sm_offer const& offered) {
  std::string list;
  for (auto const& part : parts) list += (list.empty() ? "" : ",") + to_text(part);
  if (most == 0)
    throw_bad_argument("devices", list,
                       "parts whose numbers have a divisor among " + legal_sizes(all, offered));
  throw_bad_argument("devices", list,
                     "parts of cuda:" + std::to_string(parts.front().index) + " that together have at most " +
                         std::to_string(most) + " of its " + std::to_string(all) +
                         " multiprocessors (these want " + std::to_string(wanted) + ")");
}

}  // namespace

std::string shortest(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string to_text(compute_capability gpu) {
  return std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
}

gpu_code::gpu_code(std::string_view listed) {
  while (!listed.empty()) {
    auto const word = listed.substr(0, listed.find(' '));
    listed.remove_prefix(std::min(listed.size(), word.size() + 1));
    if (!word.empty()) pieces_.push_back(read(word));
  }
}

// PTX for an architecture with a letter (90a, 100f) runs on the same GPUs as machine code for it, on no later
// ones.
gpu_code::piece gpu_code::read(std::string_view word) {
  auto digits = word;
  bool const is_ptx = take_last(digits, '+');
  bool const exactly = take_last(digits, 'a'), of_family = take_last(digits, 'f');
  auto const number = number_in<int>(digits);
  if (!number || *number < 10 || (exactly && of_family))
    throw_bad_argument("BALLAST_GPU_CODE", escape_beyond_ascii(word), "words such as 80, 90a, 100f, 100+");
  auto const runs_on = exactly ? coverage::one : is_ptx && !of_family ? coverage::later : coverage::family;
  return {{*number / 10, *number % 10}, runs_on};
}

bool gpu_code::runs_on(compute_capability gpu) const {
  return std::ranges::any_of(pieces_, [&](piece const& one) {
    if (one.runs_on == coverage::one) return gpu == one.min_capability;
    return gpu >= one.min_capability &&
           (one.runs_on == coverage::later || gpu.major == one.min_capability.major);
  });
}

std::string gpu_code::description() const {
  std::vector<std::string> all;
  for (auto const& [min_capability, runs_on] : pieces_) {
    auto const number = to_text(min_capability);
    if (runs_on == coverage::later && !all.empty() && all.back() == number) all.pop_back();
    auto const words = number + (runs_on == coverage::one     ? " only"
                                 : runs_on == coverage::later ? " and later"
                                                              : "");
    if (std::ranges::find(all, words) == all.end()) all.push_back(words);
  }
  std::string text;
  for (auto const& words : all) text += (text.empty() ? "" : ", ") + words;
  return text.empty() ? "no GPU" : text;
}

std::string describe_missing_code(gpu_code const& code, std::span<compute_capability const> gpus,
                                  std::span<int const> named) {
  std::string text = "this build has code for " + code.description();
  auto between = "; ";
  for (auto const index : named) {
    text += between + ("cuda:" + std::to_string(index)) + " is " + to_text(gpus[std::size_t(index)]);
    between = " and ";
  }
  return text;
}

std::string describe_missing_kernel(std::string_view kernel, compute_capability gpu) {
  return "kernel " + std::string(kernel) + " was not compiled for this GPU, whose compute capability is " +
         to_text(gpu) + "; compile its .cu file for it too, with " +
         std::to_string(10 * gpu.major + gpu.minor) + " in CMAKE_CUDA_ARCHITECTURES";
}

std::vector<int> sm_counts(int all, std::function<int(int asked)> const& given) {
  std::vector<int> counts;
  for (int asked = 1; asked <= all; ++asked)
    if (given(asked) == asked) counts.push_back(asked);
  return counts;
}

std::string description(std::span<int const> ascending_counts) {
  auto const counts = ascending_counts;
  if (counts.empty()) return "none";
  if (counts.size() > 2 && are_in_equal_steps(counts))
    return std::to_string(counts.front()) + " to " + std::to_string(counts.back()) + " in steps of " +
           std::to_string(counts[1] - counts[0]);
  std::string words;
  for (auto const count : counts) words += (words.empty() ? "" : ", ") + std::to_string(count);
  return words;
}

std::size_t part_plan::groups() const {
  return std::accumulate(groups_of_parts.begin(), groups_of_parts.end(), std::size_t(0));
}

// Equal parts are one group each, as CUDA intends. Small groups leave less of a chip's clusters unused.
part_plan plan_parts(std::span<device_spec const> parts, int all, sm_offer const& offered) {
  int wanted = 0, divisor = 0;
  for (auto const& part : parts) {
    if (offered(part.multiprocessors).multiprocessors != part.multiprocessors)
      throw_bad_argument("devices", to_text(part), legal_sizes(all, offered));
    wanted += part.multiprocessors;
    divisor = std::gcd(divisor, part.multiprocessors);
  }
  auto const groups = choose_groups(divisor, wanted, offered);
  if (groups.total() < wanted) throw_too_many(parts, wanted, groups.total(), all, offered);
  part_plan plan{groups.multiprocessors, {}};
  for (auto const& part : parts)
    plan.groups_of_parts.push_back(std::size_t(part.multiprocessors / groups.multiprocessors));
  return plan;
}

std::map<int, std::vector<std::size_t>> parts_by_gpu(std::span<device_spec const> specs) {
  std::map<int, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (is_part(specs[i])) places[specs[i].index].push_back(i);
  return places;
}

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
