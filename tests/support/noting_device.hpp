// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ballast/device.hpp"

namespace ballast::test {

/// What was asked of a device's streams, in order, and when its events are reached.
struct stream_notes {
  std::vector<std::string> said;
  std::vector<bool> overlap;            ///< of each launch, once it is not only captured
  std::vector<deadline> awaited_until;  ///< of each wait for a stream
  int unreached_looks = 0;              ///< so often each event says that it is not reached, though it may be
  std::function<void()> before_next_look;  ///< whether a stream is idle, by whichever thread; called once

  std::vector<std::string> take() { return std::exchange(said, {}); }
};

class noting_event final : public event {
 public:
  noting_event(std::unique_ptr<event> inner, std::shared_ptr<stream_notes> notes)
      : inner_(std::move(inner)), notes_(std::move(notes)), unreached_looks_(notes_->unreached_looks) {}

  bool reached() override {
    if (unreached_looks_ > 0) --unreached_looks_;
    if (unreached_looks_ > 0 || !inner_->reached()) return false;
    notes_->said.emplace_back("finds the event reached");
    return true;
  }
  std::chrono::nanoseconds since(event const& earlier) const override {
    return inner_->since(dynamic_cast<noting_event const&>(earlier).inner());
  }
  event const& inner() const { return *inner_; }

 private:
  std::unique_ptr<event> inner_;
  std::shared_ptr<stream_notes> notes_;
  int unreached_looks_;
};

/// Launches of kernels, kept to be enqueued again.
class noted_launches final : public detail::captured_work {
 public:
  noted_launches(std::shared_ptr<stream_notes> notes) : notes_(std::move(notes)) {}

  void add(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes) {
    auto const* const first = static_cast<std::byte const*>(argument);
    launches_.push_back({code, grid, {first, first + bytes}});
  }
  std::size_t size() const { return launches_.size(); }
  void enqueue(stream& on) override {
    notes_->said.push_back("launches " + std::to_string(size()) + " captured");
    for (auto const& one : launches_) on.launch(one.code, one.grid, one.argument.data(), one.argument.size());
  }

 private:
  struct noted_launch {
    kernel_code code;
    std::uint32_t grid;
    std::vector<std::byte> argument;
  };

  std::shared_ptr<stream_notes> notes_;
  std::vector<noted_launch> launches_;
};

class noting_stream final : public stream {
 public:
  noting_stream(std::unique_ptr<stream> inner, std::shared_ptr<stream_notes> notes, std::string device)
      : inner_(std::move(inner)), notes_(std::move(notes)), device_(std::move(device)) {}

  void copy(void* to, void const* from, std::size_t bytes) override {
    notes_->said.push_back("copies " + std::to_string(bytes) + " bytes");
    inner_->copy(to, from, bytes);
  }
  std::unique_ptr<event> record() override {
    notes_->said.emplace_back("records an event");
    return std::make_unique<noting_event>(inner_->record(), notes_);
  }
  std::unique_ptr<event> record_untimed() override {
    notes_->said.emplace_back("records an event");
    return std::make_unique<noting_event>(inner_->record_untimed(), notes_);
  }
  void wait_for(event const& before) override {
    inner_->wait_for(dynamic_cast<noting_event const&>(before).inner());
  }
  void fill(void* to, unsigned char byte, std::size_t bytes) override { inner_->fill(to, byte, bytes); }
  void launch(kernel_code const& code, std::uint32_t grid, void const* argument, std::size_t bytes,
              std::shared_ptr<void const> kept) override {
    if (captured_ != nullptr) return captured_->add(code, grid, argument, bytes);
    notes_->overlap.push_back(code.overlap);
    inner_->launch(code, grid, argument, bytes, std::move(kept));
  }
  /// As a GPU's stream does.
  std::unique_ptr<detail::captured_work> capture(std::function<void()> const& enqueue) override {
    captured_ = std::make_unique<noted_launches>(notes_);
    enqueue();
    notes_->said.push_back("captures " + std::to_string(captured_->size()) + " launches");
    return std::move(captured_);
  }
  void launch_cooperative(kernel_code const& code, std::uint32_t grid, void const* argument,
                          std::size_t bytes) override {
    inner_->launch_cooperative(code, grid, argument, bytes);
  }
  void launch_plain(plain_launch const& launch) override { inner_->launch_plain(launch); }
  bool idle() override {
    if (auto const act = std::exchange(notes_->before_next_look, nullptr)) act();
    return inner_->idle();
  }
  bool is_at_rest() noexcept override { return inner_->is_at_rest(); }
  bool notify_on_completion(event_count& wake_event) override {
    return inner_->notify_on_completion(wake_event);
  }
  native_stream native() override { return inner_->native(); }

 private:
  void enqueue_rows(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                    std::size_t row_bytes, std::size_t rows) override {
    inner_->copy_rows(to, to_pitch, from, from_pitch, row_bytes, rows);
  }
  bool await_idle(deadline until) override {
    notes_->awaited_until.push_back(until);
    try {
      inner_->synchronize(until);
    } catch (timed_out const&) { return false; }
    return true;
  }
  std::string const& device_name() const override { return device_; }
  std::shared_ptr<void const> enqueue_gate() override { return {}; }

  std::unique_ptr<stream> inner_;
  std::shared_ptr<stream_notes> notes_;
  std::string device_;
  std::unique_ptr<noted_launches> captured_;  ///< while it captures
};

/// Another device whose streams note what they are asked for.
class noting_device : public compute_device {
 public:
  explicit noting_device(std::shared_ptr<compute_device> inner)
      : noting_device(inner, inner->spec(), inner->name()) {}
  /// Which says that it is another one, with a GPU's capabilities if it says that it is one.
  noting_device(std::shared_ptr<compute_device> inner, device_spec spec, std::string name)
      : compute_device(
            spec, std::move(name),
            spec.kind == inner->spec().kind ? inner->capabilities() : detail::device_capabilities{}),
        inner_(std::move(inner)) {}

  stream_notes& notes() { return *notes_; }

  device_properties const& properties() const noexcept override { return inner_->properties(); }
  std::size_t free_bytes() override { return inner_->free_bytes(); }
  std::unique_ptr<stream> make_stream() override {
    return std::make_unique<noting_stream>(inner_->make_stream(), notes_, name());
  }
  std::unique_ptr<stream> adopt_stream(native_stream native) override { return inner_->adopt_stream(native); }
  std::unique_ptr<event> adopt_event(native_event native) override { return inner_->adopt_event(native); }
  std::unique_ptr<launch_graph> make_graph(std::span<graph_branch const> branches) override {
    return inner_->make_graph(branches);
  }
  kernel_resources resources(kernel_code const& code) override { return inner_->resources(code); }
  bool enable_peer_access(compute_device const& other) override { return inner_->enable_peer_access(other); }
  void check() override { inner_->check(); }
  detail::resident_room claim_resident(detail::resident_request const& request) override {
    return inner_->claim_resident(request);
  }
  void release_resident(detail::resident_room const& room) noexcept override {
    inner_->release_resident(room);
  }
  bool has_resident() const noexcept override { return inner_->has_resident(); }
  std::string resident_holders(std::span<detail::resident_room const> except) const override {
    return inner_->resident_holders(except);
  }

 protected:
  void* allocate_bytes(memory where, std::size_t bytes) override { return inner_->allocate(where, bytes); }
  void release_bytes(memory where, void* address) noexcept override { inner_->release(where, address); }

 private:
  std::shared_ptr<compute_device> inner_;
  std::shared_ptr<stream_notes> notes_ = std::make_shared<stream_notes>();
};

}  // namespace ballast::test
