// SPDX-License-Identifier: Apache-2.0
#include "ballast/trace.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#  include <nvtx3/nvToolsExt.h>
#  define BALLAST_HAVE_NVTX 1
#else  // some CUDA installations leave the profiler's headers out
#  define BALLAST_HAVE_NVTX 0
#endif

namespace ballast {

#if BALLAST_HAVE_NVTX
/// Ballast's NVTX domain; null if no tool listens, and then nothing is pushed.
static nvtxDomainHandle_t domain() noexcept {
  static auto* const made = nvtxDomainCreateA("ballast");
  return made;
}

detail::nvtx_range::nvtx_range(char const* name) noexcept {
  auto* const shown_in = domain();
  if (shown_in == nullptr) return;
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(shown_in, &attributes);
}
detail::nvtx_range::~nvtx_range() {
  if (auto* const shown_in = domain()) nvtxDomainRangePop(shown_in);
}
#else
detail::nvtx_range::nvtx_range(char const*) noexcept {}
detail::nvtx_range::~nvtx_range() {}
#endif

}  // namespace ballast
