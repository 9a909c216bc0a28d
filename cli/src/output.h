// Output: where results go, standard output or a file.
//
// A regular file gets the results whole or not at all: they are written beside it, under a name of
// their own, and take its place in one step, with the permissions of the file that was there. What
// is no regular file (/dev/null, a pipe) or names an open descriptor (/dev/stderr, /dev/fd/3) is
// written directly, as is a file that its folder does not let be replaced.
//
//   Output output("sizes.json");  // throws before the work is done, if it would be in vain
//   output.write(text);

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fathom::cli {

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

  // Everything at once, and once only. Throws base::SystemError; a reader who has closed the pipe
  // has what it wanted, and that is no error.
  void write(std::string_view text);

 private:
  void open_directly(const std::string& path);
  void write_directly(std::string_view text);
  void replace(std::string_view text);

  std::string name_;     // for messages
  std::string path_;     // of the regular file to replace; empty when written directly
  int descriptor_ = -1;  // to write to directly
  bool owned_ = false;   // whether to close descriptor_
};

}  // namespace fathom::cli
