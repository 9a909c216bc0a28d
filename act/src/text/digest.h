// TextDigest: a short name for a text, unique for all practical purposes.
//
// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/. It detects that the wrong plan was
// given. A collision is harmless: the digest is not a security boundary.

#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace fathom::act {

class TextDigest {
 public:
  void add(std::string_view block) {
    for (const char byte : block) {
      hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
  }

  [[nodiscard]] std::string text() const {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash_));
    return text.data();
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace fathom::act
