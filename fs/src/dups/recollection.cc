// Recollection: looks up each candidate, and puts those that need not be read behind the others.

#include "dups/recollection.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "dups/same_content.h"

namespace fathom::fs {

// A candidate, and what is known of it, or null.
struct KnownCandidate {
  Candidate file;
  const ComparedFile* known;
};

namespace {

bool by_content(const KnownCandidate& a, const KnownCandidate& b) {
  return std::tuple(a.known->search, a.known->content, a.file.inode) <
         std::tuple(b.known->search, b.known->content, b.file.inode);
}

bool is_same_content(const ComparedFile& a, const ComparedFile& b) {
  return a.search == b.search && a.content == b.content;
}

// Whether two contents are known to differ.
bool differ(const ComparedFile& a, const ComparedFile& b) {
  return a.begin_hash != b.begin_hash || (a.search == b.search && a.content != b.content);
}

// Whether each of the contents is known to differ from all others.
bool all_differ(std::vector<const ComparedFile*> contents) {
  std::sort(contents.begin(), contents.end(), [](const auto* a, const auto* b) {
    return std::pair(a->begin_hash, a->search) < std::pair(b->begin_hash, b->search);
  });
  return std::adjacent_find(contents.begin(), contents.end(), [](const auto* a, const auto* b) {
           return !differ(*a, *b);
         }) == contents.end();
}

}  // namespace

// ---- Arranging the candidates

class Recollection::Arranging {
 public:
  explicit Arranging(Recollection& to) : to_(to), before_(to.candidates_.files()) {}

  void run() {
    const std::vector<Candidates::Group> groups(to_.candidates_.groups().begin(),
                                                to_.candidates_.groups().end());
    std::vector<std::vector<Candidates::Group>> divided(to_.candidates_.divisions().size());
    for (const Candidates::Group& group : groups) {
      if (group.division != Candidates::kWhole) divided[group.division].push_back(group);
    }
    std::vector<bool> is_known(divided.size());
    for (const Candidates::Group& group : groups) {
      if (group.division == Candidates::kWhole) {
        if (!add_size({&group, 1})) keep(group);
        continue;
      }
      const auto all = std::exchange(divided[group.division], {});
      if (!all.empty()) is_known[group.division] = add_size(all);
      if (!is_known[group.division]) keep(group);
    }
    finish();
  }

 private:
  // Takes all groups of a size, unless none of their files is known.
  bool add_size(std::span<const Candidates::Group> groups) {
    std::vector<KnownCandidate> known;
    std::vector<KnownCandidate> unknown;
    for (const Candidates::Group& group : groups) {
      for (std::uint32_t i = group.first; i < group.first + group.count; ++i) {
        const KnownCandidate file{before_[i], to_.known_state(before_[i])};
        (file.known != nullptr ? known : unknown).push_back(file);
      }
    }
    if (known.empty()) return false;
    std::sort(known.begin(), known.end(), by_content);
    const std::vector<std::span<KnownCandidate>> contents = contents_in(known);
    if (unknown.empty() && all_apart(contents)) {
      for (const auto content : contents) add_content(content, settled_);
    } else {
      add_mixed(groups.front().size, unknown, contents);
    }
    return true;
  }

  void keep(Candidates::Group group) {
    const std::uint32_t first =
        std::exchange(group.first, static_cast<std::uint32_t>(read_.size()));
    for (std::uint32_t i = 0; i < group.count; ++i) read_.push_back({before_[first + i], nullptr});
    groups_.push_back(group);
  }

