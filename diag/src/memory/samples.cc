// MemorySamples: a map of stacks and a map of live sampled blocks.

#include "memory/samples.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fathom::diag {

namespace {

std::uint64_t rounded(double estimate) {
  return static_cast<std::uint64_t>(std::llround(std::max(estimate, 0.0)));
}

}  // namespace

MemorySamples& MemorySamples::all() {
  static MemorySamples* const samples = new MemorySamples;
  return *samples;
}

void MemorySamples::add(const void* block, double bytes, double blocks) {
  base::Stack stack = base::Stack::here();
  const std::lock_guard lock(mutex_);
  Site& site = site_of(std::move(stack));
  blocks_.insert_or_assign(block, Block{&site, bytes, blocks});
  ++site.samples;
  site.live_bytes += bytes;
  site.live_blocks += blocks;
  site.allocated_bytes += bytes;
  site.allocated_blocks += blocks;
}

MemorySamples::Site& MemorySamples::site_of(base::Stack stack) {
  Frames frames(stack.frames().begin(), stack.frames().end());
  if (sites_.size() >= kMostStacks && !sites_.contains(frames)) {
    frames.clear();
    stack = {};
  }
  const auto [at, is_new] = sites_.try_emplace(std::move(frames));
  if (is_new) at->second.stack = std::move(stack);
  return at->second;
}

void MemorySamples::remove(const void* block) noexcept {
  const std::lock_guard lock(mutex_);
  remove_locked(block);
}

void MemorySamples::remove_locked(const void* block) noexcept {
  const auto at = blocks_.find(block);
  if (at == blocks_.end()) return;
  at->second.site->live_bytes -= at->second.bytes;
  at->second.site->live_blocks -= at->second.blocks;
  blocks_.erase(at);
}

std::vector<AllocationSite> MemorySamples::sites() {
  std::vector<AllocationSite> sites;
  const std::lock_guard lock(mutex_);
  sites.reserve(sites_.size());
  for (const auto& [frames, site] : sites_) {
    sites.push_back({.stack = site.stack,
                     .samples = site.samples,
                     .live_bytes = rounded(site.live_bytes),
                     .live_blocks = rounded(site.live_blocks),
                     .allocated_bytes = rounded(site.allocated_bytes),
                     .allocated_blocks = rounded(site.allocated_blocks)});
  }
  return sites;
}

}  // namespace fathom::diag
