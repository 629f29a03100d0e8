// SPDX-License-Identifier: Apache-2.0
// program module: uses the module three times, forking after each time it was unloaded.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace {

bool is_used(char const* path) {
  void* const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  auto const filled_byte = reinterpret_cast<int (*)()>(dlsym(module, "filled_byte"));
  bool const is_right = filled_byte != nullptr && filled_byte() == 7;
  return dlclose(module) == 0 && is_right;
}

/// What the module registered for forks must have gone with it.
bool forks_well() {
  auto const child = fork();
  if (child == 0) _exit(3);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (int round = 0; round < 3; ++round) {
    if (!is_used(argv[1]) || !forks_well()) {
      std::fprintf(stderr, "round %d failed\n", round);
      return 1;
    }
  }
  return 0;
}
