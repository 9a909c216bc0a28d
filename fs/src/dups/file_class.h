// FileClass: candidates that are equal in everything compared so far.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dups/findings.h"

namespace fathom::fs {

class Verification;

struct FileClass {
  std::vector<Findings::FileNumber> files;
  std::uint64_t size = 0;                           // of each, in bytes
  std::uint64_t compared = 0;                       // this many of their bytes are equal
  std::uint64_t hashed = 0;                         // this many bytes have equal hashes
  std::shared_ptr<Verification> part_of = nullptr;  // the verification that it is part of, or null
  bool recalled = false;  // some of them are known: compare hashes of their beginnings first
};

}  // namespace fathom::fs