  void add_mixed(std::uint64_t size, std::span<KnownCandidate> unknown,
                 std::span<const std::span<KnownCandidate>> contents) {
    Candidates::Group group{.size = size,
                            .first = static_cast<std::uint32_t>(read_.size()),
                            .count = static_cast<std::uint32_t>(unknown.size() + contents.size()),
                            .recalled = true};
    // On most filesystems this approximates their order on the disk.
    std::sort(unknown.begin(), unknown.end(),
              [](const auto& a, const auto& b) { return a.file.inode < b.file.inode; });
    read_.insert(read_.end(), unknown.begin(), unknown.end());
    for (const auto content : contents) {
      firsts_.push_back({static_cast<std::uint32_t>(read_.size()),
                         static_cast<std::uint32_t>(others_.size()),
                         static_cast<std::uint32_t>(content.size() - 1)});
      read_.push_back(content.front());
      others_.insert(others_.end(), content.begin() + 1, content.end());
    }
    groups_.push_back(group);
  }

  static std::vector<std::span<KnownCandidate>> contents_in(std::span<KnownCandidate> known) {
    std::vector<std::span<KnownCandidate>> contents;
    for (auto first = known.begin(); first != known.end();) {
      const auto end = std::find_if_not(first, known.end(), [&](const KnownCandidate& file) {
        return is_same_content(*first->known, *file.known);
      });
      contents.emplace_back(first, end);
      first = end;
    }
    return contents;
  }

  static bool all_apart(std::span<const std::span<KnownCandidate>> contents) {
    std::vector<const ComparedFile*> known;
    for (const auto content : contents) known.push_back(content.front().known);
    return all_differ(std::move(known));
  }

  void add_content(std::span<const KnownCandidate> content, std::vector<KnownCandidate>& to) {
    settled_counts_.push_back(static_cast<std::uint32_t>(content.size()));
    to.insert(to.end(), content.begin(), content.end());
  }

  // Puts the candidates in order: first the files to read, then the other files that are known to
  // have the same content as one of these, and last the files that need not be read at all.
  void finish() {
    std::vector<KnownCandidate> all = std::move(read_);
    const auto others = static_cast<FileNumber>(all.size());
    all.insert(all.end(), others_.begin(), others_.end());
    to_.settled_ = static_cast<FileNumber>(all.size());
    all.insert(all.end(), settled_.begin(), settled_.end());
    to_.contents_of_.assign(all.size(), kNone);
    for (const First& first : firsts_) {
      begin_content();
      add_member(first.file);
      for (std::uint32_t i = 0; i < first.count; ++i) add_member(others + first.other + i);
    }
    FileNumber next = to_.settled_;
    for (const std::uint32_t count : settled_counts_) {
      begin_content();
      for (std::uint32_t i = 0; i < count; ++i) add_member(next++);
    }
    hand_over(all);
  }

  void begin_content() {
    to_.contents_.push_back({static_cast<std::uint32_t>(to_.members_.size()), 0});
  }

  void add_member(FileNumber file) {
    to_.members_.push_back(file);
    ++to_.contents_.back().count;
    to_.contents_of_[file] = static_cast<std::uint32_t>(to_.contents_.size() - 1);
  }

  void hand_over(std::span<const KnownCandidate> all) {
    std::vector<Candidate> files;
    files.reserve(all.size());
    to_.known_.reserve(all.size());
    for (const auto& [file, known] : all) {
      Candidate& now = files.emplace_back(file);
      to_.known_.push_back(known);
      if (known == nullptr) continue;
      now.read = true;
      now.mtime_ns = known->mtime_ns;
      now.ctime_ns = known->ctime_ns;
    }
    to_.candidates_.rearrange(std::move(files), std::move(groups_));
  }

  // The file that is read for a content, and the others.
  struct First {
    FileNumber file;
    std::uint32_t other;  // index in others_
    std::uint32_t count;
  };

