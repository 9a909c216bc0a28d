// Comparison: reads the candidates and refines classes of equal files; see comparison.h.

#include "comparison.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "buffer_size.h"
#include "fathom/base/memory_tag.h"
#include "same_content.h"

namespace fathom::fs {

namespace {

using rt::TaskScheduler;

constexpr std::size_t kPage = 4096;
// The most files of a class that share a buffer, with at least one page of each.
constexpr std::size_t kMaxFilesPerBuffer = kBufferBytes / kPage;
// The first read of each file of a class: most files that differ do so early.
constexpr std::size_t kFirstBytes = 4 * kPage;
// Segments of a wave: enough for all threads, and few enough to waste little if the files differ.
constexpr std::size_t kMaxSegments = 64;
// Files of small groups that share a buffer.
constexpr std::size_t kMaxFilesInBatch = 512;

enum Channel : unsigned { kReading, kComparing, kChannels };

constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

// Calls function(places) with the indexes of each label, in ascending order.
template <class Function>
void for_each_class(std::span<const std::uint32_t> labels, const Function& function) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;  // label, index
  for (std::uint32_t place = 0; place < labels.size(); ++place) {
    if (labels[place] != kNotRead) sorted.emplace_back(labels[place], place);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    places.push_back(sorted[i].second);
    if (i + 1 < sorted.size() && sorted[i + 1].first == sorted[i].first) continue;
    function(places);
    places.clear();
  }
}

}  // namespace

// Files of one class that have equal hashes, to be compared with the first of them, in parts.
struct Comparison::Verification {
  Class files;
  std::mutex mutex;  // guards what follows
  std::size_t parts_left = 0;
  bool first_failed = false;      // reading it failed
  std::vector<FileNumber> equal;  // to the first
  std::vector<FileNumber> rest;   // to be compared among themselves
};

// The files of a size that has several groups.
struct Comparison::Division {
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
  std::vector<FileNumber> files;
};

struct Comparison::Work {
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  virtual ~Work() = default;
  virtual void read(Comparison& all, Slot& slot) const = 0;
  virtual void compare(Comparison& all, Slot& slot) const = 0;
};

struct Comparison::Groups final : Work {
  Groups(std::size_t first_in, std::size_t end_in) : first(first_in), end(end_in) {}
  void read(Comparison& all, Slot& slot) const override { all.read(slot, *this); }
  void compare(Comparison& all, Slot& slot) const override { all.compare(slot, *this); }

  const std::size_t first;
  const std::size_t end;
};

struct Comparison::Segment final : Work {
  Segment(std::shared_ptr<Wave> wave_in, std::size_t number_in)
      : wave(std::move(wave_in)), number(number_in) {}
  void read(Comparison& all, Slot& slot) const override { all.read(slot, *this); }
  void compare(Comparison& all, Slot& slot) const override { all.compare(slot, *this); }

  const std::shared_ptr<Wave> wave;
  const std::size_t number;
};

struct Comparison::Hashing final : Work {
  Hashing(std::shared_ptr<Wave> wave_in, std::size_t first_in, std::size_t end_in)
      : wave(std::move(wave_in)), first(first_in), end(end_in) {}
  void read(Comparison& all, Slot& slot) const override { all.read(slot, *this); }
  void compare(Comparison& all, Slot& slot) const override { all.compare(slot, *this); }

  const std::shared_ptr<Wave> wave;
  const std::size_t first;
  const std::size_t end;
};

struct Comparison::Slot {
  explicit Slot(Comparison& owner_in) : owner(owner_in) {}

  void clear() {
    used = 0;
    blocks.clear();
  }

  // The next part of the buffer, for a block.
  std::span<std::byte> room(std::size_t bytes) {
    if (!buffer) buffer.reset(new std::byte[kBufferBytes]);
    const std::span<std::byte> block{buffer.get() + used, bytes};
    used += aligned(bytes);
    return block;
  }

  Comparison& owner;
  std::unique_ptr<Work> work;
  std::unique_ptr<std::byte[]> buffer;
  std::size_t used = 0;                      // of the buffer
  std::vector<std::span<std::byte>> blocks;  // in the buffer; null: not read
};

Comparison::Comparison(const Candidates& candidates, Reader& reader, Findings& findings,
                       rt::CancelToken cancel, const rt::Observer* observer)
    : candidates_(candidates),
      reader_(reader),
      findings_(findings),
      cancel_(std::move(cancel)),
      observer_(observer) {
  for (const Candidates::Division& division : candidates.divisions()) {
    divisions_.push_back(std::make_unique<Division>(division));
  }
}

Comparison::~Comparison() {
  stopped_.store(true, base::memory_order_relaxed);
}

