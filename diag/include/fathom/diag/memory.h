// Memory: counts what the program allocates with operator new, by purpose.
//
// Requires counting operators new and delete, which a program gets by linking fathom::diag_memory.
// Until count_memory() they cost one branch each; from then on every block is counted under the tag
// that its thread has at that time, for all forms of operator new. When the block is freed, on any
// thread, it is subtracted from that tag. Sizes are the requested sizes.
//
//   int main() {
//     diag::count_memory();
//     const diag::MemoryScope scope("tree");
//     Tree tree = grow();
//     const diag::MemoryMark grown = diag::mark_memory();
//     use(tree);
//     print(diag::memory_report().text());       // live and peak bytes of "tree"
//     print(diag::alive_since(grown));            // what use() has not freed
//   }
//
// Exact: live and allocated bytes and blocks, by tag and mark. A peak may be too low by peak_grain
// per thread, because threads publish their sums only that often; and too high by as much for each
// thread that publishes while another finds a new peak. The calls that allocate most are sampled,
// see AllocationSite. Not counted: malloc() of C libraries, mappings, blocks older than
// count_memory(), allocations of a thread while it takes a sample, and allocations of fork
// handlers.
//
// The last bytes of a counted block, after the requested size, belong to the profile. A program
// that writes up to malloc_usable_size() overwrites them: the block then counts as live forever.
//
// A forked child continues with the counts of its parent.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/memory_tag.h"
#include "fathom/base/stack.h"

namespace fathom::diag {

// Applies to the calling thread, from construction to destruction; scopes may be nested. Threads
// that work for this one need their own scopes. The pointer to the name is kept forever: use a
// literal, and never unload a module (such as a plug-in) whose literals are names.
using MemoryScope = base::MemoryTag;

struct MemoryOptions {
  // How many bytes a thread may allocate or free under a tag before it updates the peaks.
  std::size_t peak_grain = std::size_t{64} << 10U;
  // A stack is sampled about once in so many bytes; 0: never.
  std::size_t sample_bytes = std::size_t{512} << 10U;
};

// Whether the operators new and delete of this program can count. Those of sanitizers cannot.
[[nodiscard]] bool can_count_memory() noexcept;

// Starts counting until the end of the program; a second call has no effect. Best called first in
// main(). Throws std::logic_error if the program cannot count.
void count_memory(MemoryOptions options = {});
[[nodiscard]] bool counts_memory() noexcept;

// The tag under which the block is counted: the name as given to its MemoryScope, or "(no tag)".
// Null for a null pointer, for a block that is not counted, and if memory is not counted at all.
// Requires null, or a live block of operator new or malloc(): the pointer that these returned, not
// one into the middle of a block, such as that of a base class, and not one to a variable. For
// others the behaviour is undefined, as for free(). Any thread may call it, as long as no other
// thread frees the block meanwhile.
[[nodiscard]] const char* tag_of(const void* block) noexcept;

// A point in time between two allocations.
class MemoryMark {
 public:
  // The maximum number of marks in a program.
  static constexpr std::size_t kMost = 31;

 private:
  friend class MemoryCount;
  explicit MemoryMark(std::uint32_t phase) noexcept : phase_(phase) {}

  std::uint32_t phase_;  // the phase that begins with the mark
};

// Throws std::length_error after MemoryMark::kMost marks, std::logic_error if memory is not
// counted. Concurrent allocations of other threads fall on either side of the mark.
[[nodiscard]] MemoryMark mark_memory();

// The memory of one tag. If other threads allocate during a report, its figures are of slightly
// different times.
struct TagMemory {
  std::string tag;
  std::uint64_t live_bytes = 0;  // not freed
  std::uint64_t live_blocks = 0;
  std::uint64_t peak_bytes = 0;  // the maximum of live bytes; 0 in results about marks
  std::uint64_t allocated_bytes = 0;
  std::uint64_t allocated_blocks = 0;
};

// The allocations after `since` and, in the second form, before `until`. By tag, most live bytes
// first; tags without blocks are omitted.
[[nodiscard]] std::vector<TagMemory> alive_since(MemoryMark since);
[[nodiscard]] std::vector<TagMemory> alive_between(MemoryMark since, MemoryMark until);

// A call stack that allocates. The figures are estimates: each byte is sampled with the same
// probability, one in sample_bytes, so a block of s bytes is sampled with probability p = 1 -
// exp(-s / sample_bytes), and then stands for 1 / p such blocks. The expected values are exact for
// all sizes; with n samples the error is about 1 / sqrt(n).
struct AllocationSite {
  base::Stack stack;  // beginning with operator new
  std::uint64_t samples = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t allocated_blocks = 0;
};

struct MemoryReport {
  std::vector<TagMemory> tags;        // tags with any block; highest peak first
  TagMemory all;                      // the peak is that of the sum of all tags
  std::vector<AllocationSite> sites;  // most live bytes first, then most allocated bytes
  std::size_t sample_bytes = 0;
  std::uint64_t most_resident_bytes = 0;  // of the whole process, from the system; 0: unknown

  // For people, as lines; with at most `most_sites` sites.
  [[nodiscard]] std::string text(std::size_t most_sites = 5) const;
};

// Empty if memory is not counted.
[[nodiscard]] MemoryReport memory_report();

// Records the live bytes of each tag on the running timeline (timeline.h), if there is one. For
// Timeline::Options::figures. Records nothing if memory runs out.
void show_memory() noexcept;

}  // namespace fathom::diag
