// TempFolder: a temporary directory, removed with its contents when the process ends.
//
//   const TempFolder folder;
//   GeneratedTree tree(folder.path() + "/flat", flat(100, 100));

#pragma once

#include <string>

namespace fathom::bench {

// At most one at a time, constructed before any thread is started. While it lives, SIGHUP, SIGINT
// and SIGTERM remove it before they end the process, unless they are ignored.
class TempFolder {
 public:
  // In $TMPDIR, or in /tmp if that is not set. Throws base::SystemError if it cannot be created.
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void remove_on_signal();

  std::string path_;
};

}  // namespace fathom::bench
