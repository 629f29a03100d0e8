# SPDX-License-Identifier: Apache-2.0
# Tried: that Python compiles it. Not tried: spack itself, which was not to be had; the versions of dependencies are those of
# Debian 12. Put it into packages/ballast of a repository of yours and build a checkout:
#   spack dev-build --source-path /path/to/ballast ballast@0.2.0
from spack.package import *


class Ballast(CMakePackage, CudaPackage):
    """Keeps GPUs and CPU cores evenly loaded when work is irregular: a C++20 library and its programs."""

    license("Apache-2.0")

    version("0.2.0")

    variant("shared", default=True, description="One libballast.so, beside libballast.a")
    variant("programs", default=True, description="The command ballast and its applications")
    variant("mpi", default=False, description="ballast::mpi, for ranks that MPI connects")

    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("fmt@9:", type="build")
    depends_on("boost@1.81:", type="build")
    depends_on("cli11@2.1:", type="build", when="+programs")
    depends_on("nlohmann-json@3.11:", type="build", when="+programs")
    depends_on("cuda@13:", when="+cuda")
    depends_on("mpi", when="+mpi")
    conflicts("%gcc@:10", msg="C++20 as ballast uses it needs g++ 11")

    generator("ninja")

    def cmake_args(self):
        options = [self.define(f"BALLAST_{part}", False) for part in ("BENCHMARKS", "EXAMPLES", "MESICC", "TESTS")]
        options += [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("BALLAST_COMMAND", "programs"),
            self.define_from_variant("BALLAST_APPS", "programs"),
            self.define_from_variant("BALLAST_CUDA", "cuda"),
            self.define_from_variant("BALLAST_CLUSTER", "mpi"),
        ]
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            options.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return options
