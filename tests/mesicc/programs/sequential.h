// The dialect without its translator: each launch calls its kernel for one thread after the other. For programs whose
// `kernel<<[x, y]>>(...)` was made `launch(kernel, {x, y})(...)`.
#pragma once
#include <initializer_list>

#define __global__
#define __device__
#define __host__
inline struct { int x, y; } lThreadId;

template <class... Parameter>
struct launched_kernel {
  void (*kernel)(Parameter...);
  long columns, rows;
  void operator()(Parameter... arguments) const {
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) lThreadId = {x, y}, kernel(arguments...);
  }
};
template <class... Parameter>
launched_kernel<Parameter...> launch(void (*kernel)(Parameter...), std::initializer_list<long> extents) {
  return {kernel, extents.begin()[0], extents.size() > 1 ? extents.begin()[1] : 1};
}

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
