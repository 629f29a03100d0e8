// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "control_threads.hpp"
#include "runner.hpp"

namespace ballast::md {

/// What S1, S2 and S3 have in common: a stream per device, and atoms moved in equal parts.
class launch_runner : public runner {
 public:
  launch_runner(device_list const& devices, stage const& system);

  void drift() override;
  void kick() override;
  void record_into(recorder* spans) override { spans_ = spans; }

 protected:
  /// A launch between two events.
  struct device_stream {
    std::unique_ptr<stream> work;
    std::unique_ptr<event> zero, begin, end;
    std::int64_t zero_ns = 0;
  };

  std::size_t devices() const { return device_streams_.size(); }
  device_stream& on(std::size_t device) { return device_streams_[device]; }
  stage const& system() const { return *system_; }
  /// Launches tasks of the forces and remembers when the device began and ended.
  void launch_forces(std::size_t device, atom_order order, block_range range);
  /// The timing of what was launched since prepare(), when all streams are idle; records it.
  void prepare();
  force_timing timing_since(clock::time_point begin, std::string_view label, std::int64_t step);

 private:
  void launch_parts(task (stage::*make)(block_range) const);
  void record(std::size_t device, std::string_view label, std::int64_t step);

  stage const* system_;
  std::vector<device_stream> device_streams_;
  recorder* spans_ = nullptr;
};

/// S1 and S2.
class part_runner final : public launch_runner {
 public:
  part_runner(device_list const& devices, stage const& system, atom_order order)
      : launch_runner(devices, system), order_(order) {}
  force_timing forces(std::int64_t step) override;
  std::uint32_t pieces() const override;

 private:
  atom_order order_;
};

/// S3.
class chunk_runner final : public launch_runner {
 public:
  chunk_runner(device_list const& devices, stage const& system, std::uint32_t chunk_atoms);
  force_timing forces(std::int64_t step) override;
  std::uint32_t pieces() const override { return (system().blocks() + chunk_ - 1) / chunk_; }

 private:
  std::uint32_t chunk_;  ///< blocks
  control_threads threads_;
};

}  // namespace ballast::md
