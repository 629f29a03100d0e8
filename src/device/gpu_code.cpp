// SPDX-License-Identifier: Apache-2.0
#include "gpu_code.hpp"

#include <algorithm>
#include <charconv>

#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

bool take_last(std::string_view& word, char letter) {
  if (!word.ends_with(letter)) return false;
  word.remove_suffix(1);
  return true;
}

}  // namespace

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

// PTX with a letter is as bound to its GPUs as machine code.
gpu_code::piece gpu_code::read(std::string_view word) {
  auto digits = word;
  bool const is_ptx = take_last(digits, '+');
  bool const exactly = take_last(digits, 'a'), of_family = take_last(digits, 'f');
  int number = 0;
  auto const [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  bool const is_number = failure == std::errc() && end == digits.data() + digits.size();
  if (!is_number || number < 10 || (exactly && of_family))
    throw_bad_argument("BALLAST_GPU_CODE", word, "words such as 80, 90a, 100f, 100+");
  auto const runs_on = exactly ? coverage::one : is_ptx && !of_family ? coverage::later : coverage::family;
  return {{number / 10, number % 10}, runs_on};
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

}  // namespace ballast::detail