// ---- Slots

void Comparison::start(rt::Executor& executor, unsigned slots) {
  // A slot has two tasks, and two more while those two end; the places of finished tasks become
  // free only when their worker has finished its line of tasks.
  const std::uint32_t most = std::max(slots, executor.max_threads());
  const std::uint32_t places = 4 * most + TaskScheduler::kMostAtOnce * executor.max_threads();
  runner_ = std::make_unique<rt::TaskRunner>(
      executor,
      TaskScheduler::Options{.tasks = places, .dependencies = places, .channels = kChannels});
  grow(slots);
}

void Comparison::grow(unsigned slots) {
  while (slots_.size() < slots) {
    Slot& slot = *slots_.emplace_back(std::make_unique<Slot>(*this));
    {
      const std::lock_guard lock(mutex_);
      idle_slots_.reserve(++slot_count_);
    }
    assign_work(slot);
  }
}

bool Comparison::wait_for(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  const auto all_idle = [&] { return idle_slots_.size() == slot_count_; };
  if (!all_idle_.wait_for(lock, duration, all_idle)) return false;
  if (error_) std::rethrow_exception(error_);
  return true;
}

// Gives the slot new work, if there is any.
void Comparison::assign_work(Slot& slot) noexcept {
  try {
    if (begin_work(slot)) return;
  } catch (...) {
    fail(std::current_exception());
  }
  const std::lock_guard lock(mutex_);
  idle_slots_.push_back(&slot);  // cannot allocate: see grow()
  if (idle_slots_.size() == slot_count_) all_idle_.notify_all();
}

bool Comparison::begin_work(Slot& slot) {
  {
    const std::lock_guard lock(mutex_);
    slot.work = next_work();
  }
  if (slot.work == nullptr) return false;
  slot.clear();
  const auto read_task = [](TaskScheduler&, TaskScheduler::Handle, void* context) noexcept {
    auto& at = *static_cast<Slot*>(context);
    const base::MemoryTag tag("dups");
    try {
      const rt::ObservedPhase phase(at.owner.observer_, "read");
      at.work->read(at.owner, at);
    } catch (...) {
      at.owner.fail(std::current_exception());
    }
    return TaskScheduler::Outcome::done;
  };
  const auto compare_task = [](TaskScheduler&, TaskScheduler::Handle, void* context) noexcept {
    auto& at = *static_cast<Slot*>(context);
    const base::MemoryTag tag("dups");
    try {
      const rt::ObservedPhase phase(at.owner.observer_, "compare");
      if (!at.owner.is_over()) at.work->compare(at.owner, at);
    } catch (...) {
      at.owner.fail(std::current_exception());
    }
    at.owner.assign_work(at);
    return TaskScheduler::Outcome::done;
  };
  TaskScheduler& scheduler = runner_->scheduler();
  std::array<TaskScheduler::Handle, 2> tasks;
  auto status =
      scheduler.create({{read_task, &slot, kReading}, {compare_task, &slot, kComparing}}, tasks);
  if (status == TaskScheduler::Status::ok) {
    status = scheduler.add_dependencies(tasks[1], {tasks.data(), 1});
  }
  if (status == TaskScheduler::Status::ok) status = scheduler.ready(tasks[0]);
  if (status != TaskScheduler::Status::ok) {
    throw std::logic_error("each slot has room for its tasks");
  }
  return true;
}

// Call it with the mutex locked. Takes work that was begun first, to keep little work in progress.
std::unique_ptr<Comparison::Work> Comparison::next_work() {
  if (is_over()) return nullptr;
  if (!work_.empty()) {
    std::unique_ptr<Work> next = std::move(work_.front());
    work_.pop_front();
    return next;
  }
  if (next_group_ == candidates_.groups().size()) return nullptr;
  return next_groups();
}

// As many groups as fit in a buffer, or one that does not.
std::unique_ptr<Comparison::Work> Comparison::next_groups() {
  const std::span<const Candidates::Group> groups = candidates_.groups();
  const std::size_t first = next_group_;
  std::size_t bytes = 0;
  std::size_t files = 0;
  for (; next_group_ < groups.size(); ++next_group_) {
    const Candidates::Group& group = groups[next_group_];
    if (!fits_buffer(group.count, group.size)) break;
    if (files > 0 && files + group.count > kMaxFilesInBatch) break;
    bytes += group.count * aligned(group.size);
    files += group.count;
    if (bytes > kBufferBytes) break;
  }
  if (next_group_ == first) ++next_group_;
  return std::make_unique<Groups>(first, next_group_);
}

