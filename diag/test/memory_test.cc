// Tests of counting memory: tags, marks, peaks, samples, threads and forks.

#include "fathom/diag/memory.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <latch>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "counted_traps.h"
#include "exit_code_of_child.h"
#include "fathom/base/atomic.h"
#include "fathom/base/symbols.h"
#include "fathom/diag/break.h"
#include "fathom/diag/timeline.h"
#include "fathom/testing/heap_bytes.h"
#include "memory/count.h"
#include "memory/tag_names.h"

namespace fathom::diag {
namespace {

// Makes peaks exact and samples frequent.
constexpr MemoryOptions kOptions{.peak_grain = 1, .sample_bytes = 4096};

// Allocated before main(), so it is not counted.
// NOLINTNEXTLINE(cert-err58-cpp)
const std::unique_ptr<std::vector<char>> older = std::make_unique<std::vector<char>>(5000);

// Hides from the compiler that the block is not used.
template <class T>
T* kept(T* block) {
  asm volatile("" : : "r"(block) : "memory");
  return block;
}

TagMemory find(const std::vector<TagMemory>& tags, const std::string& tag) {
  const auto at = std::find_if(tags.begin(), tags.end(),
                               [&](const TagMemory& memory) { return memory.tag == tag; });
  return at == tags.end() ? TagMemory{.tag = tag} : *at;
}

TagMemory memory_of(const std::string& tag) {
  const MemoryScope scope("asking");
  return find(memory_report().tags, tag);
}

std::string figures(const TagMemory& memory) {
  return std::to_string(memory.live_bytes) + " in " + std::to_string(memory.live_blocks) + " of " +
         std::to_string(memory.allocated_bytes) + " in " + std::to_string(memory.allocated_blocks);
}

std::string alive_of(const std::string& tag, MemoryMark since) {
  const MemoryScope scope("asking");
  return figures(find(alive_since(since), tag));
}

std::string alive_of(const std::string& tag, MemoryMark since, MemoryMark until) {
  const MemoryScope scope("asking");
  return figures(find(alive_between(since, until), tag));
}

// ---- Tests with their own options, before anything is counted

class MemoryFirst : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_count_memory()) GTEST_SKIP() << "the sanitizer has its own operators new";
    if (counts_memory()) GTEST_SKIP() << "memory is already counted with other options";
  }
};

