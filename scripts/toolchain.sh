# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: what this machine can build and run.

cuda_folder=${BALLAST_CUDA_FOLDER:-/usr/local/cuda/bin} # where nvcc is looked for after PATH

# at_least A B: whether version A is B or later.
at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]; }

every_nvcc() { PATH=$PATH:$cuda_folder type -aP nvcc; }

# cuda_of NVCC: its release, as 13.0.
cuda_of() { "$1" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# find_nvcc [LEAST]: prints the first nvcc of CUDA 13 (or LEAST) or later; fails if there is none.
find_nvcc() {
  local nvcc
  while IFS= read -r nvcc; do
    at_least "$(cuda_of "$nvcc")" "${1:-13}" && echo "$nvcc" && return
  done < <(every_nvcc)
  return 1
}

# The release and the path of the newest nvcc, of CUDA 13 or not.
newest_nvcc() {
  local nvcc
  every_nvcc | while IFS= read -r nvcc; do echo "$(cuda_of "$nvcc") $nvcc"; done | sort -V | tail -n 1
}

# ballast_version ROOT: of the sources there.
ballast_version() { sed -n 's/^#define BALLAST_VERSION_STRING "\(.*\)"/\1/p' "$1/include/ballast/version.hpp"; }

# What stands at the top of the script that runs.
print_help() { sed -n '3,/^set/{/^#/s/^# \?//p}' "$0"; }

count_gpus() { (nvidia-smi -L 2>/dev/null || true) | grep -c '^GPU ' || true; }

# Whether there are GPUs of several kinds, which CUDA numbers by their speed and nvidia-smi by their place.
gpus_are_mixed() { (($(nvidia-smi -L | sed -n 's/^GPU [0-9]*: \(.*\) (UUID.*/\1/p' | sort -u | wc -l) > 1)); }

# The compute capability of each GPU, a line each, as 9.0.
capabilities() {
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | grep -xE '[0-9]+\.[0-9]+'
}

# Name and compute capability, as "cuda:0 9.0", of each GPU that ballast can use, or (old_gpus) that it cannot.
usable_gpus() { sort_out_gpus at_least; }
old_gpus() { sort_out_gpus older_than; }
older_than() { ! at_least "$@"; }
sort_out_gpus() {
  local index=0 capability
  while IFS= read -r capability; do
    if "$1" "$capability" 7.5; then echo "cuda:$index $capability"; fi
    index=$((index + 1))
  done < <(capabilities)
}

# What CMAKE_CUDA_ARCHITECTURES is to be for the GPUs of this machine.
gpu_architectures() {
  local numbers
  numbers=$(usable_gpus | sed 's/.* //; s/\.//; s/$/-real/' | sort -u | paste -sd ';')
  echo "${numbers:-native}"
}

# why_no_gpu [LEAST]: prints a line why ballast cannot use a GPU of this machine with an nvcc of CUDA 13 (or LEAST)
# or later; nothing if it can.
why_no_gpu() {
  if (($(count_gpus) == 0)); then
    why_no_gpu_answers
  elif ! find_nvcc "$@" >/dev/null; then
    why_no_nvcc
  elif [[ -n $(capabilities) && -z $(usable_gpus) ]]; then
    echo "No GPU is used: $(too_old_text)"
  else
    why_the_driver_is_too_old "$(cuda_of "$(find_nvcc "$@")")"
  fi
}

why_no_gpu_answers() {
  local start="No GPU is used: none answers" said
  [[ -n $(every_nvcc) ]] && start="No GPU is used: nvcc is here, but no GPU answers"
  if ! command -v nvidia-smi >/dev/null; then
    [[ -n $(every_nvcc) ]] || { echo "No NVIDIA GPU was found: CPU cores it is"; return; }
    echo "$start; nvidia-smi, a part of NVIDIA's driver, was not found"
  elif ! said=$(nvidia-smi -L 2>&1); then
    echo "$start; nvidia-smi fails: ${said%%$'\n'*}"
  else
    echo "$start; nvidia-smi lists none"
  fi
}

why_no_nvcc() {
  local release nvcc
  read -r release nvcc <<<"$(newest_nvcc)"
  if [[ -z $nvcc ]]; then
    echo "No GPU is used: nvidia-smi lists one, but nvcc was not found in PATH or $cuda_folder;" \
      "install CUDA 13 (https://developer.nvidia.com/cuda-downloads)"
  elif at_least "$release" 12.4; then
    echo "No GPU is used: $nvcc is CUDA $release; 13 is needed. Nobody has tried 12.4 to 12.9;" \
      "'BALLAST_UNTESTED_CUDA=ON scripts/demo.sh' does (CMake: -D BALLAST_UNTESTED_CUDA=ON)"
  else
    echo "No GPU is used: $nvcc is CUDA $release; 13 is needed"
  fi
}

# "cuda:0 is 7.0, cuda:1 is 6.1; ballast needs 7.5 (Turing) or later"
too_old_text() {
  echo "$(old_gpus | sed 's/ / is /' | paste -sd ',' | sed 's/,/, /g'); ballast needs 7.5 (Turing) or later"
}

# why_the_driver_is_too_old CUDA: a program of CUDA 13.x runs with any driver of CUDA 13, and with none of 12.
why_the_driver_is_too_old() {
  local offered
  offered=$({ nvidia-smi 2>/dev/null || true; } | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p' | head -n 1)
  if [[ -z $offered ]] || at_least "$offered" "${1%%.*}"; then return; fi
  echo "No GPU is used: NVIDIA's driver is for CUDA $offered and nvcc is CUDA $1;" \
    "install a driver for CUDA ${1%%.*}"
}