void Comparison::add_work(std::vector<std::unique_ptr<Work>> work) {
  std::vector<Slot*> called;
  {
    const std::lock_guard lock(mutex_);
    for (auto& one : work) work_.push_back(std::move(one));
    called.reserve(std::min(idle_slots_.size(), work.size()));
    while (called.size() < work.size() && !idle_slots_.empty()) {
      called.push_back(idle_slots_.back());
      idle_slots_.pop_back();
    }
  }
  for (Slot* const slot : called) assign_work(*slot);
}

void Comparison::fail(std::exception_ptr error) noexcept {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  stopped_.store(true, base::memory_order_relaxed);
}

// ---- Groups

void Comparison::read(Slot& slot, const Groups& groups) {
  std::vector<FileNumber> order;
  for (std::size_t g = groups.first; g < groups.end; ++g) {
    const Candidates::Group& group = candidates_.groups()[g];
    if (!fits_buffer(group.count, group.size)) return;  // it is alone: see compare()
    for (FileNumber file = group.first; file < group.first + group.count; ++file) {
      order.push_back(file);
      slot.blocks.push_back(slot.room(static_cast<std::size_t>(group.size)));
    }
  }
  // On most filesystems this approximates their order on the disk.
  const std::vector<Candidate>& files = candidates_.files();
  std::sort(order.begin(), order.end(),
            [&](FileNumber a, FileNumber b) { return files[a].inode < files[b].inode; });
  const FileNumber first = candidates_.groups()[groups.first].first;
  for (const FileNumber file : order) {
    const std::span<std::byte> block = slot.blocks[file - first];
    if (!reader_.read(file, block.size(), 0, block)) {
      slot.blocks[file - first] = {};
    }
  }
}

void Comparison::compare(Slot& slot, const Groups& groups) {
  std::size_t before = 0;  // blocks of earlier groups
  for (std::size_t g = groups.first; g < groups.end; ++g) {
    const Candidates::Group& group = candidates_.groups()[g];
    if (!fits_buffer(group.count, group.size)) {
      Class all;
      all.size = group.size;
      all.files.resize(group.count);
      std::iota(all.files.begin(), all.files.end(), group.first);
      go_on(std::move(all));
      return;
    }
    const auto blocks = std::span(slot.blocks).subspan(before, group.count);
    before += group.count;
    count_done({{}, group.size, 0, 0, nullptr}, group.count);
    if (group.division != Candidates::kWhole) {
      add_contents(*divisions_[group.division], group, blocks);
      continue;
    }
    for_each_class(same_content(blocks), [&](std::vector<FileNumber>& files) {
      if (files.size() < 2) return;
      for (FileNumber& file : files) file += group.first;
      findings_.add_group(group.size, files);
    });
  }
}

void Comparison::add_contents(Division& division, const Candidates::Group& group,
                              std::span<const std::span<std::byte>> blocks) {
  const std::vector<std::uint32_t> labels = same_content(blocks);
  std::unique_lock lock(division.mutex);
  for_each_class(labels, [&](std::span<const std::uint32_t> places) {
    division.contents.push_back({content_hash(blocks[places.front()]),
                                 static_cast<std::uint32_t>(division.files.size()),
                                 static_cast<std::uint32_t>(places.size())});
    for (const std::uint32_t place : places) division.files.push_back(group.first + place);
  });
  if (--division.groups_left > 0) return;
  lock.unlock();  // this was the last group
  end_division(division);
}

// Contents with different hashes differ. Contents of the same group were already compared.
void Comparison::end_division(Division& division) {
  std::vector<Division::Content> contents = std::move(division.contents);
  const std::vector<FileNumber> files = std::move(division.files);
  std::sort(contents.begin(), contents.end(), [](const auto& a, const auto& b) {
    return std::pair(a.hash, a.first) < std::pair(b.hash, b.first);
  });
  for (std::size_t i = 0; i < contents.size();) {
    Class all{{}, division.size, 0, 0, nullptr};
    const std::size_t first = i;
    for (; i < contents.size() && contents[i].hash == contents[first].hash; ++i) {
      const auto begin = files.begin() + contents[i].first;
      all.files.insert(all.files.end(), begin, begin + contents[i].count);
    }
    if (all.files.size() < 2) continue;
    if (i - first == 1) {
      findings_.add_group(division.size, all.files);
    } else {
      go_on(std::move(all));
    }
  }
}

void Comparison::end_early() {
  for (const auto& division : divisions_) {
    for (const Division::Content& content : division->contents) {
      if (content.count < 2) continue;
      const std::span<const FileNumber> files = division->files;
      findings_.add_group(division->size, files.subspan(content.first, content.count));
    }
  }
}

