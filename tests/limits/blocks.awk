# SPDX-License-Identifier: Apache-2.0
# How many blocks of a kernel an SM holds, as cuda_occupancy.h of CUDA 13.0 computes it.

function round_up(n, unit) { return int((n + unit - 1) / unit) * unit }
function least(a, b) { return a < b ? a : b }

# A line of chips.tsv.
function know_chip(line, words) {
  if (line ~ /^#/) return
  split(line, words, "\t")
  max_threads[words[1]] = words[2]
  max_blocks[words[1]] = words[3]
  shared_of_sm[words[1]] = words[4]
  shared_of_block[words[1]] = words[5]
  rounded_to[words[1]] = words[6]
  taken[words[1]] = words[7]
}

# blocks_of(chip, threads of a block, registers of a thread, bytes of shared memory of a block)
function blocks_of(chip, threads, registers, shared, warps, of_warp, most) {
  warps = round_up(threads, 32) / 32
  of_warp = round_up(registers * 32, 256)
  # A block's warps are spread over four parts of the SM, and all parts must have room for the fullest.
  if (threads > 1024 || registers > 255 || of_warp * round_up(warps, 4) > 65536) return 0
  shared = shared + taken[chip] == 0 ? 0 : round_up(shared + taken[chip], rounded_to[chip])
  if (shared > shared_of_block[chip] + taken[chip]) return 0
  most = least(max_blocks[chip], int(max_threads[chip] / 32 / warps))
  if (of_warp > 0) most = least(most, int(int(65536 / 4 / of_warp) * 4 / warps))
  return shared > 0 ? least(most, int(shared_of_sm[chip] / shared)) : most
}
