// find_open_files: reads the links in /proc/PID/fd, and /proc/PID/exe.

#include "os/open_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>

#include "fathom/base/fd.h"
#include "os/safe_open.h"

namespace fathom::act {

namespace {

struct CloseListing {
  void operator()(DIR* listing) const { ::closedir(listing); }
};
using Listing = std::unique_ptr<DIR, CloseListing>;

// The names of a directory that are numbers, in ascending order.
std::vector<std::uint64_t> numbers_in(const std::string& path) {
  std::vector<std::uint64_t> numbers;
  const Listing listing(::opendir(path.c_str()));
  if (!listing) return numbers;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && stop == name.data() + name.size()) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string program_of(const std::string& process) {
  const base::Fd file(::open((process + "/comm").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 64> name{};
  const ssize_t length = file ? ::read(file.get(), name.data(), name.size()) : 0;
  std::string program(name.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  if (program.ends_with('\n')) program.pop_back();
  return program;
}

class Search {
 public:
  explicit Search(const std::vector<std::string>& below) : below_(below) {}

  OpenFiles run() {
    const auto self = static_cast<std::uint64_t>(::getpid());
    for (const std::uint64_t process : numbers_in("/proc")) {
      if (process != self) look_into(process);
    }
    return std::move(found_);
  }

 private:
  void look_into(std::uint64_t process) {
    const std::string folder = "/proc/" + std::to_string(process);
    look_at(folder + "/exe", process, folder);
    for (const std::uint64_t number : numbers_in(folder + "/fd")) {
      look_at(folder + "/fd/" + std::to_string(number), process, folder);
    }
  }

  // The path in the link comes first: the status of a file on a server that does not respond would
  // block the search.
  void look_at(const std::string& link, std::uint64_t process, const std::string& folder) {
    std::array<char, 4096> target{};
    const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
    if (length <= 0) return;
    const std::string_view path(target.data(), static_cast<std::size_t>(length));
    const auto has_it = [&](const std::string& top) { return path == top || is_below(path, top); };
    if (std::none_of(below_.begin(), below_.end(), has_it)) return;
    struct stat seen = {};
    if (::stat(link.c_str(), &seen) != 0 || S_ISDIR(seen.st_mode)) return;
    const auto [place, fresh] = found_.try_emplace({seen.st_dev, seen.st_ino});
    if (fresh) place->second = {process, program_of(folder)};
  }

  const std::vector<std::string>& below_;
  OpenFiles found_;
};

}  // namespace

OpenFiles find_open_files(const std::vector<std::string>& below) {
  return Search(below).run();
}

}  // namespace fathom::act
