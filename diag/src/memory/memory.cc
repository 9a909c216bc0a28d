// Memory: the public functions, the report as text, and counters on the timeline.

#include "fathom/diag/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "call_path.h"
#include "fathom/base/atomic.h"
#include "fathom/base/bytes.h"
#include "fathom/diag/span.h"
#include "memory/count.h"
#include "text_table.h"

namespace fathom::diag {

namespace {

std::uint64_t most_resident_bytes() {
  struct rusage used = {};
  if (::getrusage(RUSAGE_SELF, &used) != 0 || used.ru_maxrss <= 0) return 0;
  return static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
}

TextTable::Row row_of(const TagMemory& tag) {
  return {tag.tag,
          base::format_bytes(tag.live_bytes),
          grouped(tag.live_blocks),
          base::format_bytes(tag.peak_bytes),
          base::format_bytes(tag.allocated_bytes),
          grouped(tag.allocated_blocks)};
}

// Merges sites that differ only in calls that are not shown; keeps the order of the first of each.
std::vector<std::pair<std::string, AllocationSite>> by_path(
    const std::vector<AllocationSite>& sites) {
  constexpr std::size_t kMost = 64;
  std::vector<std::pair<std::string, AllocationSite>> paths;
  for (std::size_t i = 0; i < std::min(kMost, sites.size()); ++i) {
    std::string path = call_path(sites[i].stack, 8, "      ");
    const auto known = std::find_if(paths.begin(), paths.end(),
                                    [&](const auto& other) { return other.first == path; });
    if (known == paths.end()) {
      paths.emplace_back(std::move(path), sites[i]);
      continue;
    }
    known->second.samples += sites[i].samples;
    known->second.live_bytes += sites[i].live_bytes;
    known->second.live_blocks += sites[i].live_blocks;
    known->second.allocated_bytes += sites[i].allocated_bytes;
    known->second.allocated_blocks += sites[i].allocated_blocks;
  }
  std::stable_sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) {
    return a.second.live_bytes > b.second.live_bytes;
  });
  return paths;
}

std::string text_of(const AllocationSite& site) {
  return "  about " + base::format_bytes(site.live_bytes) + " live in " +
         grouped(site.live_blocks) + " blocks, of " + base::format_bytes(site.allocated_bytes) +
         " allocated in " + grouped(site.allocated_blocks) + " (" + grouped(site.samples) +
         (site.samples == 1 ? " sample)\n" : " samples)\n");
}

// The names of the tags' tracks, by number. Never freed, because events point to them.
constinit std::array<base::atomic<const std::string*>, kMemoryTags> tracks{};

const char* track_of(std::size_t tag, const std::string& name) {
  // [M5] acquire: pairs with the release below, which publishes the contents of the name.
  const std::string* known = tracks[tag].load(base::memory_order_acquire);
  if (known != nullptr) return known->c_str();
  auto made = std::make_unique<const std::string>("memory: " + name);
  if (!tracks[tag].compare_exchange_strong(known, made.get(), base::memory_order_acq_rel,
                                           base::memory_order_acquire)) {
    return known->c_str();
  }
  return made.release()->c_str();
}

}  // namespace

bool can_count_memory() noexcept {
  return MemoryCount::can_count();
}

bool counts_memory() noexcept {
  return MemoryCount::counts();
}

void count_memory(MemoryOptions options) {
  MemoryCount::start(options);
}

const char* tag_of(const void* block) noexcept {
  return MemoryCount::tag_of(block);
}

MemoryMark mark_memory() {
  return MemoryCount::mark();
}

std::vector<TagMemory> alive_since(MemoryMark since) {
  return MemoryCount::tags(MemoryCount::phase_of(since), kMemoryPhases);
}

std::vector<TagMemory> alive_between(MemoryMark since, MemoryMark until) {
  return MemoryCount::tags(MemoryCount::phase_of(since), MemoryCount::phase_of(until));
}

MemoryReport memory_report() {
  MemoryReport report = MemoryCount::report();
  report.most_resident_bytes = most_resident_bytes();
  return report;
}

std::string MemoryReport::text(std::size_t most_sites) const {
  TextTable table({"memory by tag", "live", "blocks", "peak", "allocated", "blocks"});
  for (const TagMemory& tag : tags) table.add(row_of(tag));
  table.add(row_of(all));
  std::string text = table.text();
  if (most_resident_bytes != 0) {
    text += "peak resident memory of the process: " + base::format_bytes(most_resident_bytes) +
            ", including memory that operator new did not allocate\n";
  }
  if (sites.empty() || most_sites == 0) return text;
  text += "allocation sites, one sample per " + base::format_bytes(sample_bytes) + ":\n";
  const auto paths = by_path(sites);
  for (std::size_t i = 0; i < std::min(most_sites, paths.size()); ++i) {
    text += text_of(paths[i].second) + paths[i].first;
  }
  if (paths.size() > most_sites) text += "  and others\n";
  return text;
}

void show_memory() noexcept try {
  if (Recording::now() == 0) return;
  const auto tags = MemoryCount::sums(0, kMemoryPhases);
  for (std::size_t number = 0; number < tags.size(); ++number) {
    if (tags[number].allocated_blocks == 0) continue;
    counter(track_of(number, tags[number].tag), tags[number].live_bytes);
  }
} catch (const std::exception&) {
  // The counters are only for display.
}

}  // namespace fathom::diag
