// The files of a snapshot: created in an open directory, and read at any offset.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fathom/base/fd.h"

namespace fathom::store {

// A new file that is being written. Throws base::SystemError if a call fails.
class NewFile {
 public:
  // Creates it; nobody else may read it. The name must not exist.
  NewFile(int folder, std::string name);

  void write(std::string_view bytes);

  // Writes it to the disk, and closes it.
  void finish();

 private:
  [[noreturn]] void fail(int code) const;

  std::string name_;
  base::Fd file_;
};

// An existing file. Any number of threads may read it.
class OldFile {
 public:
  // Opens a regular file in a directory, and no other; links are not followed. Throws
  // base::SystemError or base::Error, with a sentence about the file.
  OldFile(int folder, const std::string& name);

  [[nodiscard]] std::uint64_t size() const { return size_; }

  // Fills the buffer from an offset. Throws base::Error, also if the file is shorter now.
  void read(std::uint64_t offset, std::span<char> buffer) const;

 private:
  base::Fd file_;
  std::uint64_t size_ = 0;
};

// Opens a directory. Throws base::SystemError with its path.
[[nodiscard]] base::Fd open_folder(const std::string& path);

}  // namespace fathom::store
