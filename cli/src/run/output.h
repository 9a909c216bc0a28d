// Output: the destination of results, standard output or a file.
//
// A regular file is replaced atomically: the results go to a temporary file in the same directory,
// which is then renamed over it, with the permissions of the old file. A path that is not a regular
// file (/dev/null, a pipe) or that names an open descriptor (/dev/stderr, /dev/fd/3) is written
// directly, as is a file that cannot be replaced in its directory. Symbolic links are followed as a
// shell does for `>`, and planted ones are refused (base/planted.h).
//
//   Output output("sizes.json");  // throws before the work, if the file cannot be written
//   while (...) output.write(block);
//   output.finish();

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/fs/sink.h"
#include "flags/common_request.h"

namespace fathom::cli {

class Interrupt;
class TemporaryFile;

class Output {
 public:
  // Whether a regular file that exists is replaced. If not, one that another program creates in the
  // meantime stays, too.
  enum class Existing { replace, keep };

  // Without a path, or with "-": standard output. Throws base::SystemError if the file cannot be
  // written, with EEXIST if it is to be kept. Changes nothing yet.
  explicit Output(const std::optional<std::string>& path, Existing existing = Existing::replace);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // The descriptor to query about a terminal; -1 for a regular file.
  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Writes the next part of the results. Returns whether to continue: false after the reader has
  // closed the pipe, which is not an error, and after an error, which finish() throws: it must not
  // end a run that acts on files in the middle.
  bool write(std::string_view block);

  // write(), for functions that take a sink. Must not outlive this.
  [[nodiscard]] fs::Sink sink() {
    return [this](std::string_view block) { return write(block); };
  }

  // Completes the results. A regular file is unchanged before this call. Throws base::SystemError,
  // with EEXIST as above.
  void finish();

 private:
  [[nodiscard]] std::string place_of(const std::string& path) const;
  [[noreturn]] void fail_planted() const;
  void begin();
  void open_directly(const std::string& path);
  void opened(base::Fd file, const std::string& path);
  void begin_directly();
  void replace();

  const Existing existing_;
  std::string name_;                          // for messages
  std::string path_;                          // of the regular file to replace; may be empty
  std::unique_ptr<TemporaryFile> temporary_;  // will replace it
  int descriptor_ = -1;                       // to write to directly
  base::Fd opened_;                           // descriptor_, if it was not open before
  bool begun_ = false;                        // something has been written
  bool closed_ = false;                       // the reader is gone
  std::optional<base::SystemError> failure_;  // of a write
};

// If a standard stream is closed, a file opened later would get its number and receive the output
// that is meant for the user. Opens each in the wrong direction, so that using it still fails. Ends
// the process if that is not possible. Call it once, at program start.
void open_missing_standard_streams();

// Writes a text on standard output. Returns the exit code kComplete.
int print(std::string_view text);

// The same after Interrupt::defer(): no signal ends the process, but the first one ends the wait
// for a reader. Returns false then. Throws base::SystemError.
bool print(std::string_view text, const Interrupt& interrupt);

// Opens the output of a command: the file that -o names, or standard output. Throws UsageError if
// it cannot be opened for writing; nothing has been done then.
[[nodiscard]] Output open_output(const CommonRequest& request);

// Throws UsageError if the results or the trace would replace a file: the plan or the journal,
// which `kind` says.
void require_other_output(const CommonRequest& request, const std::string& file,
                          std::string_view kind);

}  // namespace fathom::cli
