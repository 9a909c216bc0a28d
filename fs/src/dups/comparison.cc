// Comparison: reads the candidates and refines classes of equal files; see comparison.h.

#include "dups/comparison.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dups/buffer_size.h"
#include "dups/same_content.h"
#include "dups/verification.h"
#include "dups/wave.h"
#include "fathom/base/saturating.h"

namespace fathom::fs {

namespace {

// Files of small groups that share a buffer.
constexpr std::size_t kMaxFilesInBatch = 512;

// Whether the files of a group are read at once, and compared.
bool is_read_whole(const Candidates::Group& group) {
  return !group.recalled && fits_buffer(group.count, group.size);
}

}  // namespace

Comparison::Comparison(const Candidates& candidates, Reader& reader, Findings& findings,
                       const Recollection* recollection, rt::CancelToken cancel,
                       const rt::Observer* observer)
    : candidates_(candidates),
      reader_(reader),
      findings_(findings),
      recollection_(recollection),
      divided_sizes_(candidates, findings),
      slots_([this] { return next_groups(); }, std::move(cancel), observer) {}

// ---- Groups of candidates

// Adjacent groups that fit in a buffer together, whole, or one group that does not.
class Comparison::Groups final : public WorkItem {
 public:
  Groups(Comparison& in, std::span<const Candidates::Group> groups) : in_(in), groups_(groups) {}

  void read(BlockBuffer& buffer) override {
    std::vector<FileNumber> order;
    for (const Candidates::Group& group : groups_) {
      if (!is_read_whole(group)) return;  // it is alone: see compare()
      for (FileNumber file = group.first; file < group.first + group.count; ++file) {
        order.push_back(file);
        buffer.blocks.push_back(buffer.room(static_cast<std::size_t>(group.size)));
      }
    }
    // On most filesystems this approximates their order on the disk.
    const std::vector<Candidate>& files = in_.candidates_.files();
    std::sort(order.begin(), order.end(),
              [&](FileNumber a, FileNumber b) { return files[a].inode < files[b].inode; });
    const FileNumber first = groups_.front().first;
    for (const FileNumber file : order) {
      std::span<std::byte>& block = buffer.blocks[file - first];
      if (!in_.reader_.read(file, block.size(), 0, block)) block = {};
    }
  }

  void compare(BlockBuffer& buffer) override {
    if (buffer.blocks.empty()) {
      const Candidates::Group& group = groups_.front();
      FileClass all{.files = std::vector<FileNumber>(group.count),
                    .size = group.size,
                    .recalled = group.recalled};
      std::iota(all.files.begin(), all.files.end(), group.first);
      return in_.go_on(std::move(all));
    }
    std::span<const std::span<std::byte>> blocks = buffer.blocks;
    for (const Candidates::Group& group : groups_) {
      in_.compare(group, blocks.first(group.count));
      blocks = blocks.subspan(group.count);
    }
  }

