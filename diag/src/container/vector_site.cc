// VectorSite: the registry of places, and the report.

#include "fathom/diag/vector_site.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>

#include "fathom/base/bytes.h"
#include "mind_forks.h"
#include "text_table.h"

namespace fathom::diag {

namespace {

// A place by its contents: the same literal may have several addresses.
using Key = std::tuple<std::string_view, std::uint32_t, std::string_view, std::size_t>;

struct Sites {
  std::mutex mutex;
  std::map<Key, std::unique_ptr<VectorSite>> sites;  // guarded by it

  static Sites& all() {
    static Sites* const sites = [] {
      mind_forks<Sites>();
      return new Sites;
    }();
    return *sites;
  }
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
};

std::string place_of(const VectorUsage& usage) {
  const std::size_t slash = usage.file.rfind('/');
  return usage.function + "() at " + usage.file.substr(slash == std::string::npos ? 0 : slash + 1) +
         ':' + std::to_string(usage.line);
}

}  // namespace

VectorSite& VectorSite::at(base::SourceLocation where, std::size_t element_bytes) {
  Sites& all = Sites::all();
  const Key key(where.file(), where.line(), where.function(), element_bytes);
  const std::lock_guard lock(all.mutex);
  std::unique_ptr<VectorSite>& site = all.sites[key];
  if (site == nullptr) site.reset(new VectorSite(where, element_bytes));
  return *site;
}

void VectorSite::raise(Sum& most, std::uint64_t to) noexcept {
  std::uint64_t known = most.load(base::memory_order_relaxed);
  while (to > known && !most.compare_exchange_weak(known, to, base::memory_order_relaxed)) {
  }
}

void VectorSite::take(const VectorCounts& counts) noexcept {
  add(reallocations_, counts.reallocations);
  add(reallocated_bytes_, counts.reallocated_bytes);
  add(shifted_, counts.shifted);
  raise(peak_size_, counts.peak_size);
  raise(peak_capacity_, counts.peak_capacity);
}

VectorUsage VectorSite::usage() const {
  const auto value = [](const Sum& sum) { return sum.load(base::memory_order_relaxed); };
  VectorUsage usage;
  usage.file = where_.file();
  usage.line = where_.line();
  usage.function = where_.function();
  usage.element_bytes = element_bytes_;
  const std::uint64_t ended = value(ended_);
  usage.vectors = value(vectors_);
  usage.live = usage.vectors - std::min(ended, usage.vectors);
  usage.copies = value(copies_);
  usage.copied_bytes = value(copied_bytes_);
  usage.moves = value(moves_);
  usage.reallocations = value(reallocations_);
  usage.reallocated_bytes = value(reallocated_bytes_);
  usage.finds = value(finds_);
  usage.compared = value(compared_);
  usage.shifted = value(shifted_);
  usage.peak_size = value(peak_size_);
  usage.peak_capacity = value(peak_capacity_);
  usage.unused_bytes = value(unused_bytes_);
  usage.reserved_bytes = value(reserved_bytes_);
  usage.reserve_used_bytes = value(reserve_used_bytes_);
  return usage;
}

VectorReport vector_report() {
  VectorReport report;
  {
    Sites& all = Sites::all();
    const std::lock_guard lock(all.mutex);
    for (const auto& [key, site] : all.sites) report.sites.push_back(site->usage());
  }
  const auto cost = [](const VectorUsage& usage) {
    return usage.copied_bytes + usage.reallocated_bytes +
           usage.element_bytes * (usage.shifted + usage.compared);
  };
  std::stable_sort(report.sites.begin(), report.sites.end(),
                   [&](const VectorUsage& a, const VectorUsage& b) { return cost(a) > cost(b); });
  return report;
}

std::string VectorReport::text(std::size_t most) const {
  TextTable table({"vectors made in", "made", "live", "copied", "moved", "grown", "bytes along",
                   "finds", "compared", "shifted", "most", "room", "unused", "reserved",
                   "of it used"});
  const std::size_t shown = std::min(most, sites.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const VectorUsage& site = sites[i];
    table.add({place_of(site), grouped(site.vectors), grouped(site.live), grouped(site.copies),
               grouped(site.moves), grouped(site.reallocations),
               base::format_bytes(site.reallocated_bytes + site.copied_bytes), grouped(site.finds),
               grouped(site.compared), grouped(site.shifted), grouped(site.peak_size),
               grouped(site.peak_capacity), base::format_bytes(site.unused_bytes),
               base::format_bytes(site.reserved_bytes),
               base::format_bytes(site.reserve_used_bytes)});
  }
  std::string text = table.text();
  if (shown < sites.size()) text += "and " + grouped(sites.size() - shown) + " more places\n";
  return text;
}

}  // namespace fathom::diag
