// MemoryCount: trailers of blocks, counters per thread, peaks, sampling and forks.

#include "memory/count.h"

#include <malloc.h>
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "fathom/base/error.h"
#include "fathom/base/throw.h"
#include "memory/cells.h"
#include "memory/peaks.h"
#include "memory/samples.h"
#include "memory/tag_names.h"

namespace fathom::diag {

namespace {

struct Trailer {
  std::uint64_t what;
  std::uint64_t mark;
};

// The contents of a trailer: size, tag, phase, and whether the block was sampled.
struct Block {
  static constexpr unsigned kSizeBits = 48, kTagBits = 8, kPhaseBits = 7;
  static_assert(kMemoryTags <= 1U << kTagBits);
  static_assert(kMemoryPhases <= 1U << kPhaseBits);

  std::uint64_t size;
  std::uint8_t tag;
  std::uint32_t phase;
  bool sampled;

  [[nodiscard]] std::uint64_t packed() const noexcept {
    return size | std::uint64_t{tag} << kSizeBits | std::uint64_t{phase} << (kSizeBits + kTagBits) |
           std::uint64_t{sampled} << (kSizeBits + kTagBits + kPhaseBits);
  }
  static Block unpacked(std::uint64_t what) noexcept {
    return {.size = what & ((std::uint64_t{1} << kSizeBits) - 1),
            .tag = static_cast<std::uint8_t>(what >> kSizeBits),
            .phase = static_cast<std::uint32_t>(what >> (kSizeBits + kTagBits)) &
                     ((1U << kPhaseBits) - 1),
            .sampled = what >> (kSizeBits + kTagBits + kPhaseBits) != 0};
  }
};

// Mixes the bits, so that random memory or the rest of an earlier block does not look like a mark.
std::uint64_t mark_of(const void* block, std::uint64_t what) noexcept {
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(block) ^ what * 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ mixed >> 32U) * 0xd6e8feb86659fd93U;
  return mixed ^ mixed >> 29U;
}

char* trailer_of(void* block, std::size_t usable) noexcept {
  return static_cast<char*>(block) + usable - sizeof(Trailer);
}

// Reads the trailer and returns where it is; null for null and for a block that is not counted.
[[gnu::always_inline]] inline char* read_trailer(void* block, Trailer& trailer) noexcept {
  const std::size_t usable = block == nullptr ? 0 : ::malloc_usable_size(block);
  if (usable < sizeof(Trailer)) return nullptr;
  char* const at = trailer_of(block, usable);
  std::memcpy(&trailer, at, sizeof trailer);
  return trailer.mark == mark_of(block, trailer.what) ? at : nullptr;
}

// ---- Shared by all threads

base::atomic<std::int64_t> peak_grain{0};
base::atomic<std::int64_t> sample_bytes{0};
base::atomic<std::uint32_t> current_phase{0};
base::atomic<std::uint64_t> threads_seen{0};
pthread_key_t thread_end;  // written before counting starts

// For threads that allocate after their end, or without memory for cells. Several threads write it.
constinit std::array<MemoryCells::Phase, kMemoryPhases> homeless{};

// ---- State of the calling thread; trivial, so that it is usable until the thread's very end

struct Here {
  MemoryCells* cells = nullptr;
  bool ended = false;
  bool sampling = false;  // allocations meanwhile are not counted
  bool forking = false;   // this thread holds the lock of the samples
  std::uint8_t tag = MemoryTagNames::kNone;
  const char* tag_name = nullptr;  // the name whose number is `tag`
  std::int64_t until_sample = 0;   // in bytes
  std::uint64_t random = 0;        // 0: not initialized
};

constinit thread_local Here of_this_thread;

std::uint64_t next_random(Here& here) noexcept {
  if (here.random == 0) {
    here.random = (threads_seen.fetch_add(1, base::memory_order_relaxed) + 1) * 0x9e3779b97f4a7c15U;
  }
  here.random ^= here.random << 13U;
  here.random ^= here.random >> 7U;
  here.random ^= here.random << 17U;
  return here.random;
}

// The number of bytes until the next sample: exponentially distributed, so that no pattern of sizes
// can avoid it.
std::int64_t next_interval(Here& here) noexcept {
  const auto mean = static_cast<double>(sample_bytes.load(base::memory_order_relaxed));
  if (mean == 0) return std::numeric_limits<std::int64_t>::max();
  const double uniform = (static_cast<double>(next_random(here) >> 11U) + 1) * 0x1p-53;
  return static_cast<std::int64_t>(-std::log(uniform) * mean) + 1;
}

// In this order, because the untold bytes are added to a peak. A thread that reads in between is
// off by these bytes: less than a grain.
void tell(base::atomic<std::int64_t>& untold, std::size_t sum, std::int64_t bytes) noexcept {
  untold.store(0, base::memory_order_relaxed);
  MemoryPeaks::add(sum, bytes);
}

void end_thread(void* /*cells*/) noexcept {
  Here& here = of_this_thread;
  for (std::size_t sum = 0; sum < kMemorySums; ++sum) {
    base::atomic<std::int64_t>& untold = here.cells->untold(sum);
    tell(untold, sum, untold.load(base::memory_order_relaxed));
  }
  here.ended = true;
  here.cells->give_back();
  here.cells = nullptr;
}

void settle_in(Here& here) noexcept {
  here.cells = MemoryCells::take();
  if (here.cells == nullptr) return;
  if (::pthread_setspecific(thread_end, here.cells) != 0) {
    here.cells->give_back();
    here.cells = nullptr;
    here.ended = true;
  }
  here.until_sample = next_interval(here);
}

void change(Here& here, std::size_t sum, std::int64_t bytes) noexcept {
  if (here.cells == nullptr) return MemoryPeaks::add(sum, bytes);
  base::atomic<std::int64_t>& untold = here.cells->untold(sum);
  const std::int64_t now = untold.load(base::memory_order_relaxed) + bytes;
  const std::int64_t grain = peak_grain.load(base::memory_order_relaxed);
  if (now < grain && now > -grain) [[likely]] {
    untold.store(now, base::memory_order_relaxed);
  } else {
    tell(untold, sum, now);
  }
}

// Requires that only this thread writes the counter.
void raise(base::atomic<std::uint64_t>& sum, std::uint64_t by) noexcept {
  sum.store(sum.load(base::memory_order_relaxed) + by, base::memory_order_relaxed);
}

template <base::atomic<std::uint64_t> MemoryCell::*Bytes,
          base::atomic<std::uint64_t> MemoryCell::*Blocks>
void count(Here& here, const Block& block) noexcept {
  if (here.cells == nullptr && !here.ended) settle_in(here);
  MemoryCells::Phase* const phase =
      here.cells == nullptr ? nullptr : here.cells->phase(block.phase);
  if (phase != nullptr) [[likely]] {
    raise((*phase)[block.tag].*Bytes, block.size);
    raise((*phase)[block.tag].*Blocks, 1);
  } else {
    MemoryCell& cell = homeless[block.phase][block.tag];
    (cell.*Bytes).fetch_add(block.size, base::memory_order_relaxed);
    (cell.*Blocks).fetch_add(1, base::memory_order_relaxed);
  }
}

std::uint8_t current_tag(Here& here) noexcept {
  const char* const name = MemoryScope::current();
  if (name != here.tag_name) {
    here.tag = MemoryTagNames::number_of(name);
    here.tag_name = name;
  }
  return here.tag;
}

// Samples the stack. Call it even if the sample cannot be stored.
bool take_sample(Here& here, const void* block, std::uint64_t size) noexcept {
  here.until_sample = next_interval(here);
  const auto mean = static_cast<double>(sample_bytes.load(base::memory_order_relaxed));
  if (mean == 0 || here.ended) return false;
  const auto bytes = static_cast<double>(size);
  const double chance = -std::expm1(-bytes / mean);
  here.sampling = true;
  bool kept = true;
  try {
    MemorySamples::all().add(block, bytes / chance, 1 / chance);
  } catch (const std::exception&) {
    kept = false;
  }
  here.sampling = false;
  return kept;
}

void enter(void* memory, std::size_t size) noexcept {
  Here& here = of_this_thread;
  Block block{.size = size,
              .tag = current_tag(here),
              .phase = current_phase.load(base::memory_order_relaxed),
              .sampled = false};
  count<&MemoryCell::allocated_bytes, &MemoryCell::allocated_blocks>(here, block);
  const auto bytes = static_cast<std::int64_t>(size);
  change(here, block.tag, bytes);
  change(here, kMemoryOfAllTags, bytes);
  here.until_sample -= bytes;
  if (here.until_sample < 0) [[unlikely]]
    block.sampled = take_sample(here, memory, size);
  const std::uint64_t what = block.packed();
  const Trailer trailer{what, mark_of(memory, what)};
  std::memcpy(trailer_of(memory, ::malloc_usable_size(memory)), &trailer, sizeof trailer);
}

// While the samples' lock is held, allocations and frees must not need it.
void begin_fork() {
  if (!MemoryCount::counts()) return;
  MemorySamples::all().lock();
  of_this_thread.sampling = true;
  of_this_thread.forking = true;
}

void end_fork() {
  if (!of_this_thread.forking) return;
  of_this_thread.sampling = false;
  of_this_thread.forking = false;
  MemorySamples::all().unlock();
}

void forget_sample(Here& here, const void* block) noexcept {
  MemorySamples& samples = MemorySamples::all();
  // Fork handlers of others may free sampled blocks.
  if (here.forking) return samples.remove_locked(block);
  here.sampling = true;
  samples.remove(block);
  here.sampling = false;
}

// The same while the samples are read.
std::vector<AllocationSite> sites() {
  struct Reading {
    Reading() { of_this_thread.sampling = true; }
    ~Reading() { of_this_thread.sampling = false; }
  } const reading;
  return MemorySamples::all().sites();
}

// Adds a cell to the sum of its tag.
void add(TagMemory& sum, const MemoryCell& cell) {
  const auto allocated_bytes = cell.allocated_bytes.load(base::memory_order_relaxed);
  const auto allocated_blocks = cell.allocated_blocks.load(base::memory_order_relaxed);
  sum.allocated_bytes += allocated_bytes;
  sum.allocated_blocks += allocated_blocks;
  // Modulo 2^64: a thread may have freed more than it allocated.
  sum.live_bytes += allocated_bytes - cell.freed_bytes.load(base::memory_order_relaxed);
  sum.live_blocks += allocated_blocks - cell.freed_blocks.load(base::memory_order_relaxed);
}

void add(std::array<TagMemory, kMemoryTags>& sums, const MemoryCells::Phase& phase) {
  for (std::size_t tag = 0; tag < sums.size(); ++tag) add(sums[tag], phase[tag]);
}

// While other threads count, a block may be seen as freed but not yet as allocated.
void no_less_than_nothing(std::uint64_t& sum) {
  if (static_cast<std::int64_t>(sum) < 0) sum = 0;
}

std::mutex& control() {
  static std::mutex* const mutex = new std::mutex;
  return *mutex;
}

}  // namespace

