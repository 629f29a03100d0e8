// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ballast/device.hpp"
#include "ballast/error.hpp"

namespace ballast::detail {
namespace {

constexpr std::size_t promised_alignment = 256;

[[noreturn]] void throw_refused(compute_device const& device, std::size_t bytes, std::string_view cause) {
  throw error("no memory for " + detail::counted(bytes, "byte") + " on " + device.name() +
              ": its memory resource " + std::string(cause));
}

void check_alignment(void const* address) {
  auto const number = reinterpret_cast<std::uintptr_t>(address);
  if (number % promised_alignment != 0)
    throw_bad_argument("memory", "a resource that returned address " + std::to_string(number),
                       "one that returns multiples of " + std::to_string(promised_alignment));
}

/// Makes a GPU the thread's current device, as check() does, unless it is lost.
void try_enter(compute_device& device) noexcept {
  try {
    device.check();
  } catch (std::exception const&) {
    // Every other call reports lost devices to its caller.
  }
}

}  // namespace

/// The device's allocations from the user's resource, with their sizes, which release() does not receive. Any
/// thread may call any member.
class lent_memory {
 public:
  explicit lent_memory(std::shared_ptr<memory_resource> lender) : lender_(std::move(lender)) {}

  /// Throws as memory_resource::allocate() describes; nothing is lent then.
  void* borrow(compute_device const& device, memory where, std::size_t bytes) {
    auto* const address = ask(device, where, bytes);
    try {
      note(address, bytes);
    } catch (...) {
      lender_->deallocate(device, where, address, bytes);
      throw;
    }
    return address;
  }
  /// Returns memory to the lender. Forgets the address first, since another thread may be given the same
  /// address next.
  void give_back(compute_device const& device, memory where, void* address) noexcept {
    std::unique_lock hold(mutex_);
    auto const lent = bytes_.extract(address);
    hold.unlock();
    if (!lent.empty()) lender_->deallocate(device, where, address, lent.mapped());
  }

 private:
  void* ask(compute_device const& device, memory where, std::size_t bytes) {
    try {
      if (auto* const address = lender_->allocate(device, where, bytes)) return address;
    } catch (error const&) { throw; } catch (std::exception const& failure) {
      throw_refused(device, bytes, std::string("threw: ") + failure.what());
    }
    throw_refused(device, bytes, "has none");
  }
  void note(void* address, std::size_t bytes) {
    check_alignment(address);
    std::lock_guard const hold(mutex_);
    bytes_.emplace(address, bytes);
  }

  std::shared_ptr<memory_resource> const lender_;
  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> bytes_;  ///< by address
};

}  // namespace ballast::detail

namespace ballast {

using namespace detail;

compute_device::compute_device(device_spec spec, std::string name, device_capabilities const& capabilities,
                               std::shared_ptr<memory_resource> resource)
    : device_internals(capabilities),
      spec_(spec),
      name_(std::move(name)),
      costs_(default_costs(spec_.kind)),
      lent_(resource == nullptr ? nullptr : std::make_shared<lent_memory>(std::move(resource))) {}

std::unique_ptr<stream> compute_device::make_priority_stream() { return make_stream(); }

void* compute_device::allocate(memory where, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (lent_ != nullptr) check();
  void* const address = lent_ == nullptr ? allocate_bytes(where, bytes) : lent_->borrow(*this, where, bytes);
  allocations_.fetch_add(1, std::memory_order_relaxed);
  return address;
}

void compute_device::release(memory where, void* address) noexcept {
  if (address == nullptr) return;
  if (lent_ == nullptr) return release_bytes(where, address);
  try_enter(*this);
  lent_->give_back(*this, where, address);
}

}  // namespace ballast
