// Reader: reads pieces of candidates, and ensures that all pieces of a file are of the same state.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dups/candidates.h"
#include "dups/findings.h"
#include "dups/paths.h"
#include "dups/recollection.h"
#include "fathom/base/atomic.h"
#include "os/input_file.h"

namespace fathom::fs {

// Any thread may call it, except that the first piece of a file must be read by a single thread.
class Reader {
 public:
  using FileNumber = Findings::FileNumber;

  // `recollection`: null if there is none.
  Reader(const Paths& paths, Candidates& candidates, Findings& findings, Recollection* recollection,
         const DuplicateOptions& options)
      : paths_(paths),
        candidates_(candidates),
        findings_(findings),
        recollection_(recollection),
        drop_cache_(options.drop_cache),
        age_(options.age) {}

  // Whether `into` was filled from the offset on, with bytes of the scanned file of that size, in
  // the same state as when its first piece was read, or of another one that is known to have the
  // same content. If not, the reason was added to the findings.
  bool read(FileNumber number, std::uint64_t size, std::uint64_t offset, std::span<std::byte> into);

  // The offset of the next byte of a file, which was read before, that is not in a hole; at most
  // its size. `offset` if that is not known.
  [[nodiscard]] std::uint64_t data_from(FileNumber number, std::uint64_t size,
                                        std::uint64_t offset) const;

  // What is known of the beginning of a file; see Recollection.
  [[nodiscard]] std::optional<std::uint32_t> begin_hash(FileNumber number) const {
    return recollection_ != nullptr ? recollection_->begin_hash(number) : std::nullopt;
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(base::memory_order_relaxed); }

 private:
  enum class Outcome { ok, failed, changed };

  bool read_file(FileNumber number, std::uint64_t size, std::uint64_t offset,
                 std::span<std::byte> into);
  Outcome read_open(const File& file, FileNumber number, std::uint64_t size, std::uint64_t offset,
                    std::span<std::byte> into, int& error);
  static bool ends_at(const File& file, std::uint64_t size);
  void cannot_open(FileNumber number, const std::string& path, int error);
  [[nodiscard]] bool is_as_known(const FileIdentity& now, const Candidate& candidate) const;

  const Paths& paths_;
  Candidates& candidates_;
  Findings& findings_;
  Recollection* const recollection_;
  const bool drop_cache_;
  const ScanAge age_;
  base::atomic<std::uint64_t> bytes_{0};
};

}  // namespace fathom::fs
