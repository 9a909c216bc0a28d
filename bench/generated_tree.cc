// GeneratedTree: creating sparse files, and counting directories at the end.

#include "generated_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/base/fd.h"

namespace fathom::bench {

namespace {

[[noreturn]] void fail(const char* doing, const std::string& path) {
  const int code = errno;
  throw base::SystemError("cannot " + std::string(doing) + ' ' + path, code);
}

std::string folder_name(std::size_t number) {
  return "folder-" + std::to_string(number);
}

// Sizes up to 64 KiB; consecutive files have different sizes.
std::uint64_t size_of_file(std::uint64_t number) {
  constexpr std::uint64_t kStep = 40503;
  constexpr std::uint64_t kLimit = 65536;
  return number * kStep % kLimit;
}

}  // namespace

Shape flat(std::size_t folders, std::size_t files_each) {
  Shape shape;
  for (std::size_t i = 0; i < folders; ++i) shape.push_back({folder_name(i), files_each});
  return shape;
}

Shape nested(std::size_t outer, std::size_t inner_each, std::size_t files_each) {
  Shape shape;
  for (std::size_t i = 0; i < outer; ++i) {
    shape.push_back({folder_name(i), 0});
    for (std::size_t j = 0; j < inner_each; ++j) {
      shape.push_back({folder_name(i) + '/' + folder_name(j), files_each});
    }
  }
  return shape;
}

Shape skewed(std::size_t heavy_files, std::size_t light_folders, std::size_t light_files_each) {
  Shape shape = flat(light_folders, light_files_each);
  shape.push_back({"heavy", heavy_files});
  return shape;
}

GeneratedTree::GeneratedTree(std::string path, const Shape& shape) : path_(std::move(path)) {
  if (::mkdir(path_.c_str(), 0755) != 0) fail("create directory", path_);
  for (const Folder& folder : shape) make(folder);
  // At the end, because directories grow while they are filled.
  count_directory(path_);
  for (const Folder& folder : shape) count_directory(path_ + '/' + folder.path);
}

void GeneratedTree::make(const Folder& folder) {
  const std::string path = path_ + '/' + folder.path;
  if (::mkdir(path.c_str(), 0755) != 0) fail("create directory", path);
  for (std::size_t i = 0; i < folder.files; ++i) make_file(path);
}

void GeneratedTree::make_file(const std::string& directory) {
  const std::string path = directory + "/file-" + std::to_string(files_) + ".dat";
  const std::uint64_t size = size_of_file(files_++);
  const base::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) fail("create file", path);
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) fail("set the size of", path);
  ++entries_;
  apparent_bytes_ += size;
}

void GeneratedTree::count_directory(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) fail("examine", path);
  ++entries_;
  apparent_bytes_ += static_cast<std::uint64_t>(status.st_size);
}

}  // namespace fathom::bench
