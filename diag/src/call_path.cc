// CallPath: choosing and shortening the frames that a reader needs.

#include "call_path.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace fathom::diag {

namespace {

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [text](std::string_view beginning) { return text.starts_with(beginning); });
}

// Removes the types of the parameters: "f(int) const" becomes "f".
std::string_view without_parameters(std::string_view function) {
  std::string_view name = function;
  if (name.ends_with(" const")) name.remove_suffix(6);
  if (!name.ends_with(')')) return function;
  int depth = 0;
  std::size_t at = name.size();
  do {
    --at;
    depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
  } while (depth != 0 && at > 0);
  name = name.substr(0, at);
  return name.empty() || name.ends_with("operator") || name.ends_with("::") ? function : name;
}

// The last folder and the file name.
std::string_view short_file(std::string_view file) {
  std::size_t slash = file.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return file;
  slash = file.rfind('/', slash - 1);
  return slash == std::string_view::npos ? file : file.substr(slash + 1);
}

bool is_of_profiler(const base::Frame& frame) {
  return begins_with_any(
             frame.function,
             {"fathom::diag::Memory", "fathom::diag::BasicProfiledMutex",
              "fathom::diag::LockProfile", "fathom::diag::CallSite", "fathom::base::Stack"}) ||
         frame.file.ends_with("/fathom/diag/profiled_mutex.h") ||
         frame.file.ends_with("/fathom/diag/lock_profile.h");
}

// The names of function templates begin with their return types.
bool is_of_standard_library(const base::Frame& frame) {
  return begins_with_any(frame.function, {"std::", "__gnu_cxx::", "void std::"}) ||
         frame.file.find("/include/c++/") != std::string::npos;
}

// The frames that operator new has called belong to the profiler, if it is among the innermost
// ones.
std::vector<base::Frame>::const_iterator after_operator_new(
    const std::vector<base::Frame>& frames) {
  constexpr std::ptrdiff_t kMost = 16;
  const auto end = frames.begin() + std::min<std::ptrdiff_t>(kMost, std::ssize(frames));
  const auto found = std::find_if(frames.begin(), end, [](const base::Frame& frame) {
    return frame.function.starts_with("operator new");
  });
  return found == end ? frames.begin() : found + 1;
}

}  // namespace

bool is_of_library(const base::Frame& frame) {
  return is_of_profiler(frame) || is_of_standard_library(frame);
}

std::string call_text(const base::Frame& frame) {
  std::string text(frame.function.empty() ? "?" : without_parameters(frame.function));
  if (frame.file.empty()) return text;
  text += " at ";
  text += short_file(frame.file);
  if (frame.line != 0) text += ':' + std::to_string(frame.line);
  return text;
}

std::string call_path(const base::Stack& stack, std::size_t most, const std::string& indent) {
  const std::vector<base::Frame> frames = base::frames_of(stack);
  std::string text;
  for (auto at = after_operator_new(frames); at != frames.end() && most > 0; ++at) {
    if (is_of_library(*at) || (at->function.empty() && at->file.empty())) continue;
    text += indent + call_text(*at) + '\n';
    --most;
  }
  return text.empty() ? indent + "unknown stack\n" : text;
}

}  // namespace fathom::diag