// ---- Segments

void Comparison::read(Slot& slot, const Segment& segment) {
  const Wave& wave = *segment.wave;
  const std::uint64_t begin = wave.begin + segment.number * wave.length;
  const auto length =
      static_cast<std::size_t>(std::min<std::uint64_t>(wave.length, wave.files.size - begin));
  for (const FileNumber file : wave.files.files) {
    const std::span<std::byte> block = slot.room(length);
    const bool ok = reader_.read(file, wave.files.size, begin, block);
    slot.blocks.push_back(ok ? block : std::span<std::byte>());
  }
}

void Comparison::compare(Slot& slot, const Segment& segment) {
  Wave& wave = *segment.wave;
  wave.labels[segment.number] = same_content(slot.blocks);
  // [V1] acq_rel: the thread that ends the wave sees the results of the others.
  if (wave.pieces_left.fetch_sub(1, base::memory_order_acq_rel) == 1) end_segments(wave);
}

// Files are equal if they are equal in every segment.
void Comparison::end_segments(Wave& wave) {
  std::vector<std::uint32_t> labels = std::move(wave.labels.front());
  for (std::size_t s = 1; s < wave.labels.size(); ++s) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> both;
    for (std::uint32_t i = 0; i < labels.size(); ++i) {
      const std::uint32_t more = wave.labels[s][i];
      labels[i] = labels[i] == kNotRead || more == kNotRead
                      ? kNotRead
                      : both.try_emplace({labels[i], more}, i).first->second;
    }
  }
  const std::uint64_t end =
      std::min<std::uint64_t>(wave.files.size, wave.begin + wave.labels.size() * wave.length);
  bytes_done_.fetch_add((end - wave.begin) * wave.files.files.size(), base::memory_order_relaxed);
  wave.files.compared = end;
  split(wave.files, labels);
}

// ---- Hashing

// Hashes while reading, because the files do not fit in the buffer together.
void Comparison::read(Slot& slot, const Hashing& hashing) {
  Wave& wave = *hashing.wave;
  const std::span<std::byte> block = slot.room(wave.length);
  for (std::size_t i = hashing.first; i < hashing.end; ++i) {
    const FileNumber file = wave.files.files[i];
    wave.was_read[i] = reader_.read(file, wave.files.size, wave.begin, block) ? 1 : 0;
    if (wave.was_read[i] != 0) wave.hashes[i] = content_hash(block);
  }
}

void Comparison::compare(Slot& /*slot*/, const Hashing& hashing) {
  Wave& wave = *hashing.wave;
  if (wave.pieces_left.fetch_sub(1, base::memory_order_acq_rel) == 1) end_hashing(wave);  // [V1]
}

void Comparison::end_hashing(Wave& wave) {
  // Sorted, because there may be millions: maps would take many times the memory.
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < wave.hashes.size(); ++i) {
    if (wave.was_read[i] != 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(wave.hashes[a], a) < std::pair(wave.hashes[b], b);
  });
  std::vector<std::uint32_t> labels(wave.hashes.size(), kNotRead);
  for (std::size_t n = 0, first = 0; n < order.size(); ++n) {
    if (wave.hashes[order[n]] != wave.hashes[order[first]]) first = n;
    labels[order[n]] = order[first];
  }
  wave.files.hashed = wave.begin + wave.length;
  split(wave.files, labels);
}

// ---- Refining classes

// Continues with the classes that this one splits into: files with the same label.
void Comparison::split(const Class& parent, std::span<const std::uint32_t> labels) {
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
    go_on({std::move(files), parent.size, parent.compared, parent.hashed, nullptr});
  }
}

void Comparison::go_on(Class next) {
  if (next.compared == next.size) {
    finish(next);
  } else if (next.files.size() <= kMaxFilesPerBuffer) {
    begin_segments(std::move(next));
  } else if (next.hashed < next.size) {
    begin_hashing(std::move(next));
  } else {
    begin_parts(std::move(next));
  }
}

void Comparison::begin_segments(Class next) {
  const std::uint64_t left = next.size - next.compared;
  const std::size_t files = next.files.size();
  const auto wave = std::make_shared<Wave>();
  wave->begin = next.compared;
  std::size_t segments = 1;
  if (fits_buffer(files, left)) {
    wave->length = static_cast<std::size_t>(left);
  } else {
    wave->length = kBufferBytes / files / kPage * kPage;
    if (next.compared == 0 && next.hashed == 0) {
      wave->length = std::min(wave->length, kFirstBytes);
    } else {
      segments = static_cast<std::size_t>(
          std::min<std::uint64_t>(divided_up(left, wave->length), kMaxSegments));
    }
  }
  wave->files = std::move(next);
  wave->labels.resize(segments);
  wave->pieces_left.store(segments, base::memory_order_relaxed);
  std::vector<std::unique_ptr<Work>> work;
  for (std::size_t s = 0; s < segments; ++s) work.push_back(std::make_unique<Segment>(wave, s));
  add_work(std::move(work));
}

