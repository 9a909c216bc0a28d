// TempFolder: a directory of this process's own, gone with everything in it when the process ends.
//
//   const TempFolder folder;
//   GeneratedTree tree(folder.path() + "/flat", flat(100, 100));

#pragma once

#include <string>

namespace fathom::bench {

// At most one at a time, made before any thread is started. While it lives, SIGINT and SIGTERM
// remove it before they end the process.
class TempFolder {
 public:
  // In $TMPDIR, or else in /tmp. Throws base::SystemError when it cannot be made.
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
