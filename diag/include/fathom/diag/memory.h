// Memory: what the program has allocated by operator new, and for what.
//
// Needs operators new and delete that count: a program that links fathom::diag_memory has them. As
// long as nobody asks for figures they cost one branch each; from count_memory() on every block is
// counted for the tag that its thread had then, by all forms of operator new. It is credited to
// that tag again when it is freed, on whatever thread. Sizes are those that were asked for.
//
//   int main() {
//     diag::count_memory();
//     const diag::MemoryScope scope("tree");
//     Tree tree = grow();
//     const diag::MemoryMark grown = diag::mark_memory();
//     use(tree);
//     print(diag::memory_report().text());       // live and peak bytes of "tree"
//     print(diag::alive_since(grown));            // what use() has left behind
//   }
//
// Exact: live and allocated bytes and blocks, by tag and mark. A peak may be too low by
// peak_grain for each thread, for threads add up what they have only so often; and too high by as
// much for each thread that does so while another one finds a new peak. Which calls allocate most
// is sampled, see AllocationSite. What C libraries take by malloc(), and what is mapped, is not
// counted; nor are blocks that are older than count_memory(), and what a thread allocates while a
// sample is taken, or by handlers of a fork.
//
// A counted block's last bytes, behind those that were asked for, are the profile's own. Whoever
// writes as far as malloc_usable_size() says erases them: the block then counts as live for ever.
//
// A forked child counts on from where its parent was.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/memory_tag.h"
#include "fathom/base/stack.h"

namespace fathom::diag {

// Of the calling thread, from construction to destruction; scopes may be nested. Other threads that
// work for this one have scopes of their own. The name's pointer is kept for ever: it is a literal,
// and a module (a plug-in, say) whose literals are names is never unloaded.
using MemoryScope = base::MemoryTag;

struct MemoryOptions {
  // How much a thread may allocate or free of a tag before the peaks hear of it.
  std::size_t peak_grain = std::size_t{64} << 10U;
  // A stack is taken about once in so many bytes; 0: never.
  std::size_t sample_bytes = std::size_t{512} << 10U;
};

// Whether operators new and delete of this program can count. Sanitizers have their own, which
// cannot.
[[nodiscard]] bool can_count_memory() noexcept;

// Counts from now on, to the end of the program; the second time it changes nothing. Best called
// first in main(). Throws std::logic_error if the program cannot count.
void count_memory(MemoryOptions options = {});
[[nodiscard]] bool counts_memory() noexcept;

// A moment of the program, between two allocations.
class MemoryMark {
 public:
  // That there can be in a program.
  static constexpr std::size_t kMost = 31;

 private:
  friend class MemoryCount;
  explicit MemoryMark(std::uint32_t phase) noexcept : phase_(phase) {}

  std::uint32_t phase_;  // that begins with it
};

// Throws std::length_error for more than MemoryMark::kMost, std::logic_error while nothing counts.
// What another thread allocates at the same time falls on either side.
[[nodiscard]] MemoryMark mark_memory();

// What was allocated for a tag. Of a report that is made while others allocate, the figures are of
// slightly different moments.
struct TagMemory {
  std::string tag;
  std::uint64_t live_bytes = 0;  // not freed
  std::uint64_t live_blocks = 0;
  std::uint64_t peak_bytes = 0;  // the most that were live at a time; 0 in what marks say
  std::uint64_t allocated_bytes = 0;
  std::uint64_t allocated_blocks = 0;
};

// What was allocated after the mark, and, if there is another one, before that. By tag, the most
// live bytes first; tags without any block are left out.
[[nodiscard]] std::vector<TagMemory> alive_since(MemoryMark since);
[[nodiscard]] std::vector<TagMemory> alive_between(MemoryMark since, MemoryMark until);

// Calls that allocate. Estimated: each byte has the same chance to be looked at, of one in
// sample_bytes, so a block of s bytes is looked at with probability p = 1 - exp(-s / sample_bytes),
// and then stands for 1 / p such blocks. The expected values are the true ones, whatever the sizes;
// with n samples they are off by about 1 / sqrt(n).
struct AllocationSite {
  base::Stack stack;  // from operator new on
  std::uint64_t samples = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t live_blocks = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t allocated_blocks = 0;
};

struct MemoryReport {
  std::vector<TagMemory> tags;        // that have any block; the highest peak first
  TagMemory all;                      // its peak is of all tags together
  std::vector<AllocationSite> sites;  // the most live bytes first, then the most allocated
  std::size_t sample_bytes = 0;
  std::uint64_t most_resident_bytes = 0;  // of the whole process, by the system; 0: not known

  // For people, in lines; with at most so many sites.
  [[nodiscard]] std::string text(std::size_t most_sites = 5) const;
};

// Empty while nothing counts.
[[nodiscard]] MemoryReport memory_report();

// Tells the timeline (timeline.h), if one runs, how many bytes of each tag are live. For
// Timeline::Options::figures. Where there is no memory for that, it tells nothing.
void show_memory() noexcept;

}  // namespace fathom::diag
