// Waves: the pieces of work, and how their results are put together.

#include "dups/wave.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "dups/buffer_size.h"
#include "dups/same_content.h"
#include "fathom/base/atomic.h"

namespace fathom::fs {

namespace {

// The first read of each file of a class: most files that differ do so early.
constexpr std::size_t kFirstBytes = 4 * kPage;
// Files that are hashed by a piece of work.
constexpr std::size_t kFilesPerPiece = 128;
// Segments of a wave: enough for all threads, and few enough to waste little if the files differ.
constexpr std::size_t kMaxSegments = 64;
constexpr std::size_t kMaxSegmentsOfPart = 4;

constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

// The members that all pieces share. Each piece writes its own elements of the vectors.
struct Wave {
  Wave(FileClass files_in, Reader& reader_in, WaveEnd end_in)
      : files(std::move(files_in)), reader(reader_in), end(std::move(end_in)) {}

  // Whether the caller is the last one to end a piece.
  bool end_piece() {
    // [V1] acq_rel: the thread that ends the wave sees the results of the others.
    return pieces_left.fetch_sub(1, base::memory_order_acq_rel) == 1;
  }

  FileClass files;
  Reader& reader;
  const WaveEnd end;
  std::uint64_t begin = 0;  // offset in each file, in bytes
  std::size_t length = 0;   // of a segment or block, in bytes
  base::atomic<std::size_t> pieces_left{0};
};

struct SegmentWave : Wave {
  using Wave::Wave;
  std::vector<std::vector<std::uint32_t>> labels;  // of each segment, from same_content()
};

struct HashWave : Wave {
  using Wave::Wave;
  std::vector<std::uint64_t> hashes;   // of each file
  std::vector<std::uint8_t> was_read;  // whether its hash is valid
};

// Files are equal if they are equal in every segment.
std::vector<std::uint32_t> labels_in_all(std::vector<std::vector<std::uint32_t>>& segments) {
  std::vector<std::uint32_t> labels = std::move(segments.front());
  for (std::size_t s = 1; s < segments.size(); ++s) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> both;
    for (std::uint32_t i = 0; i < labels.size(); ++i) {
      const std::uint32_t more = segments[s][i];
      labels[i] = labels[i] == kNotRead || more == kNotRead
                      ? kNotRead
                      : both.try_emplace({labels[i], more}, i).first->second;
    }
  }
  return labels;
}

// The label of a file is the first file with the same hash.
std::vector<std::uint32_t> labels_of_hashes(const HashWave& wave) {
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
  return labels;
}

// One segment of all files.
class Segment final : public WorkItem {
 public:
  Segment(std::shared_ptr<SegmentWave> wave, std::size_t number)
      : wave_(std::move(wave)), number_(number) {}

  void read(BlockBuffer& buffer) override {
    const FileClass& files = wave_->files;
    const std::uint64_t begin = wave_->begin + number_ * wave_->length;
    const auto length =
        static_cast<std::size_t>(std::min<std::uint64_t>(wave_->length, files.size - begin));
    for (const Findings::FileNumber file : files.files) {
      const std::span<std::byte> block = buffer.room(length);
      const bool ok = wave_->reader.read(file, files.size, begin, block);
      buffer.blocks.push_back(ok ? block : std::span<std::byte>());
    }
  }

  void compare(BlockBuffer& buffer) override {
    wave_->labels[number_] = same_content(buffer.blocks);
    if (!wave_->end_piece()) return;
    FileClass& files = wave_->files;
    files.compared =
        std::min<std::uint64_t>(files.size, wave_->begin + wave_->labels.size() * wave_->length);
    wave_->end(std::move(files), labels_in_all(wave_->labels));
  }

 private:
  const std::shared_ptr<SegmentWave> wave_;
  const std::size_t number_;
};

// The next block of some files.
class Hashing final : public WorkItem {
 public:
  Hashing(std::shared_ptr<HashWave> wave, std::size_t first, std::size_t end)
      : wave_(std::move(wave)), first_(first), end_(end) {}

  // Hashes while reading, because the files do not fit in the buffer together.
  void read(BlockBuffer& buffer) override {
    const FileClass& files = wave_->files;
    const std::span<std::byte> block = buffer.room(wave_->length);
    for (std::size_t i = first_; i < end_; ++i) {
      if (files.recalled && recall(i)) continue;
      const bool ok = wave_->reader.read(files.files[i], files.size, wave_->begin, block);
      wave_->was_read[i] = ok ? 1 : 0;
      if (ok) wave_->hashes[i] = files.recalled ? begin_hash_of(block) : content_hash(block);
    }
  }

  void compare(BlockBuffer& /*buffer*/) override {
    if (!wave_->end_piece()) return;
    // Hashes of beginnings may have been made to collide, so these bytes do not count as hashed.
    if (!wave_->files.recalled) wave_->files.hashed = wave_->begin + wave_->length;
    wave_->end(std::move(wave_->files), labels_of_hashes(*wave_));
  }

 private:
  // Whether the hash of a file's beginning is known.
  bool recall(std::size_t i) {
    const auto known = wave_->reader.begin_hash(wave_->files.files[i]);
    if (!known) return false;
    wave_->hashes[i] = *known;
    wave_->was_read[i] = 1;
    return true;
  }

  const std::shared_ptr<HashWave> wave_;
  const std::size_t first_;
  const std::size_t end_;
};

}  // namespace

WorkItems segment_wave(FileClass files, Reader& reader, WaveEnd end) {
  const std::uint64_t left = files.size - files.compared;
  const std::size_t count = files.files.size();
  // The parts of a class are enough for all threads.
  const std::size_t most = files.part_of == nullptr ? kMaxSegments : kMaxSegmentsOfPart;
  // A hash of one page tells little about whether the files differ early.
  const bool is_first = files.compared == 0 && files.hashed <= kPage;
  const auto wave = std::make_shared<SegmentWave>(std::move(files), reader, std::move(end));
  wave->begin = wave->files.compared;
  std::size_t segments = 1;
  if (fits_buffer(count, left)) {
    wave->length = static_cast<std::size_t>(left);
  } else {
    wave->length = shared_bytes(count);
    if (is_first) {
      wave->length = std::min(wave->length, kFirstBytes);
    } else {
      segments =
          static_cast<std::size_t>(std::min<std::uint64_t>(divided_up(left, wave->length), most));
    }
  }
  wave->labels.resize(segments);
  wave->pieces_left.store(segments, base::memory_order_relaxed);
  WorkItems work;
  for (std::size_t s = 0; s < segments; ++s) work.push_back(std::make_unique<Segment>(wave, s));
  return work;
}

WorkItems hash_wave(FileClass files, Reader& reader, WaveEnd end) {
  const std::size_t count = files.files.size();
  const auto wave = std::make_shared<HashWave>(std::move(files), reader, std::move(end));
  wave->begin = wave->files.hashed;
  wave->length = static_cast<std::size_t>(std::min<std::uint64_t>(
      wave->files.size - wave->begin, wave->begin == 0 ? kPage : kBufferBytes));
  wave->hashes.resize(count);
  wave->was_read.resize(count);
  WorkItems work;
  for (std::size_t first = 0; first < count; first += kFilesPerPiece) {
    work.push_back(std::make_unique<Hashing>(wave, first, std::min(first + kFilesPerPiece, count)));
  }
  wave->pieces_left.store(work.size(), base::memory_order_relaxed);
  return work;
}

}  // namespace fathom::fs