void* MemoryCount::allocate(std::size_t size, std::size_t alignment) noexcept {
  constexpr std::size_t kMost = std::size_t{1} << (Block::kSizeBits - 1);
  if (size >= kMost) return nullptr;
  const bool counted = !of_this_thread.sampling;
  const std::size_t needed = std::max<std::size_t>(size + (counted ? sizeof(Trailer) : 0), 1);
  void* memory = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    memory = std::malloc(needed);
  } else if (::posix_memalign(&memory, alignment, needed) != 0) {
    return nullptr;
  }
  if (memory != nullptr && counted) enter(memory, size);
  return memory;
}

void MemoryCount::leave(void* memory) noexcept {
  Trailer trailer;
  char* const at = read_trailer(memory, trailer);
  if (at == nullptr) return;
  // Volatile, so that compilers do not remove the store because the block is freed next.
  *reinterpret_cast<volatile std::uint64_t*>(at + offsetof(Trailer, mark)) = ~trailer.mark;
  Here& here = of_this_thread;
  const Block block = Block::unpacked(trailer.what);
  count<&MemoryCell::freed_bytes, &MemoryCell::freed_blocks>(here, block);
  const auto bytes = static_cast<std::int64_t>(block.size);
  change(here, block.tag, -bytes);
  change(here, kMemoryOfAllTags, -bytes);
  if (block.sampled) forget_sample(here, memory);
}

