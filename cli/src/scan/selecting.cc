#include "scan/selecting.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "message.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

[[noreturn]] void cannot_read(const std::string& file, int error) {
  throw UsageError("cannot read the rules in " + escaped(file) + ": " +
                   std::generic_category().message(error));
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& file)
      : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  const int descriptor_;
};

std::string content_of(const std::string& file) {
  const Descriptor descriptor(file);
  if (descriptor.get() < 0) cannot_read(file, errno);
  std::string content;
  std::array<char, 16UL * 1024> block;
  for (;;) {
    const ssize_t got = ::read(descriptor.get(), block.data(), block.size());
    if (got > 0) content.append(block.data(), static_cast<std::size_t>(got));
    if (got == 0) return content;
    if (got < 0 && errno != EINTR) cannot_read(file, errno);
  }
}

}  // namespace

fs::SelectionAt selection_of(const ScanRequest& request) {
  fs::Selection selection = request.select.selection;
  selection.measure = request.measure;
  selection.one_file_system = request.one_file_system;
  for (const RuleSource& source : request.select.rules) {
    if (source.is_file) {
      selection.left_out.add_text(content_of(source.text));
    } else {
      selection.left_out.add_line(source.text);
    }
  }
  const auto newer = request.select.newer;
  const auto older = request.select.older;
  return [=](std::int64_t now) {
    fs::Selection at = selection;
    if (newer) at.newer_than = newer->before(now);
    if (older) at.older_than = older->before(now);
    return at;
  };
}

}  // namespace fathom::cli
