#pragma once

#include <cstdint>
#include <filesystem>

// What the machine grants this process: less than it has where a control group says so.

namespace comback::tools {

// Where the kernel tells; tests bring their own.
struct KernelFiles {
  std::filesystem::path proc = "/proc";
  std::filesystem::path cgroup = "/sys/fs/cgroup";
};

// Bytes of memory: the machine's, or the smallest limit of the control groups (v1 or v2) around
// this process.
std::uint64_t granted_memory(const KernelFiles& files = {});

// Whole processors, at least one: those this process may run on, or what the processor quota of
// its control groups comes to, rounded up.
unsigned granted_cores(const KernelFiles& files = {});

// The most memory this process ever held at once, in bytes.
std::uint64_t peak_memory(const KernelFiles& files = {});

}  // namespace comback::tools