const char* MemoryCount::tag_of(const void* block) noexcept {
  if (!counts()) return nullptr;
  // The block is not changed, but malloc_usable_size() takes it as if it were.
  Trailer trailer;
  if (read_trailer(const_cast<void*>(block), trailer) == nullptr) return nullptr;
  return MemoryTagNames::name_of(Block::unpacked(trailer.what).tag);
}

// Handlers that are registered first run last before a fork: so no other handler waits for a lock
// whose owner waits for the samples' lock.
void MemoryCount::announce_operators() noexcept {
  can_count_ = true;
  ::pthread_atfork(begin_fork, end_fork, end_fork);
}

void MemoryCount::start(const MemoryOptions& options) {
  const std::lock_guard lock(control());
  if (counts()) return;
  if (!can_count()) {
    FATHOM_THROW(std::logic_error,
                 "this program cannot count its memory: it is not linked with fathom::diag_memory");
  }
  if (const int error = ::pthread_key_create(&thread_end, end_thread)) {
    throw base::SystemError("cannot count memory by threads", error);
  }
  static_cast<void>(base::Stack::here());  // the first one may allocate
  MemorySamples::all();
  const auto grain = static_cast<std::int64_t>(std::max<std::size_t>(options.peak_grain, 1));
  peak_grain.store(grain, base::memory_order_relaxed);
  sample_bytes.store(static_cast<std::int64_t>(options.sample_bytes), base::memory_order_relaxed);
  // [M4] release: without a partner in the usual sense. A thread that reads it relaxed and
  // allocates was started later, or is synchronized by the way in which the program shares its
  // blocks.
  counts_.store(true, base::memory_order_release);
}

