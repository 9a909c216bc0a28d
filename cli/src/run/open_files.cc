// about_open: names the process that has each file open.

#include "run/open_files.h"

#include <cstddef>

#include "term/number.h"

namespace fathom::cli {

std::vector<std::string> about_open(const std::vector<act::OpenFile>& files, base::Units units) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < files.size() && i < kMost; ++i) {
    const act::OpenFile& file = files[i];
    sentences.push_back(escaped(file.path) + " is open in process " + std::to_string(file.process) +
                        " (" + escaped(file.program) + "): its " +
                        base::format_bytes(file.bytes, units) + " become free when it is closed");
  }
  if (files.size() > kMost) {
    sentences.push_back(counted(files.size() - kMost, "more file is", "more files are") + " open");
  }
  return sentences;
}

}  // namespace fathom::cli