 private:
  Comparison& in_;
  const std::span<const Candidates::Group> groups_;
};

std::unique_ptr<WorkItem> Comparison::next_groups() {
  const std::span<const Candidates::Group> groups = candidates_.groups().subspan(next_group_);
  if (groups.empty()) return nullptr;
  std::size_t count = 0;
  std::size_t bytes = 0;
  std::size_t files = 0;
  for (const Candidates::Group& group : groups) {
    if (!is_read_whole(group)) break;
    if (files > 0 && files + group.count > kMaxFilesInBatch) break;
    bytes += group.count * aligned(group.size);
    files += group.count;
    if (bytes > kBufferBytes) break;
    ++count;
  }
  count = std::max<std::size_t>(count, 1);
  next_group_ += count;
  return std::make_unique<Groups>(*this, groups.first(count));
}

// The blocks are the whole files of the group.
void Comparison::compare(const Candidates::Group& group,
                         std::span<const std::span<std::byte>> blocks) {
  count_done({.files = {}, .size = group.size}, group.count);
  if (group.division != Candidates::kWhole) {
    for (FileClass& next : divided_sizes_.add(group, blocks)) go_on(std::move(next));
    return;
  }
  for_each_label(same_content(blocks), [&](std::vector<FileNumber>& files) {
    if (files.size() < 2) return;
    for (FileNumber& file : files) file += group.first;
    findings_.add_group(group.size, files);
  });
}

// ---- Refining classes

void Comparison::go_on(FileClass next) {
  if (is_done(next)) return count_done(next, next.files.size());
  if (next.compared == next.size) {
    findings_.add_group(next.size, next.files);
    return count_done(next, next.files.size());
  }
  const bool is_hashed = next.hashed == next.size;
  const std::size_t count = next.files.size();
  const bool share_buffer =
      !next.recalled && (is_hashed || fits_segments(count, next.size - next.compared));
  const std::uint64_t before = next.compared;
  skip_holes(next, share_buffer ? next.compared : next.hashed);
  add_bytes_done(next.compared - before, count);
  const std::size_t most = files_per_part(next.size - next.compared);
  if (is_hashed && count > most) {
    for (FileClass& part : Verification::parts(std::move(next), most)) go_on(std::move(part));
    return;
  }
  const auto end = [this, before = next.compared](const FileClass& files,
                                                  std::span<const std::uint32_t> labels) {
    add_bytes_done(files.compared - before, files.files.size());
    split(files, labels);
  };
  slots_.add((share_buffer ? segment_wave : hash_wave)(std::move(next), reader_, end));
}

// Moves the offset at which the files are read next to where any of them has data. Their last bytes
// are always read, so that a file that has changed meanwhile is noticed.
void Comparison::skip_holes(const FileClass& files, std::uint64_t& offset) const {
  std::uint64_t to = files.size == 0 ? 0 : (files.size - 1) / kPage * kPage;
  for (const FileNumber file : files.files) {
    if (to <= offset) return;
    to = std::min(to, reader_.data_from(file, files.size, offset));
  }
  offset = to;
}

// Continues with the classes that this one splits into: files with the same label.
void Comparison::split(const FileClass& parent, std::span<const std::uint32_t> labels) {
  std::vector<std::uint32_t> counts(labels.size());
  for (const std::uint32_t label : labels) {
    if (label != kNotRead) ++counts[label];
  }
  // Most files have no equal. Nothing is stored for those, because there may be millions.
  std::map<std::uint32_t, std::vector<FileNumber>> classes;
  std::size_t alone = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool is_alone = labels[i] == kNotRead || counts[labels[i]] == 1;
    if (is_alone && parent.part_of == nullptr) {
      ++alone;
    } else {
      classes[labels[i]].push_back(parent.files[i]);
    }
  }
  if (parent.part_of != nullptr) return split_part(parent, classes);
  count_done(parent, alone);
  for (auto& [label, files] : classes) {
    go_on({std::move(files), parent.size, parent.compared, parent.hashed});
  }
}

void Comparison::split_part(const FileClass& part,
                            const std::map<std::uint32_t, std::vector<FileNumber>>& classes) {
  Verification::Progress progress = part.part_of->add(part, classes);
  count_done(part, progress.unread);
  for (FileClass& next : progress.next) go_on(std::move(next));
}

// Whether no two files of the class may be equal.
bool Comparison::is_done(const FileClass& files) const {
  if (files.files.size() < 2) return true;
  return recollection_ != nullptr && files.part_of == nullptr && files.compared < files.size &&
         recollection_->are_apart(files.files);
}

// Nothing more will be read of that many files of the class.
void Comparison::count_done(const FileClass& of, std::size_t files) {
  add_bytes_done(of.size - of.compared, files);
  files_done_.fetch_add(files, base::memory_order_relaxed);
}

void Comparison::add_bytes_done(std::uint64_t of_each, std::size_t files) {
  const std::uint64_t bytes = base::saturating_mul(of_each, files);
  std::uint64_t done = bytes_done();
  while (!bytes_done_.compare_exchange_weak(done, base::saturating_add(done, bytes),
                                            base::memory_order_relaxed)) {
  }
}

}  // namespace fathom::fs