MemoryMark MemoryCount::mark() {
  const std::lock_guard lock(control());
  if (!counts()) FATHOM_THROW(std::logic_error, "cannot mark: memory is not being counted");
  const std::uint32_t phase = current_phase.load(base::memory_order_relaxed) + 1;
  if (phase == kMemoryPhases) FATHOM_THROW(std::length_error, "too many memory marks");
  current_phase.store(phase, base::memory_order_relaxed);
  return MemoryMark(phase);
}

std::array<TagMemory, kMemoryTags> MemoryCount::sums(std::uint32_t since, std::uint32_t until) {
  std::array<TagMemory, kMemoryTags> sums;
  for (std::uint32_t number = since; number < until; ++number) {
    add(sums, homeless[number]);
    for (const MemoryCells* cells = MemoryCells::first(); cells != nullptr; cells = cells->next()) {
      if (const MemoryCells::Phase* const phase = cells->look_at(number)) add(sums, *phase);
    }
  }
  for (std::size_t tag = 0; tag < sums.size(); ++tag) {
    if (const char* const name = MemoryTagNames::name_of(tag)) sums[tag].tag = name;
    no_less_than_nothing(sums[tag].live_bytes);
    no_less_than_nothing(sums[tag].live_blocks);
  }
  return sums;
}

std::vector<TagMemory> MemoryCount::tags(std::uint32_t since, std::uint32_t until) {
  std::vector<TagMemory> tags;
  for (TagMemory& sum : sums(since, until)) {
    if (sum.allocated_blocks != 0) tags.push_back(std::move(sum));
  }
  std::stable_sort(tags.begin(), tags.end(), [](const TagMemory& a, const TagMemory& b) {
    return a.live_bytes > b.live_bytes;
  });
  return tags;
}

MemoryReport MemoryCount::report() {
  MemoryReport report;
  report.sample_bytes = static_cast<std::size_t>(sample_bytes.load(base::memory_order_relaxed));
  auto by_number = sums(0, kMemoryPhases);
  for (std::size_t tag = 0; tag < kMemoryTags; ++tag) {
    TagMemory& sum = by_number[tag];
    sum.peak_bytes = std::max(MemoryPeaks::peak(tag), sum.live_bytes);
    report.all.live_bytes += sum.live_bytes;
    report.all.live_blocks += sum.live_blocks;
    report.all.allocated_bytes += sum.allocated_bytes;
    report.all.allocated_blocks += sum.allocated_blocks;
    if (sum.allocated_blocks != 0) report.tags.push_back(std::move(sum));
  }
  report.all.tag = "all";
  report.all.peak_bytes = std::max(MemoryPeaks::peak(kMemoryOfAllTags), report.all.live_bytes);
  std::stable_sort(
      report.tags.begin(), report.tags.end(),
      [](const TagMemory& a, const TagMemory& b) { return a.peak_bytes > b.peak_bytes; });
  if (!counts()) return report;
  report.sites = sites();
  std::stable_sort(report.sites.begin(), report.sites.end(),
                   [](const AllocationSite& a, const AllocationSite& b) {
                     if (a.live_bytes != b.live_bytes) return a.live_bytes > b.live_bytes;
                     return a.allocated_bytes > b.allocated_bytes;
                   });
  return report;
}

}  // namespace fathom::diag
