// SPDX-License-Identifier: Apache-2.0
#include "queue/graph_vendors.hpp"

#if BALLAST_HAVE_CUDA && __has_include(<cusparse.h>)
#  include <cusparse.h>

#  include <memory>

#  include "device/library_call.hpp"
#  include "harness/cuda_check.hpp"

namespace ballast::bench {
namespace {

/// A triangle and two vectors as the library knows them, analysed.
class cusparse_solve {
 public:
  cusparse_solve(void* library, stream& on, triangle_in_rows const& of) : library_(library) {
    call_in<cusparseCreate>(library, "cusparseCreate", &handle_);
    call_in<cusparseSetStream>(library, "cusparseSetStream", handle_, on.native());
    call_in<cusparseCreateCsr>(library, "cusparseCreateCsr", &matrix_, of.rows, of.rows, of.items,
                               no_const(of.offsets), no_const(of.columns), no_const(of.values),
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    set(CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_FILL_MODE_LOWER);
    set(CUSPARSE_SPMAT_DIAG_TYPE, CUSPARSE_DIAG_TYPE_NON_UNIT);
    call_in<cusparseCreateDnVec>(library, "cusparseCreateDnVec", &b_, of.rows, no_const(of.b), CUDA_R_64F);
    call_in<cusparseCreateDnVec>(library, "cusparseCreateDnVec", &x_, of.rows, of.x.data(), CUDA_R_64F);
    call_in<cusparseSpSV_createDescr>(library, "cusparseSpSV_createDescr", &plan_);
    std::size_t bytes = 0;
    solve<cusparseSpSV_bufferSize>("cusparseSpSV_bufferSize", &bytes);
    check(cudaMalloc(&room_, bytes + 1), "cudaMalloc");
    solve<cusparseSpSV_analysis>("cusparseSpSV_analysis", room_);
  }
  cusparse_solve(cusparse_solve const&) = delete;
  cusparse_solve& operator=(cusparse_solve const&) = delete;
  ~cusparse_solve() { cudaFree(room_); }  // the rest goes with the process

  void enqueue() { solve<cusparseSpSV_solve>("cusparseSpSV_solve"); }

 private:
  template <class T>
  static void* no_const(array_ref<T const> of) {
    return const_cast<T*>(of.data());
  }
  template <class Value>
  void set(cusparseSpMatAttribute_t attribute, Value value) {
    call_in<cusparseSpMatSetAttribute>(library_, "cusparseSpMatSetAttribute", matrix_, attribute, &value,
                                       sizeof value);
  }
  template <auto* Function, class... Last>
  void solve(char const* name, Last... last) {
    call_in<Function>(library_, name, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, b_, x_,
                      CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, plan_, last...);
  }

  static constexpr double one = 1;
  void* library_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t b_ = nullptr, x_ = nullptr;
  cusparseSpSVDescr_t plan_ = nullptr;
  void* room_ = nullptr;
};

}  // namespace

std::function<void()> solve_by_cusparse(stream& on, triangle_in_rows const& of) {
  auto* const library = on.native() == nullptr ? nullptr : dlopen("libcusparse.so.12", RTLD_NOW);
  if (library == nullptr) return {};
  auto const made = std::make_shared<cusparse_solve>(library, on, of);
  return [made, &on] {
    made->enqueue();
    on.synchronize();
  };
}

}  // namespace ballast::bench
#else
namespace ballast::bench {
std::function<void()> solve_by_cusparse(stream&, triangle_in_rows const&) { return {}; }
}  // namespace ballast::bench
#endif
