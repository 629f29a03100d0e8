// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "ballast/device.hpp"
#include "ballast/error.hpp"
#include "plain_kernels.hpp"
#include "reported_spans.hpp"

namespace ballast::test {
using namespace detail;

/// A call of an append_kernel, with its arguments.
struct append_call {
  explicit append_call(plain_launch const& launch)
      : kernel(reinterpret_cast<append_kernel>(const_cast<void*>(launch.function.identity()))) {
    if (launch.shape.block.x > 1024) throw error("invalid configuration argument");
    std::memcpy(&number, launch.arguments[0], sizeof number);
    std::memcpy(&added, launch.arguments[1], sizeof added);
  }
  void enqueue(stream& on) const {
    kernel_code const code{.name = "append", .cuda_function = nullptr, .host_function = run, .threads = 32};
    on.launch(code, 1, this, sizeof *this);
  }

  append_kernel kernel;
  std::uint64_t* number = nullptr;
  std::uint64_t added = 0;

 private:
  static void run(void const* argument, host_block_context&) {
    auto const& call = *static_cast<append_call const*>(argument);
    call.kernel(call.number, call.added);
  }
};

class pretended_stream final : public stream {
 public:
  pretended_stream(std::unique_ptr<stream> cores, std::string const& name, std::uint64_t told_span_ns)
      : cores_(std::move(cores)), name_(&name), told_span_ns_(told_span_ns) {}

  void copy(void* to, void const* from, std::size_t bytes) override { cores_->copy(to, from, bytes); }
  void fill(void* to, unsigned char byte, std::size_t bytes) override { cores_->fill(to, byte, bytes); }
  void launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes,
              std::shared_ptr<void const> kept) override {
    if (told_span_ns_ == 0 || !told_span::fits(bytes))
      return cores_->launch(code, grid, argument, bytes, std::move(kept));
    told_span(code, argument, bytes, told_span_ns_).enqueue(code, grid, *cores_);
  }
  void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                          std::size_t bytes) override {
    cores_->launch_cooperative(code, grid, argument, bytes);
  }
  void launch_plain(plain_launch const& launch) override { append_call(launch).enqueue(*cores_); }
  std::unique_ptr<event> record() override { return cores_->record(); }
  std::unique_ptr<event> record_untimed() override { return cores_->record_untimed(); }
  void wait_for(event const& before) override { cores_->wait_for(before); }
  bool idle() override { return cores_->idle(); }
  bool is_at_rest() noexcept override { return cores_->is_at_rest(); }
  bool notify_on_completion(event_count&) override { return false; }
  native_stream native() override { return nullptr; }

 private:
  void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                    std::size_t row_bytes, std::size_t rows) override {
    cores_->copy_rows(to, to_pitch, from, from_pitch, row_bytes, rows);
  }
  bool await_idle(deadline until) override {
    for (; !idle(); std::this_thread::yield())
      if (clock::now() > until.at()) return false;
    return true;
  }
  std::string const& device_name() const override { return *name_; }
  std::shared_ptr<void const> enqueue_gate() override { return {}; }

  std::unique_ptr<stream> cores_;
  std::string const* name_;
  std::uint64_t told_span_ns_;
};

/// What a pretended GPU says of a kernel, by its name: a list's for merged kernels, else its own.
using declared_resources = std::function<kernel_resources(std::string_view)>;

/// CPU cores that look like a GPU: they run append() as a plain kernel.
class pretended_gpu final : public compute_device {
 public:
  /// `told_span_ns`: what each kernel of a queue says that it took; 0: as long as it did take.
  explicit pretended_gpu(declared_resources declared = {}, std::uint64_t told_span_ns = 0)
      : compute_device({.kind = backend::cuda}, "pretended", {.connections = process_connections().count}),
        cores_(open_devices("host:2")[0]),
        declared_(std::move(declared)),
        told_span_ns_(told_span_ns) {}

  device_properties const& properties() const noexcept override { return cores_->properties(); }
  std::size_t free_bytes() override { return cores_->free_bytes(); }
  std::unique_ptr<stream> make_stream() override {
    return std::make_unique<pretended_stream>(cores_->make_stream(), name(), told_span_ns_);
  }
  std::unique_ptr<stream> adopt_stream(native_stream native) override { return cores_->adopt_stream(native); }
  std::unique_ptr<event> adopt_event(native_event native) override { return cores_->adopt_event(native); }
  std::unique_ptr<launch_graph> make_graph(std::span<graph_branch const> branches) override {
    return cores_->make_graph(branches);
  }
  kernel_resources resources(kernel_code const& code) override {
    return declared_ ? declared_(code.name) : cores_->resources(code);
  }
  bool enable_peer_access(compute_device const& other) override { return cores_->enable_peer_access(other); }
  void check() override { cores_->check(); }
  resident_room claim_resident(resident_request const& request) override {
    return cores_->claim_resident(request);
  }
  void release_resident(resident_room const& room) noexcept override { cores_->release_resident(room); }
  bool has_resident() const noexcept override { return cores_->has_resident(); }
  std::string resident_holders(std::span<resident_room const> except) const override {
    return cores_->resident_holders(except);
  }

 private:
  void* allocate_bytes(memory where, std::size_t bytes) override { return cores_->allocate(where, bytes); }
  void release_bytes(memory where, void* address) noexcept override { cores_->release(where, address); }

  std::shared_ptr<compute_device> cores_;
  declared_resources declared_;
  std::uint64_t told_span_ns_;
};

}  // namespace ballast::test
