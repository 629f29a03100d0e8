// SPDX-License-Identifier: Apache-2.0
#include "device/row_peers.hpp"

#if BALLAST_HAVE_CUDA && __has_include(<cusparse.h>)
#  include <cusparse.h>

#  include <memory>

#  include "device/library_call.hpp"
#  include "harness/cuda_check.hpp"

namespace ballast::bench {
namespace {

/// A matrix and two vectors as the library knows them, and its memory.
class cusparse_product {
 public:
  cusparse_product(void* library, stream& on, sparse_matrix const& of, bool second, bool adds)
      : library_(library), algorithm_(second ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_CSR_ALG1), kept_(adds) {
    call_in<cusparseCreate>(library, "cusparseCreate", &handle_);
    call_in<cusparseSetStream>(library, "cusparseSetStream", handle_, on.native());
    call_in<cusparseCreateCsr>(library, "cusparseCreateCsr", &matrix_, of.rows, of.columns, of.items,
                               no_const(of.offsets), no_const(of.column), no_const(of.values),
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    call_in<cusparseCreateDnVec>(library, "cusparseCreateDnVec", &x_, of.columns, no_const(of.x), CUDA_R_32F);
    call_in<cusparseCreateDnVec>(library, "cusparseCreateDnVec", &y_, of.rows, of.y.data(), CUDA_R_32F);
    std::size_t bytes = 0;
    multiply<cusparseSpMV_bufferSize>("cusparseSpMV_bufferSize", &bytes);
    check(cudaMalloc(&room_, bytes + 1), "cudaMalloc");
    multiply<cusparseSpMV_preprocess>("cusparseSpMV_preprocess", room_);
  }
  cusparse_product(cusparse_product const&) = delete;
  cusparse_product& operator=(cusparse_product const&) = delete;
  ~cusparse_product() { cudaFree(room_); }  // the rest goes with the process

  void enqueue() { multiply<cusparseSpMV>("cusparseSpMV", room_); }

 private:
  template <class T>
  static void* no_const(array_ref<T const> of) {
    return const_cast<T*>(of.data());
  }
  template <auto* Function, class Last>
  void multiply(char const* name, Last last) {
    call_in<Function>(library_, name, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, x_, &kept_,
                      y_, CUDA_R_32F, algorithm_, last);
  }

  static constexpr float one = 1;
  void* library_;
  cusparseSpMVAlg_t algorithm_;
  float kept_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  void* room_ = nullptr;
};

}  // namespace

enqueue_rows product_by_cusparse(stream& on, sparse_matrix const& of, bool second, bool adds) {
  auto* const library = on.native() == nullptr ? nullptr : dlopen("libcusparse.so.12", RTLD_NOW);
  if (library == nullptr) return {};
  auto const product = std::make_shared<cusparse_product>(library, on, of, second, adds);
  return [=] { product->enqueue(); };
}

}  // namespace ballast::bench
#else
namespace ballast::bench {
enqueue_rows product_by_cusparse(stream&, sparse_matrix const&, bool, bool) { return {}; }
}  // namespace ballast::bench
#endif
