# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: what this machine can build and run.

# Prints the nvcc to use; fails if there is none of CUDA 13 or later.
find_nvcc() {
  local nvcc release
  nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || return 1
  release=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\).*/\1/p')
  ((${release:-0} >= 13)) && echo "$nvcc"
}

count_gpus() { (nvidia-smi -L 2>/dev/null || true) | grep -c '^GPU ' || true; }

# configure PRESET [options...]: configures build/PRESET if that has not been done.
configure() {
  local preset=$1
  shift
  [[ -f build/$preset/build.ninja ]] || cmake --preset "$preset" "$@"
}
