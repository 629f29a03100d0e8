#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# demo.sh root: passes if scripts/demo.sh --dry-run says on invented machines which devices it uses, and why no GPU.
set -euo pipefail
demo=$1/scripts/demo.sh
bash=$BASH
wrong=0
cases=0
machine=$(mktemp -d)
trap 'rm -r "$machine"' EXIT
unset BALLAST_DEVICES BALLAST_UNTESTED_CUDA
export BALLAST_CUDA_FOLDER=$machine/cuda

# A program of this machine, which prints what stands in its input.
program() {
  { echo "#!$bash"; cat; } >"$1"
  chmod +x "$1"
}

# machine_of CORES: nothing but what the script itself runs.
machine_of() {
  local tool
  rm -rf "${machine:?}"/*
  mkdir "$machine/bin" "$machine/cuda"
  for tool in cat dirname grep head paste sed sort tail wc; do ln -s "$(command -v "$tool")" "$machine/bin"; done
  program "$machine/bin/nproc" <<<"echo $1"
}

# nvcc FOLDER RELEASE
nvcc() { program "$machine/$1/nvcc" <<<"echo 'Cuda compilation tools, release $2, V$2.48'"; }

# gpus CAPABILITY...: nvidia-smi of a machine that has these, of one name where they are alike, and a driver for CUDA $driver.
driver=13.0
gpus() {
  local index
  {
    echo 'case ${1:-} in -L)'
    for ((index = 0; index < $#; ++index)); do
      echo "echo 'GPU $index: NVIDIA X${*:index + 1:1} (UUID: GPU-$index)'"
    done
    echo ';; --query-gpu=compute_cap)'
    printf 'echo %s\n' "$@"
    echo ";; *) echo '| NVIDIA-SMI 580.65  Driver Version: 580.65  CUDA Version: $driver |' ;; esac"
  } | program "$machine/bin/nvidia-smi"
}

# says LINE [arguments...]: demo.sh prints this line, and ends well.
says() { ends_with 0 "$@"; }

# ends_with STATUS LINE [arguments...]
ends_with() {
  local said status=0
  cases=$((cases + 1))
  said=$(PATH=$machine/bin "$bash" "$demo" --dry-run "${@:3}" 2>&1) || status=$?
  ((status == $1)) && grep -qxF -- "$2" <<<"$said" && return
  printf 'demo.sh should say\n  %s\nand end with %d; it ends with %d and says\n%s\n' "$2" "$1" "$status" "$said"
  wrong=1
}

machine_of 2
says "No NVIDIA GPU was found: CPU cores it is."
says "Devices: host:1,host:1"
says "cmake --preset demo -D BALLAST_CUDA=OFF"
says "Devices: host:1,host:1/2" --devices host:1,host:1/2
says "Devices: host:2" --devices=host:2
BALLAST_DEVICES=host:1/3 says "Devices: host:1/3"
says "build/demo/ballast md --system gaussian --cutoff 12 --precision double --steps 20 --atoms=100" --steps 20 --atoms=100
says "build/demo/ballast md --cutoff 12 --precision double --steps 10 --system a.xyz" --system a.xyz
says "build/demo/ballast md --steps 10 --restart a" --restart a
BALLAST_UNTESTED_CUDA=yes ends_with 2 "demo.sh: BALLAST_UNTESTED_CUDA is 'yes'; legal is ON or OFF"
says "  build/demo/ballast md --atoms 16384 --precision double --steps 10 --devices host:1,host:1/2"
machine_of 1
says "Devices: host"
machine_of 9
says "Devices: host:4,host:4"

machine_of 2
gpus 9.0
says "No GPU is used: nvidia-smi lists one, but nvcc was not found in PATH or $machine/cuda; install CUDA 13 \
(https://developer.nvidia.com/cuda-downloads)."
nvcc bin 12.0
says "No GPU is used: $machine/bin/nvcc is CUDA 12.0; 13 is needed."
BALLAST_UNTESTED_CUDA=ON says "No GPU is used: $machine/bin/nvcc is CUDA 12.0; 13 is needed."
for release in 12.4 12.9; do
  nvcc bin "$release"
  says "No GPU is used: $machine/bin/nvcc is CUDA $release; 13 is needed. Nobody has tried 12.4 to 12.9; \
'BALLAST_UNTESTED_CUDA=ON scripts/demo.sh' does (CMake: -D BALLAST_UNTESTED_CUDA=ON)."
  says "Devices: host:1,host:1"
  BALLAST_UNTESTED_CUDA=ON says "Devices: cuda"
done
BALLAST_UNTESTED_CUDA=ON says "cmake --preset demo -D BALLAST_CUDA=ON -D BALLAST_NVCC=$machine/bin/nvcc \
-D BALLAST_UNTESTED_CUDA=ON -D CMAKE_CUDA_ARCHITECTURES=90-real"
nvcc cuda 13.0
says "cmake --preset demo -D BALLAST_CUDA=ON -D BALLAST_NVCC=$machine/cuda/nvcc -D BALLAST_UNTESTED_CUDA=OFF \
-D CMAKE_CUDA_ARCHITECTURES=90-real"
nvcc bin 13.2
says "cmake --preset demo -D BALLAST_CUDA=ON -D BALLAST_NVCC=$machine/bin/nvcc -D BALLAST_UNTESTED_CUDA=OFF \
-D CMAKE_CUDA_ARCHITECTURES=90-real"

driver=12.8
gpus 9.0
says "No GPU is used: NVIDIA's driver is for CUDA 12.8 and nvcc is CUDA 13.2; install a driver for CUDA 13."
driver=13.0
gpus 7.5 12.0 7.5
says "Devices: cuda"
says "cmake --preset demo -D BALLAST_CUDA=ON -D BALLAST_NVCC=$machine/bin/nvcc -D BALLAST_UNTESTED_CUDA=OFF \
-D CMAKE_CUDA_ARCHITECTURES=120-real;75-real"
ordered="  CUDA_DEVICE_ORDER=PCI_BUS_ID build/demo/ballast md --atoms 16384"
says "$ordered --precision double --steps 10 --devices cuda,host:1"
says "$ordered --steps 10 --devices cuda --trace build/trace.json"
gpus 9.0 9.0
says "  build/demo/ballast md --atoms 16384 --precision double --steps 10 --devices cuda,host:1"
gpus "[N/A]"
says "Devices: cuda"
says "cmake --preset demo -D BALLAST_CUDA=ON -D BALLAST_NVCC=$machine/bin/nvcc -D BALLAST_UNTESTED_CUDA=OFF \
-D CMAKE_CUDA_ARCHITECTURES=native"
gpus 7.0
says "No GPU is used: cuda:0 is 7.0; ballast needs 7.5 (Turing) or later."
gpus 7.0 6.1
says "No GPU is used: cuda:0 is 7.0, cuda:1 is 6.1; ballast needs 7.5 (Turing) or later."
gpus 7.0 8.6 10.0
says "Left out: cuda:0 is 7.0; ballast needs 7.5 (Turing) or later."
says "Devices: cuda:1,cuda:2"
says "$ordered --precision double --steps 10 --devices cuda:1,host:1"

machine_of 2
nvcc cuda 13.0
says "No GPU is used: nvcc is here, but no GPU answers; nvidia-smi, a part of NVIDIA's driver, was not found."
says "Devices: host:1,host:1"
program "$machine/bin/nvidia-smi" <<<"echo 'NVIDIA-SMI has failed: no driver'; exit 9"
says "No GPU is used: nvcc is here, but no GPU answers; nvidia-smi fails: NVIDIA-SMI has failed: no driver."
program "$machine/bin/nvidia-smi" <<<""
says "No GPU is used: nvcc is here, but no GPU answers; nvidia-smi lists none."
rm "$machine/cuda/nvcc"
says "No GPU is used: none answers; nvidia-smi lists none."
((wrong == 0)) && echo "demo.sh says what it does in $cases cases"