void Comparison::begin_hashing(Class next) {
  const auto wave = std::make_shared<Wave>();
  wave->begin = next.hashed;
  wave->length = static_cast<std::size_t>(
      std::min<std::uint64_t>(next.size - next.hashed, next.hashed == 0 ? kPage : kBufferBytes));
  const std::size_t files = next.files.size();
  wave->files = std::move(next);
  wave->hashes.resize(files);
  wave->was_read.resize(files);
  std::vector<std::unique_ptr<Work>> work;
  for (std::size_t first = 0; first < files; first += kMaxFilesPerBuffer) {
    work.push_back(
        std::make_unique<Hashing>(wave, first, std::min(first + kMaxFilesPerBuffer, files)));
  }
  wave->pieces_left.store(work.size(), base::memory_order_relaxed);
  add_work(std::move(work));
}

void Comparison::finish(const Class& equal) {
  findings_.add_group(equal.size, equal.files);
  count_done(equal, equal.files.size());
}

// Nothing more will be read of that many files of the class.
void Comparison::count_done(const Class& of, std::size_t files) {
  bytes_done_.fetch_add((of.size - of.compared) * files, base::memory_order_relaxed);
  files_done_.fetch_add(files, base::memory_order_relaxed);
}

// ---- Parts

// Each part has the first file, and as many others as share a buffer with it.
void Comparison::begin_parts(Class next) {
  const auto all = std::make_shared<Verification>();
  all->files = std::move(next);
  const std::vector<FileNumber>& files = all->files.files;
  std::vector<Class> parts;
  for (std::size_t begin = 1; begin < files.size(); begin += kMaxFilesPerBuffer - 1) {
    Class& part = parts.emplace_back(
        Class{{files.front()}, all->files.size, all->files.compared, all->files.hashed, all});
    const std::size_t end = std::min(begin + kMaxFilesPerBuffer - 1, files.size());
    for (std::size_t i = begin; i < end; ++i) part.files.push_back(files[i]);
  }
  all->parts_left = parts.size();
  for (Class& part : parts) go_on(std::move(part));
}

// Files that differ from the first one are left for later; those that equal it continue.
void Comparison::split_part(const Class& parent,
                            const std::map<std::uint32_t, std::vector<FileNumber>>& classes) {
  const std::shared_ptr<Verification> all = parent.part_of;
  Class like_first{{}, parent.size, parent.compared, parent.hashed, all};
  bool first_failed = true;
  std::size_t unread = 0;
  std::unique_lock lock(all->mutex);
  for (const auto& [label, files] : classes) {
    const bool has_first = files.front() == all->files.files.front();
    if (label == kNotRead) {
      unread = files.size() - (has_first ? 1 : 0);
    } else if (has_first) {
      first_failed = false;
      like_first.files = files;
    } else {
      all->rest.insert(all->rest.end(), files.begin(), files.end());
    }
  }
  all->first_failed = all->first_failed || first_failed;
  if (like_first.files.size() > 1 && like_first.compared < like_first.size) {
    lock.unlock();
    count_done(parent, unread);
    return go_on(std::move(like_first));
  }
  if (like_first.files.size() > 1) {
    all->equal.insert(all->equal.end(), like_first.files.begin() + 1, like_first.files.end());
  }
  const bool last = --all->parts_left == 0;
  lock.unlock();
  count_done(parent, unread);
  if (last) end_parts(*all);
}

// If reading the first file failed in some parts, the files that equal it in the other parts are
// compared again, with another file: files of the failed parts may be equal to them.
void Comparison::end_parts(Verification& all) {
  if (all.first_failed) {
    all.rest.insert(all.rest.end(), all.equal.begin(), all.equal.end());
    count_done(all.files, 1);
  } else {
    all.equal.push_back(all.files.files.front());
    Class equal{std::move(all.equal), all.files.size, all.files.size, all.files.size, nullptr};
    if (equal.files.size() > 1) {
      finish(equal);
    } else {
      count_done(equal, 1);
    }
  }
  Class rest{std::move(all.rest), all.files.size, all.files.compared, all.files.hashed, nullptr};
  if (rest.files.size() > 1) {
    go_on(std::move(rest));
  } else {
    count_done(rest, rest.files.size());
  }
}

}  // namespace fathom::fs
