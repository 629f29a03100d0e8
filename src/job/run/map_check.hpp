// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays/byte_runs.hpp"
#include "ballast/detail/job/job_request.hpp"
#include "plan/job_order.hpp"

namespace ballast::detail {

/// What a task declares for bytes. `read`: it reads their values; `written`: it may change them; `updated`:
/// both.
enum class declared_use : std::uint8_t { nothing = 0, read = 1, written = 2, updated = 3 };

struct declared_bytes {
  byte_range bytes;
  declared_use use;

  bool operator==(declared_bytes const&) const = default;
};

/// A use of an element that differs from its declaration.
struct wrong_use {
  enum class kind : std::uint8_t { read_undeclared, left_unwritten, written_undeclared };

  kind what;
  std::ptrdiff_t element;  ///< index in the flattened array; may lie outside it

  bool operator==(wrong_use const&) const = default;
};

/// A wrong use in words: "is written but not declared".
char const* text_of(wrong_use::kind what);

/// A task runs twice, on memory that differs in all bytes that it does not declare as read.
inline constexpr std::size_t trials = 2;

/// Groups the arguments of a task, as indices, into sets that share memory: arguments of one array that touch
/// a common element which one of them writes. Other arguments have memory of their own, so that none reaches
/// elements declared by another. Arguments without bytes are in no set.
std::vector<std::vector<std::size_t>> arguments_that_share(std::span<array_use const> uses);

/// The memory of a trial outside the declared bytes, which reveals their use.
enum class trial_margins : std::uint8_t {
  none,    ///< for a tool that watches the memory
  around,  ///< on both sides as far as the array continues, but at most 16 MiB, and 4 KiB more
};

struct checked_array {
  std::size_t bytes, element_bytes;
};

/// Decides from two trials of a task's kernel whether it does only what the task declares for an array. The
/// trials' memory holds the bytes from the first to the last declared one, and margins. A value.
class map_check {
 public:
  /// `uses` belong to arguments that share memory, and have at least one byte.
  map_check(std::span<array_use const> uses, checked_array const& array, trial_margins margins);

  byte_range hull() const { return hull_; }
  /// The size of a trial's memory, which is aligned to 256 bytes.
  std::size_t bytes() const { return declared_.back().bytes.end; }
  /// The offset of the hull in a trial's memory: as far from a multiple of 256 bytes as in the array.
  std::size_t hull_offset() const { return hull_offset_; }
  /// All of a trial's memory, ascending.
  std::vector<declared_bytes> const& declared() const { return declared_; }

  // In the following members, `hull` is the address of the hull's bytes on the device.

  /// Fills memory for a trial, 0 or 1, and copies in the bytes that are read.
  void prepare(std::byte* memory, std::size_t trial, std::byte const* hull) const;
  /// The fault found after both runs, if any: the first element that was written but not declared, else the
  /// first wrong result.
  std::optional<wrong_use> verdict(std::array<std::byte const*, trials> const& memory,
                                   std::byte const* hull) const;
  /// Copies the bytes that a trial was allowed to write to the hull.
  void keep_results(std::byte const* memory, std::byte* hull) const;

 private:
  using tried = std::array<std::byte const*, trials>;

  void declare(std::span<array_use const> uses, std::size_t bytes);
  std::ptrdiff_t element_at(std::size_t byte_of_memory) const;
  std::optional<std::size_t> changed_byte(declared_bytes const& part, tried const& memory,
                                          std::byte const* hull) const;
  std::optional<wrong_use> wrong_result(declared_bytes const& part, tried const& memory) const;
  std::optional<wrong_use::kind> wrong_element(std::size_t at, declared_use use, tried const& memory) const;

  std::size_t element_bytes_;
  byte_range hull_;
  std::size_t hull_offset_;
  std::vector<declared_bytes> declared_;
};

/// A task of CPU cores whose kernel runs twice, in memory of its own instead of the device's. This reveals
/// accesses outside the task's maps. Not copied; one thread at a time.
class checked_task {
 public:
  /// `uses` and `arrays` hold for each argument its bytes, and where its element 0 would be on the device.
  /// The request outlives the task.
  checked_task(job_request const& request, std::span<array_use const> uses, std::vector<void*> arrays);

  /// Prepares the memory of both trials: copies in the task's inputs, which are on the device by now.
  void prepare();
  /// The address of element 0 of each argument in a trial, 0 or 1.
  std::vector<void*> arrays(std::size_t trial) const;
  /// Copies the results of the first trial to the device. Called after both trials. If the kernel did
  /// anything outside its maps, throws ballast::error and changes nothing there.
  void conclude();

 private:
  struct aligned_delete {
    void operator()(std::byte* memory) const;
  };
  using trial_memory = std::unique_ptr<std::byte[], aligned_delete>;

  /// Arguments that share memory.
  struct shared_memory {
    std::vector<std::size_t> arguments;
    map_check check;
    std::byte* hull;  ///< on the device
    std::array<trial_memory, trials> memory{};
  };

  static trial_memory allocate(std::size_t bytes);
  std::string message(std::vector<std::size_t> const& arguments, wrong_use const& wrong) const;

  job_request const& request_;
  std::vector<void*> arrays_;
  std::vector<shared_memory> shared_;
};

}  // namespace ballast::detail
