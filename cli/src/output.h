// Output: where results go, standard output or a file.
//
// A regular file gets the results whole or not at all: they are written beside it, under a name of
// their own, and take its place in one step, with the permissions of the file that was there. What
// is no regular file (/dev/null, a pipe) or names an open descriptor (/dev/stderr, /dev/fd/3) is
// written directly, as is a file that its folder does not let be replaced.
//
//   Output output("sizes.json");  // throws before the work is done, if it would be in vain
//   while (...) output.write(block);
//   output.finish();

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::cli {

class TemporaryFile;

class Output {
 public:
  // Without a path, or with "-": standard output. Throws base::SystemError when the file could not
  // be written; leaves no trace of having tried.
  explicit Output(const std::optional<std::string>& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // What to ask about the terminal; -1 when it is none.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  // The next part of the results: whether more is wanted. A reader who has closed the pipe has what
  // it wanted, and that is no error. Throws base::SystemError.
  bool write(std::string_view block);

  // Says that the results are whole. Until then a regular file is what it was. Throws
  // base::SystemError.
  void finish();

 private:
  void begin();
  void open_directly(const std::string& path);
  void begin_directly();
  void replace();

  std::string name_;                          // for messages
  std::string path_;                          // of the regular file to replace; empty: none
  std::unique_ptr<TemporaryFile> temporary_;  // what will replace it
  int descriptor_ = -1;                       // to write to directly
  bool owned_ = false;                        // whether to close descriptor_
  bool begun_ = false;                        // something was written
  bool closed_ = false;                       // the reader is gone
};

}  // namespace fathom::cli
