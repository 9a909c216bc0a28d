// ShortName: shortening the names of standard library types in demangled names.

#include "short_name.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace fathom::base {

namespace {

constexpr std::pair<std::string_view, std::string_view> kShorter[] = {
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
     "std::string"},
    {"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
    {"std::__cxx11::", "std::"},
    {"(anonymous namespace)::", ""},
    {"{anonymous}::", ""},
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The end of the template argument that begins at `at`, including nested angle brackets.
std::size_t end_of_argument(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && depth-- == 0) break;
    if (text[at] == ',' && depth == 0) break;
  }
  return at;
}

void drop_allocators(std::string& text) {
  constexpr std::string_view kAllocator = ", std::allocator<";
  for (std::size_t at = text.find(kAllocator); at != std::string::npos;
       at = text.find(kAllocator, at)) {
    std::size_t end = end_of_argument(text, at + 2);
    if (end < text.size() && text[end - 1] == ' ') --end;
    text.erase(at, end - at);
  }
}

}  // namespace

std::string short_name(std::string function) {
  for (const auto& [from, to] : kShorter) replace_all(function, from, to);
  drop_allocators(function);
  replace_all(function, " >", ">");
  return function;
}

}  // namespace fathom::base