TEST_F(MemoryFirst, UnpublishedFreesOfManyThreadsDoNotRaiseAPeak) {
  constexpr std::size_t kBlock = 60'000;
  EXPECT_EQ(exit_code_of_child([] {
              count_memory({.peak_grain = 64'000, .sample_bytes = 0});
              std::latch over(1);
              std::vector<std::thread> threads;
              for (int i = 0; i < 50; ++i) {
                std::latch freed(1);
                char* block = nullptr;
                {
                  const MemoryScope scope("passed on");
                  block = kept(new char[kBlock]);
                }
                threads.emplace_back([&freed, &over, block] {
                  delete[] block;
                  freed.count_down();
                  over.wait();
                });
                freed.wait();
              }
              const std::uint64_t peak = memory_of("passed on").peak_bytes;
              over.count_down();
              for (std::thread& thread : threads) thread.join();
              return peak <= 2 * kBlock;
            }),
            0);
}

TEST_F(MemoryFirst, UnpublishedFreesOfManyThreadsDoNotExceedALimit) {
  constexpr std::size_t kBlock = 60'000;
  EXPECT_EQ(exit_code_of_child([] {
              const CountedTraps traps;
              count_memory({.peak_grain = 64'000, .sample_bytes = 0});
              const Break on_tag = break_when(MemoryLimit{.tag = "freed", .bytes = 3 * kBlock});
              std::latch over(1);
              std::vector<std::thread> threads;
              for (int i = 0; i < 50; ++i) {
                std::latch freed(1);
                char* block = nullptr;
                {
                  const MemoryScope scope("freed");
                  block = kept(new char[kBlock]);
                }
                threads.emplace_back([&freed, &over, block] {
                  delete[] block;
                  freed.count_down();
                  over.wait();
                });
                freed.wait();
              }
              over.count_down();
              for (std::thread& thread : threads) thread.join();
              return on_tag.times() == 0;
            }),
            0);
}

// Like the cache of a library, which empties it before a fork.
constinit char* cache = nullptr;

void empty_cache() {
  delete[] cache;
  cache = nullptr;
}

// Registered before the profile's handlers, so that it runs after them before a fork, like those of
// libraries that are initialized before the program.
#pragma GCC diagnostic push
#ifndef __clang__  // does not know this warning
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif
[[gnu::constructor(100)]] void mind_forks() {
  ::pthread_atfork(empty_cache, nullptr, nullptr);
}
#pragma GCC diagnostic pop

TEST_F(MemoryFirst, AForkHandlerMayFreeSampledBlocks) {
  const auto forks = [] {
    for (int i = 0; i < 20; ++i) {
      const MemoryScope scope("cache");
      cache = kept(new char[100'000]);
      if (exit_code_of_child([] { return cache == nullptr; }) != 0) return false;
    }
    const std::vector<AllocationSite> sites = memory_report().sites;
    return std::all_of(sites.begin(), sites.end(),
                       [](const AllocationSite& site) { return site.live_bytes < 100'000; });
  };
  EXPECT_EQ(exit_code_of_child([&] {
              count_memory({.sample_bytes = 1});
              return forks();
            }),
            0);
  EXPECT_EQ(exit_code_of_child([&] {
              ::pthread_atfork(empty_cache, nullptr, nullptr);
              count_memory({.sample_bytes = 1});
              return forks();
            }),
            0);
}

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_count_memory()) GTEST_SKIP() << "the sanitizer has its own operators new";
    count_memory(kOptions);
  }
};

TEST_F(Memory, CountsLiveBlocks) {
  std::unique_ptr<char[]> block;
  {
    const MemoryScope scope("live");
    block.reset(kept(new char[1000]));
  }
  EXPECT_EQ(figures(memory_of("live")), "1000 in 1 of 1000 in 1");
  block.reset();
  EXPECT_EQ(figures(memory_of("live")), "0 in 0 of 1000 in 1");
}

TEST_F(Memory, TheInnermostScopeCounts) {
  const MemoryScope outer("outer");
  const std::unique_ptr<char> one(kept(new char));
  std::unique_ptr<short> two;
  {
    const MemoryScope inner("inner");
    two.reset(kept(new short));
  }
  const std::unique_ptr<int> four(kept(new int));
  EXPECT_EQ(figures(memory_of("outer")), "5 in 2 of 5 in 2");
  EXPECT_EQ(figures(memory_of("inner")), "2 in 1 of 2 in 1");
}

TEST_F(Memory, EveryFormOfNewCountsAndKeepsItsAlignment) {
  constexpr auto k64 = std::align_val_t{64};
  constexpr auto k4096 = std::align_val_t{4096};
  struct Form {
    void* (*allocate)();
    void (*free)(void*);
    std::size_t alignment;
  };
  const std::vector<Form> forms = {
      {[] { return ::operator new(100); }, [](void* p) { ::operator delete(p); }, 16},
      {[] { return ::operator new(100); }, [](void* p) { ::operator delete(p, 100); }, 16},
      {[] { return ::operator new[](100); }, [](void* p) { ::operator delete[](p); }, 16},
      {[] { return ::operator new[](100); }, [](void* p) { ::operator delete[](p, 100); }, 16},
      {[] { return ::operator new(100, std::nothrow); },
       [](void* p) { ::operator delete(p, std::nothrow); }, 16},
      {[] { return ::operator new[](100, std::nothrow); },
       [](void* p) { ::operator delete[](p, std::nothrow); }, 16},
      {[] { return ::operator new(100, k64); }, [](void* p) { ::operator delete(p, k64); }, 64},
      {[] { return ::operator new(100, k64); }, [](void* p) { ::operator delete(p, 100, k64); },
       64},
      {[] { return ::operator new[](100, k4096); }, [](void* p) { ::operator delete[](p, k4096); },
       4096},
      {[] { return ::operator new[](100, k4096); },
       [](void* p) { ::operator delete[](p, 100, k4096); }, 4096},
      {[] { return ::operator new(100, k64, std::nothrow); },
       [](void* p) { ::operator delete(p, k64, std::nothrow); }, 64},
      {[] { return ::operator new[](100, k64, std::nothrow); },
       [](void* p) { ::operator delete[](p, k64, std::nothrow); }, 64},
  };
  std::uint64_t allocated = 0;
  for (const Form& form : forms) {
    void* block = nullptr;
    {
      const MemoryScope scope("forms");
      block = kept(form.allocate());
    }
    allocated += 1;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % form.alignment, 0U);
    EXPECT_EQ(memory_of("forms").live_bytes, 100U) << allocated;
    EXPECT_EQ(memory_of("forms").allocated_blocks, allocated);
    form.free(block);
    EXPECT_EQ(memory_of("forms").live_blocks, 0U) << allocated;
  }
}

TEST_F(Memory, ABlockKnowsItsTag) {
  const MemoryScope outer("asked: outer");
  const std::unique_ptr<char> one(kept(new char));
  const std::unique_ptr<double[]> many = [] {
    const MemoryScope inner("asked: inner");
    return std::unique_ptr<double[]>(kept(new double[1000]));
  }();
  EXPECT_STREQ(tag_of(one.get()), "asked: outer");
  EXPECT_STREQ(tag_of(many.get()), "asked: inner");
  std::thread([&] { EXPECT_STREQ(tag_of(many.get()), "asked: inner"); }).join();
  struct alignas(4096) Page {
    char bytes[4096];
  };
  EXPECT_STREQ(tag_of(std::unique_ptr<Page>(kept(new Page)).get()), "asked: outer");
}

TEST_F(Memory, ABlockWithoutAScopeSaysSo) {
  EXPECT_STREQ(tag_of(std::unique_ptr<int>(kept(new int)).get()), "(no tag)");
}

TEST_F(Memory, OnlyACountedBlockHasATag) {
  const MemoryScope scope("asked: none");
  EXPECT_EQ(tag_of(nullptr), nullptr);
  EXPECT_EQ(tag_of(older->data()), nullptr);
  for (const std::size_t size : {1, 24, 5000}) {
    const std::unique_ptr<void, void (*)(void*)> foreign(std::malloc(size), std::free);
    EXPECT_EQ(tag_of(foreign.get()), nullptr) << size;
  }
}

TEST_F(Memory, ABlockOfZeroBytesCounts) {
  void* block = nullptr;
  {
    const MemoryScope scope("empty");
    block = kept(::operator new(0));
  }
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(figures(memory_of("empty")), "0 in 1 of 0 in 1");
  ::operator delete(block);
  ::operator delete(nullptr);
  EXPECT_EQ(figures(memory_of("empty")), "0 in 0 of 0 in 1");
}

TEST_F(Memory, TheWholeBlockMayBeWritten) {
  const MemoryScope scope("whole");
  for (std::size_t size = 1; size <= 5000; size += 7) {
    char* const block = kept(new char[size]);
    std::fill_n(block, size, '\xff');
    EXPECT_EQ(memory_of("whole").live_bytes, size);
    delete[] block;
    EXPECT_EQ(memory_of("whole").live_bytes, 0U);
  }
}

TEST_F(Memory, CountsAGrowingVector) {
  {
    const MemoryScope scope("vector");
    std::vector<std::uint64_t> numbers;
    std::size_t blocks = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      blocks += numbers.size() == numbers.capacity();
      numbers.push_back(i);
    }
    const TagMemory memory = memory_of("vector");
    EXPECT_EQ(memory.live_bytes, 8 * numbers.capacity());
    EXPECT_EQ(memory.live_blocks, 1U);
    EXPECT_EQ(memory.allocated_blocks, blocks);
    // 512 elements still existed when 1024 were allocated.
    EXPECT_EQ(memory.peak_bytes, 8 * (512U + 1024U));
  }
  EXPECT_EQ(memory_of("vector").live_bytes, 0U);
}

TEST_F(Memory, ABlockFreedByAnotherThreadIsSubtractedFromItsTag) {
  constexpr int kBlocks = 1000;
  std::vector<char*> blocks(kBlocks);
  std::thread([&] {
    const MemoryScope scope("made");
    for (char*& block : blocks) block = kept(new char[48]);
  }).join();
  EXPECT_EQ(figures(memory_of("made")), "48000 in 1000 of 48000 in 1000");
  std::thread([&] {
    const MemoryScope scope("freed");
    for (char* const block : blocks) delete[] block;
  }).join();
  EXPECT_EQ(figures(memory_of("made")), "0 in 0 of 48000 in 1000");
  EXPECT_EQ(figures(memory_of("freed")), "0 in 0 of 0 in 0");
}

TEST_F(Memory, ManyThreadsAddUp) {
  constexpr int kThreads = 8;
  constexpr int kBlocks = 2000;
  std::vector<std::thread> threads;
  std::array<std::vector<std::unique_ptr<char[]>>, kThreads> blocks;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&mine = blocks[static_cast<std::size_t>(i)]] {
      mine.reserve(kBlocks);
      const MemoryScope scope("many");
      for (int n = 0; n < kBlocks; ++n) {
        mine.emplace_back(kept(new char[24]));
        delete kept(new int);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(figures(memory_of("many")), "384000 in 16000 of 448000 in 32000");
}

TEST_F(Memory, ShortLivedThreadsDoNotLeak) {
  const auto churn = [](int threads) {
    for (int i = 0; i < threads; ++i) {
      std::thread([] {
        const MemoryScope scope("gone");
        delete kept(new int);
      }).join();
    }
  };
  churn(10);
  const auto before = testing::heap_bytes();
  churn(200);
  if (before) {
    EXPECT_LT(*testing::heap_bytes(), *before + 20'000);
  }
  EXPECT_EQ(memory_of("gone").allocated_blocks, 210U);
}

// ---- The end of a thread: its thread-local objects and its keys are destroyed one after the
// other.

struct Late {
  std::string* text = nullptr;
  ~Late() {
    const MemoryScope scope("late");
    delete text;
    text = nullptr;
    delete kept(new std::array<char, 32>);
  }
};

TEST_F(Memory, AllocationsOfAThreadsLastObjectsCount) {
  std::thread([] {
    static thread_local Late late;
    const MemoryScope scope("last");
    late.text = kept(new std::string);
  }).join();
  EXPECT_EQ(memory_of("last").live_blocks, 0U);
  EXPECT_EQ(figures(memory_of("late")), "0 in 0 of 32 in 1");
}

TEST_F(Memory, AllocationsOfThreadKeyDestructorsCount) {
  pthread_key_t key{};
  // Created after the profile's key, so its destructor runs later; and it requests another round.
  ASSERT_EQ(::pthread_key_create(&key,
                                 [](void* at) {
                                   const MemoryScope scope("key");
                                   auto* const left = static_cast<int*>(at);
                                   delete kept(new std::array<char, 100>);
                                   delete left;
                                 }),
            0);
  std::thread([&] {
    const MemoryScope scope("key");
    ::pthread_setspecific(key, kept(new int));
  }).join();
  ::pthread_key_delete(key);
  EXPECT_EQ(figures(memory_of("key")), "0 in 0 of 104 in 2");
  EXPECT_EQ(memory_of("key").peak_bytes, 104U);
}

// ---- Blocks that were not counted

TEST_F(Memory, ABlockFromBeforeCountingHasNoTag) {
  const TagMemory before = memory_report().all;
  older->clear();
  older->shrink_to_fit();
  EXPECT_EQ(memory_report().all.live_bytes, before.live_bytes);
}

TEST_F(Memory, ABlockOfMallocHasNoTag) {
  void* block = std::malloc(100);
  asm volatile("" : "+r"(block));  // hides the allocation from the compiler
  const MemoryMark mark = mark_memory();
  // Some libraries return memory that must be freed with the other function.
  ::operator delete(block);
  EXPECT_TRUE(alive_since(mark).empty());
}

// ---- Marks.

TEST_F(Memory, ReportsWhatAPhaseHasNotFreed) {
  const MemoryScope scope("phase");
  const std::unique_ptr<char[]> before(kept(new char[10]));
  const MemoryMark begin = mark_memory();
  std::unique_ptr<char[]> left(kept(new char[200]));
  std::unique_ptr<char[]> freed(kept(new char[3000]));
  const MemoryMark end = mark_memory();
  const std::unique_ptr<char[]> later(kept(new char[40'000]));
  freed.reset();
  EXPECT_EQ(alive_of("phase", begin, end), "200 in 1 of 3200 in 2");
  EXPECT_EQ(alive_of("phase", begin), "40200 in 2 of 43200 in 3");
  left.reset();
  EXPECT_EQ(alive_of("phase", begin, end), "0 in 0 of 3200 in 2");
}

TEST_F(Memory, ABlockOlderThanAMarkIsNotInItsPhaseWhenFreed) {
  const MemoryScope scope("older");
  std::unique_ptr<char[]> before(kept(new char[10]));
  const MemoryMark begin = mark_memory();
  before.reset();
  EXPECT_EQ(alive_of("older", begin), "0 in 0 of 0 in 0");
}

TEST_F(Memory, TheNumberOfMarksIsLimited) {
  EXPECT_EQ(exit_code_of_child([] {
              try {
                for (std::size_t i = 0; i <= MemoryMark::kMost; ++i)
                  static_cast<void>(mark_memory());
              } catch (const std::length_error&) {
                return true;
              }
              return false;
            }),
            0);
}

// ---- Peaks.

TEST_F(Memory, ThePeakOfATagPersists) {
  const MemoryScope scope("peak");
  {
    const std::unique_ptr<char[]> one(kept(new char[6000]));
    const std::unique_ptr<char[]> two(kept(new char[4000]));
  }
  const std::unique_ptr<char[]> now(kept(new char[5000]));
  EXPECT_EQ(memory_of("peak").peak_bytes, 10'000U);
  EXPECT_EQ(memory_of("peak").live_bytes, 5000U);
}

TEST_F(Memory, ThePeakOfAllIsThatOfOneTime) {
  const std::uint64_t live = memory_report().all.live_bytes;
  constexpr std::uint64_t kBig = 100'000'000;  // more than everything else
  for (const char* const tag : {"first", "second"}) {
    const MemoryScope scope(tag);
    delete[] kept(new char[kBig]);
  }
  const MemoryReport report = memory_report();
  EXPECT_GE(report.all.peak_bytes, live + kBig);
  EXPECT_LT(report.all.peak_bytes, live + kBig + 1'000'000);
  EXPECT_EQ(find(report.tags, "first").peak_bytes, kBig);
  EXPECT_EQ(find(report.tags, "second").peak_bytes, kBig);
}

// ---- Out of memory

TEST_F(Memory, WithoutMemoryItThrowsOrReturnsNull) {
  constexpr std::size_t kTooMuch = std::size_t{1} << 62U;
  volatile std::size_t size = kTooMuch;
  EXPECT_THROW(static_cast<void>(kept(::operator new(size))), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(kept(::operator new[](size, std::align_val_t{64}))),
               std::bad_alloc);
  EXPECT_EQ(kept(::operator new(size, std::nothrow)), nullptr);
  size = SIZE_MAX;
  EXPECT_EQ(kept(::operator new(size, std::nothrow)), nullptr);
}

TEST_F(Memory, AThrowingNewHandlerMakesTheNothrowFormReturnNull) {
  struct NoMore {};
  std::set_new_handler([] { throw NoMore(); });
  volatile std::size_t size = std::size_t{1} << 62U;
  EXPECT_EQ(kept(::operator new(size, std::nothrow)), nullptr);
  EXPECT_EQ(kept(::operator new[](size, std::align_val_t{64}, std::nothrow)), nullptr);
  EXPECT_THROW(static_cast<void>(kept(::operator new(size))), NoMore);
  std::set_new_handler(nullptr);
}

TEST_F(Memory, TheNewHandlerIsCalled) {
  static int asked = 0;
  std::set_new_handler([] {
    if (++asked == 3) std::set_new_handler(nullptr);
  });
  volatile std::size_t size = std::size_t{1} << 62U;
  EXPECT_EQ(kept(::operator new(size, std::nothrow)), nullptr);
  EXPECT_EQ(asked, 3);
}

// ---- Tags.

TEST_F(Memory, EqualTextIsTheSameTag) {
  static const std::string one = "same";  // names of tags must stay valid
  static const std::string other = "same";
  ASSERT_NE(one.c_str(), other.c_str());
  for (const char* const name : {one.c_str(), other.c_str()}) {
    const MemoryScope scope(name);
    delete kept(new int);
  }
  EXPECT_EQ(memory_of("same").allocated_blocks, 2U);
}

TEST_F(Memory, TagsBeyondTheLimitAreReportedTogether) {
  EXPECT_EQ(exit_code_of_child([] {
              static std::array<std::string, 100> names;
              for (std::size_t i = 0; i < names.size(); ++i) {
                names[i] = "tag " + std::to_string(i);
                const MemoryScope scope(names[i].c_str());
                delete kept(new int);
              }
              const MemoryReport report = memory_report();
              std::uint64_t blocks = 0;
              for (const TagMemory& tag : report.tags) {
                if (tag.tag.starts_with("tag ") || tag.tag == "(more tags)") {
                  blocks += tag.allocated_blocks;
                }
              }
              return blocks == names.size() &&
                     find(report.tags, "(more tags)").allocated_blocks > 36;
            }),
            0);
}

// ---- fork().

TEST_F(Memory, AForkedChildContinuesCountingIndependently) {
  std::unique_ptr<char[]> block;
  {
    const MemoryScope scope("fork");
    block.reset(kept(new char[100]));
  }
  EXPECT_EQ(exit_code_of_child([&] {
              if (figures(memory_of("fork")) != "100 in 1 of 100 in 1") return false;
              block.reset();
              std::thread([] {
                const MemoryScope inner("fork");
                delete kept(new std::array<char, 11>);
              }).join();
              return figures(memory_of("fork")) == "0 in 0 of 111 in 2";
            }),
            0);
  EXPECT_EQ(figures(memory_of("fork")), "100 in 1 of 100 in 1");
}

TEST_F(Memory, AForkDuringAllocationsLeavesNothingLocked) {
  base::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!done.load(base::memory_order_relaxed)) delete[] kept(new char[9000]);
    });
  }
  EXPECT_TRUE(succeeds_in_children(30, [] {
    for (int n = 0; n < 20; ++n) delete[] kept(new char[9000]);
    return !memory_report().sites.empty();
  }));
  done.store(true, base::memory_order_relaxed);
  for (std::thread& thread : threads) thread.join();
}

// ---- Samples.

[[gnu::noinline]] void allocate_small(std::vector<std::unique_ptr<char[]>>& blocks) {
  for (int i = 0; i < 100'000; ++i) blocks.emplace_back(kept(new char[64]));
}

[[gnu::noinline]] void allocate_large(std::vector<std::unique_ptr<char[]>>& blocks) {
  for (int i = 0; i < 1000; ++i) blocks.emplace_back(kept(new char[6400]));
}

bool leads_through(const base::Stack& stack, const std::string& function) {
  const auto frames = base::frames_of(stack);
  return std::any_of(frames.begin(), frames.end(), [&](const base::Frame& frame) {
    return frame.function.find(function) != std::string::npos;
  });
}

// The sum of all sites whose stack contains the function.
AllocationSite site_of(const std::string& function) {
  AllocationSite sum;
  for (const AllocationSite& site : memory_report().sites) {
    if (!leads_through(site.stack, function)) continue;
    sum.samples += site.samples;
    sum.live_bytes += site.live_bytes;
    sum.live_blocks += site.live_blocks;
    sum.allocated_bytes += site.allocated_bytes;
    sum.allocated_blocks += site.allocated_blocks;
  }
  return sum;
}

TEST_F(Memory, SamplesEstimateAllocationsOfAnySize) {
  if (!leads_through(base::Stack::here(), "SamplesEstimateAllocationsOfAnySize")) {
    GTEST_SKIP() << "this build does not have function names";
  }
  {
    std::vector<std::unique_ptr<char[]>> blocks;
    blocks.reserve(101'000);
    allocate_small(blocks);
    allocate_large(blocks);
    // Both allocate 6,400,000 bytes: about 1,550 of the small blocks are sampled, and 790 of the
    // large ones. Six standard deviations are 15 % and 11 %.
    const AllocationSite small = site_of("allocate_small");
    EXPECT_NEAR(static_cast<double>(small.live_bytes), 6.4e6, 0.15 * 6.4e6);
    EXPECT_NEAR(static_cast<double>(small.live_blocks), 1e5, 0.15 * 1e5);
    const AllocationSite large = site_of("allocate_large");
    EXPECT_NEAR(static_cast<double>(large.live_bytes), 6.4e6, 0.11 * 6.4e6);
    EXPECT_NEAR(static_cast<double>(large.live_blocks), 1e3, 0.11 * 1e3);
  }
  // All samples are removed, so nothing is left of the estimate.
  EXPECT_EQ(site_of("allocate_small").live_bytes, 0U);
  EXPECT_EQ(site_of("allocate_large").live_blocks, 0U);
  EXPECT_GT(site_of("allocate_large").allocated_blocks, 800U);
}

// ---- The report.

TEST_F(Memory, TheReportHasALineForEachTag) {
  const MemoryScope scope("told");
  const std::unique_ptr<char[]> block(kept(new char[3000]));
  const std::string text = memory_report().text(3);
  const std::size_t line = text.find("\ntold ");
  ASSERT_NE(line, std::string::npos) << text;
  EXPECT_NE(text.find("2.9 KiB", line), std::string::npos) << text;
  EXPECT_NE(text.find("\nall "), std::string::npos) << text;
  EXPECT_NE(text.find("one sample per 4.0 KiB"), std::string::npos) << text;
}

std::vector<std::string> names_of_tags() {
  std::vector<std::string> names;
  for (std::size_t number = 0; number < kMemoryTags; ++number) {
    const char* const name = MemoryTagNames::name_of(number);
    names.emplace_back(name == nullptr ? "" : name);
  }
  return names;
}

TEST_F(Memory, ShowingTagsDoesNotCreateNewOnes) {
  delete kept(new int);  // without a tag
  const std::vector<std::string> before = names_of_tags();
  Timeline timeline([](std::string_view) {});
  show_memory();
  EXPECT_EQ(names_of_tags(), before);
}

TEST_F(Memory, TheTimelineShowsLiveBytes) {
  std::string trace;
  Timeline timeline([&](std::string_view part) { trace += part; }, {.figures = show_memory});
  const MemoryScope scope("shown");
  const std::unique_ptr<char[]> block(kept(new char[12345]));
  timeline.stop();
  const std::size_t at = trace.rfind("\"memory: shown\"");
  ASSERT_NE(at, std::string::npos) << trace;
  EXPECT_NE(trace.find("\"value\":12345", at), std::string::npos) << trace.substr(at);
}

TEST_F(Memory, StartingTwiceHasNoEffect) {
  count_memory({.peak_grain = 1 << 20});
  EXPECT_TRUE(counts_memory());
  EXPECT_EQ(memory_report().sample_bytes, kOptions.sample_bytes);
}

}  // namespace
}  // namespace fathom::diag
