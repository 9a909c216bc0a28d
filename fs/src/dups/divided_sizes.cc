// DividedSizes: sorts the contents of all groups of a size by their hashes.

#include "dups/divided_sizes.h"

#include <algorithm>
#include <utility>

#include "dups/same_content.h"

namespace fathom::fs {

struct DividedSizes::Division {
  // Files of one group that are equal.
  struct Content {
    std::uint64_t hash;
    std::uint32_t first;  // index in files
    std::uint32_t count;
  };

  explicit Division(const Candidates::Division& of) : size(of.size), groups_left(of.groups) {}

  const std::uint64_t size;  // of each, in bytes
  std::mutex mutex;          // guards what follows
  std::uint32_t groups_left;
  std::vector<Content> contents;
  std::vector<Findings::FileNumber> files;
};

DividedSizes::DividedSizes(const Candidates& candidates, Findings& findings) : findings_(findings) {
  for (const Candidates::Division& division : candidates.divisions()) {
    divisions_.push_back(std::make_unique<Division>(division));
  }
}

DividedSizes::~DividedSizes() = default;

std::vector<FileClass> DividedSizes::add(const Candidates::Group& group,
                                         std::span<const std::span<std::byte>> blocks) {
  Division& division = *divisions_[group.division];
  const std::vector<std::uint32_t> labels = same_content(blocks);
  {
    const std::lock_guard lock(division.mutex);
    for_each_label(labels, [&](std::span<const std::uint32_t> places) {
      division.contents.push_back({content_hash(blocks[places.front()]),
                                   static_cast<std::uint32_t>(division.files.size()),
                                   static_cast<std::uint32_t>(places.size())});
      for (const std::uint32_t place : places) division.files.push_back(group.first + place);
    });
    if (--division.groups_left > 0) return {};
  }
  return end(division);  // this was the last group
}

// Contents with different hashes differ. Contents of the same group were already compared.
std::vector<FileClass> DividedSizes::end(Division& division) {
  std::vector<Division::Content> contents = std::move(division.contents);
  const std::vector<Findings::FileNumber> files = std::move(division.files);
  std::sort(contents.begin(), contents.end(), [](const auto& a, const auto& b) {
    return std::pair(a.hash, a.first) < std::pair(b.hash, b.first);
  });
  std::vector<FileClass> unknown;
  for (std::size_t i = 0; i < contents.size();) {
    FileClass all{.files = {}, .size = division.size};
    const std::size_t first = i;
    for (; i < contents.size() && contents[i].hash == contents[first].hash; ++i) {
      const auto begin = files.begin() + contents[i].first;
      all.files.insert(all.files.end(), begin, begin + contents[i].count);
    }
    if (all.files.size() < 2) continue;
    if (i - first == 1) {
      findings_.add_group(division.size, all.files);
    } else {
      unknown.push_back(std::move(all));
    }
  }
  return unknown;
}

void DividedSizes::end_early() {
  for (const auto& division : divisions_) {
    for (const Division::Content& content : division->contents) {
      if (content.count < 2) continue;
      const std::span<const Findings::FileNumber> files = division->files;
      findings_.add_group(division->size, files.subspan(content.first, content.count));
    }
  }
}

}  // namespace fathom::fs
