// SPDX-License-Identifier: Apache-2.0
#include "emit/library_names.hpp"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <link.h>

#include <algorithm>

namespace ballast::mesicc {
namespace {

/// What nvcc declares of itself and C has not.
constexpr char const* of_cuda[] = {"cospi",  "cyl_bessel_i0", "cyl_bessel_i1", "erfcinv",    "erfcx",
                                   "erfinv", "lerp",          "normcdf",       "normcdfinv", "rcbrt",
                                   "rsqrt",  "sincospi",      "sinpi"};

void* found_in(char const* library, std::string const& name) {
  auto* const opened = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) return nullptr;
  auto* const found = dlsym(opened, name.c_str());
  dlclose(opened);
  return found;
}

bool is_object(void const* address) {
  Dl_info ignored;
  void* symbol = nullptr;
  return dladdr1(address, &ignored, &symbol, RTLD_DL_SYMENT) != 0 && symbol != nullptr &&
         ELF64_ST_TYPE(static_cast<ElfW(Sym) const*>(symbol)->st_info) == STT_OBJECT;
}

}  // namespace

library_name in_library(std::string const& name) {
  if (std::ranges::find(of_cuda, name) != std::end(of_cuda)) return library_name::function;
  for (auto const* const library : {LIBC_SO, LIBM_SO})
    if (auto const* const found = found_in(library, name))
      return is_object(found) ? library_name::object : library_name::function;
  return library_name::none;
}

}  // namespace ballast::mesicc
