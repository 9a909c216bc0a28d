// Output: the destination of results, standard output or a file.
//
// A regular file is replaced atomically: the results go to a temporary file in the same directory,
// which is then renamed over it, with the permissions of the old file. A path that is not a regular
// file (/dev/null, a pipe) or that names an open descriptor (/dev/stderr, /dev/fd/3) is written
// directly, as is a file that cannot be replaced in its directory.
//
//   Output output("sizes.json");  // throws before the work, if the file cannot be written
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
  // Without a path, or with "-": standard output. Throws base::SystemError if the file cannot be
  // written. Changes nothing yet.
  explicit Output(const std::optional<std::string>& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // The descriptor to query about a terminal; -1 for a regular file.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Writes the next part of the results. Returns whether to continue: false after the reader has
  // closed the pipe, which is not an error. Throws base::SystemError.
  bool write(std::string_view block);

  // Completes the results. A regular file is unchanged before this call. Throws base::SystemError.
  void finish();

 private:
  void begin();
  void open_directly(const std::string& path);
  void begin_directly();
  void replace();

  std::string name_;                          // for messages
  std::string path_;                          // of the regular file to replace; may be empty
  std::unique_ptr<TemporaryFile> temporary_;  // will replace it
  int descriptor_ = -1;                       // to write to directly
  bool owned_ = false;                        // whether to close descriptor_
  bool begun_ = false;                        // something has been written
  bool closed_ = false;                       // the reader is gone
};

}  // namespace fathom::cli