  Recollection& to_;
  const std::vector<Candidate>& before_;
  std::vector<Candidates::Group> groups_;
  std::vector<KnownCandidate> read_;
  std::vector<KnownCandidate> others_;
  std::vector<KnownCandidate> settled_;
  std::vector<First> firsts_;
  std::vector<std::uint32_t> settled_counts_;  // of each content
};

Recollection::Recollection(const Tree& tree, Candidates& candidates, const DuplicateMemory& memory)
    : tree_(tree),
      candidates_(candidates),
      memory_(memory),
      filesystems_(memory.known.filesystems) {
  number_filesystems();
  Arranging(*this).run();
  begins_.resize(candidates.files().size());
  equals_.assign(candidates.files().size(), kNone);
}

// Of two devices with the same identity, such as copies of a disk, neither is known.
void Recollection::number_filesystems() {
  std::map<std::string, int> uses;
  for (const auto& [device, id] : memory_.filesystems) ++uses[id];
  for (const auto& [device, id] : memory_.filesystems) {
    if (uses[id] > 1) continue;
    const auto at = std::find(filesystems_.begin(), filesystems_.end(), id);
    const auto place = at - filesystems_.begin();
    if (place >= std::numeric_limits<std::uint16_t>::max()) continue;
    if (at == filesystems_.end()) filesystems_.push_back(id);
    places_.emplace(device, static_cast<std::uint16_t>(place));
  }
}

const ComparedFile* Recollection::known_state(const Candidate& file) const {
  const auto place = places_.find(candidates_.device(file));
  if (place == places_.end()) return nullptr;
  const Times times = tree_.times(file.node);
  return memory_.known.find(place->second,
                            {0, file.inode, tree_.size(file.node), times.mtime, times.ctime});
}

// ---- What was known

std::span<const Recollection::FileNumber> Recollection::same_as(const FileNumber& file) const {
  const std::uint32_t content = contents_of_[file];
  if (content == kNone) return {&file, 1};
  return std::span(members_).subspan(contents_[content].first, contents_[content].count);
}

std::optional<std::uint32_t> Recollection::begin_hash(FileNumber file) const {
  if (known_[file] == nullptr) return std::nullopt;
  return known_[file]->begin_hash;
}

bool Recollection::are_apart(std::span<const FileNumber> files) const {
  std::vector<const ComparedFile*> known;
  for (const FileNumber file : files) {
    if (known_[file] == nullptr) return false;
    known.push_back(known_[file]);
  }
  return all_differ(std::move(known));
}

std::vector<Recollection::FileNumber> Recollection::repeated_contents() const {
  std::vector<FileNumber> firsts;
  for (const Content& content : contents_) {
    if (content.count > 1) firsts.push_back(members_[content.first]);
  }
  return firsts;
}

// ---- What is found out

void Recollection::note_begin(FileNumber file, std::span<const std::byte> bytes) {
  begins_[file] = begin_hash_of(bytes);
}

void Recollection::note_equal(std::span<const FileNumber> files) {
  for (const FileNumber file : files) equals_[file] = numbers_;
  ++numbers_;
}

ComparedFiles Recollection::learned(const std::function<bool(FileNumber)>& dropped) const {
  ComparedFiles learned{.filesystems = filesystems_, .files = {}};
  std::uint32_t next = numbers_;
  for (FileNumber file = 0; file < candidates_.files().size(); ++file) {
    if (dropped(file)) continue;
    std::optional<ComparedFile> about = learned_of(file);
    if (!about) continue;
    about->day = memory_.today;
    if (about->search == kThisSearch) {
      about->content = equals_[file] != kNone ? equals_[file] : next++;
    }
    learned.files.push_back(*about);
  }
  return learned;
}

// Without the day and, if it was compared by this search, the number of the content.
std::optional<ComparedFile> Recollection::learned_of(FileNumber number) const {
  if (number >= settled_) return *known_[number];
  const Candidate& file = candidates_.files()[number];
  const auto place = places_.find(candidates_.device(file));
  const std::uint64_t size = tree_.size(file.node);
  const bool may_change_unseen = file.ctime_ns >= memory_.settled_before_ns;
  if (place == places_.end() || size == 0 || !file.read || may_change_unseen) return std::nullopt;
  return ComparedFile{.inode = file.inode,
                      .size = size,
                      .mtime_ns = file.mtime_ns,
                      .ctime_ns = file.ctime_ns,
                      .begin_hash = begin_hash(number).value_or(begins_[number]),
                      .search = kThisSearch,
                      .filesystem = place->second};
}

}  // namespace fathom::fs
