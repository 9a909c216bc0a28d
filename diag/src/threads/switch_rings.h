// SwitchRings: the rings, one for each CPU, in which the kernel records the switches of a process
// and of all that it creates.
//
//   SwitchRings rings(child);   // before the child calls exec(), from when on records are made
//   rings.read_until(now, [&](const SwitchRecord& record) { ... });   // in the order of time

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "fathom/base/fd.h"
#include "threads/switch_record.h"

namespace fathom::diag {

class SwitchRings {
 public:
  // Throws base::SystemError if the kernel refuses.
  explicit SwitchRings(long process);
  ~SwitchRings();
  SwitchRings(const SwitchRings&) = delete;
  SwitchRings& operator=(const SwitchRings&) = delete;

  // Descriptors that become readable when a ring is half full.
  [[nodiscard]] std::vector<int> descriptors() const;

  // Empties the rings and passes the records up to that time of the monotonic clock, in the order
  // of time; later ones are kept for the next call.
  void read_until(std::uint64_t time, const std::function<void(const SwitchRecord&)>& take);

  // Records that did not fit into the rings.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  struct Ring {
    base::Fd event;
    void* memory = nullptr;  // a page with the positions, then the records
    std::size_t bytes = 0;   // of the records; a power of two
  };

  [[nodiscard]] static bool map(Ring& ring);
  void read(Ring& ring);
  void add(const std::byte* ring, std::size_t bytes, std::uint64_t position, std::size_t length);

  std::vector<Ring> rings_;
  std::vector<SwitchRecord> waiting_;  // read, but later than the last call's time
  std::uint64_t lost_ = 0;
};

}  // namespace fathom::diag
