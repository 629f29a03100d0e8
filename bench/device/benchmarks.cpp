// SPDX-License-Identifier: Apache-2.0
#include "device/benchmarks.hpp"

namespace ballast::bench {

std::vector<benchmark> device_benchmarks() {
  return {
      {"device/transfers", "time of transfers of 8 B to 4 KB, by copies and by a kernel's loads and stores",
       &measure_transfers},
      {"device/fences", "cycles of barriers and fences, by blocks of 128 threads", &measure_fences,
       &needs_a_gpu},
      {"device/fetch_add", "latency and rate of fetch-and-add, by blocks and addresses", &measure_fetch_add},
      {"device/cuts", "time of dividing items between 64 parts, by items; on one core", &measure_cuts},
      {"device/launches", "launches of an empty kernel, by blocks and host threads", &measure_launches},
      {"device/tiles", "a loop over tiles in a persistent kernel, alone and beside another kernel",
       &measure_tiles, &needs_a_gpu},
      {"device/table_tiles", "a loop over tiles in a kernel whose blocks share a table", &measure_table_tiles,
       &needs_a_gpu},
      {"device/ragged_attention", "attention over sequences of unlike lengths, cut into pieces or not",
       &measure_ragged_attention},
      {"device/row_sums", "sums and products of a sparse matrix's rows: ours, simple ways, CUB, cuSPARSE",
       &measure_row_sums},
      {"device/page_rank", "a step of PageRank on a power-law graph: ours, simple ways, cuSPARSE",
       &measure_page_rank},
      {"device/balanced_products",
       "products of matrices over devices of unlike speed, by how they are divided",
       &measure_balanced_products, &needs_two_devices},
  };
}

}  // namespace ballast::bench
