// Subdirectories: names, one after the other.

#include "walk/subdirectories.h"

#include <cstring>

namespace fathom::fs {

Subdirectories::Subdirectories(Directory& in) : in_(in) {
  in_.share();
  if (in_.held()) in_.use_descriptor();
}

Subdirectories::~Subdirectories() {
  if (in_.held()) in_.done_with_descriptor();
  in_.release();
}

void Subdirectories::add(std::string_view name, std::uint64_t inode, bool picked) {
  char header[kHeader];
  std::memcpy(header, &inode, sizeof inode);
  header[sizeof inode] = picked ? 1 : 0;
  waiting_.append(header, kHeader).append(name).push_back('\0');
  ++size_;
}

std::size_t Subdirectories::length_at(std::size_t at) const {
  return kHeader + std::strlen(waiting_.c_str() + at + kHeader) + 1;
}

Directory* Subdirectories::take() {
  std::uint64_t inode = 0;
  const char* const next = waiting_.c_str() + at_;
  std::memcpy(&inode, next, sizeof inode);
  auto* const directory =
      new Directory(in_, next + kHeader, next[sizeof inode] != 0, nullptr, inode);
  at_ += length_at(at_);
  --size_;
  return directory;
}

std::unique_ptr<Subdirectories> Subdirectories::split() {
  auto half = std::make_unique<Subdirectories>(in_);
  const std::size_t kept = size_ - size_ / 2;
  std::size_t end = at_;
  for (std::size_t i = 0; i < kept; ++i) end += length_at(end);
  half->waiting_ = waiting_.substr(end);
  half->size_ = size_ - kept;
  waiting_.resize(end);
  size_ = kept;
  return half;
}

void Subdirectories::run(unsigned worker) noexcept {
  in_.visitor().visit_subdirectories(*this, worker);
}

}  // namespace fathom::fs
