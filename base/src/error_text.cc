// ErrorText: formatting error chains for terminals, syslog and the journal.

#include "fathom/base/error_text.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "error_chain.h"
#include "printable.h"
#include "short_name.h"
#include "source_name.h"

namespace fathom::base {

namespace {

constexpr std::size_t kMaxFunction = 240;  // the longest function name shown, in bytes
constexpr std::size_t kMaxMessage = 4000;

enum class Ink { type, message, dim };

std::string painted(const std::string& text, Ink ink, bool color) {
  if (!color || text.empty()) return text;
  constexpr const char* kCodes[] = {"\x1b[1;31m", "\x1b[1m", "\x1b[2m"};
  return kCodes[static_cast<int>(ink)] + text + "\x1b[0m";
}

std::string hex(std::uintptr_t number) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (; number != 0 || text.empty(); number >>= 4)
    text.insert(text.begin(), kDigits[number & 0xf]);
  return "0x" + text;
}

std::string place(std::string_view file, std::uint32_t line) {
  std::string text = printable(source_name(file), kMaxFunction);
  if (line != 0) text += ':' + std::to_string(line);
  return text;
}

std::string address(const Frame& frame) {
  const std::size_t slash = frame.module.rfind('/');
  const std::string name = frame.module.substr(slash == std::string::npos ? 0 : slash + 1);
  return (name.empty() ? "?" : printable(name, kMaxFunction)) + '+' + hex(frame.offset);
}

// A function without a line is shown with its address, so that addr2line can find the line.
std::string frame_line(const Frame& frame, bool color) {
  const std::string function = printable(short_name(frame.function), kMaxFunction);
  std::string at = frame.file.empty() ? address(frame) : place(frame.file, frame.line);
  if (function.empty()) return at;
  return function + painted((frame.file.empty() ? " in " : " at ") + at, Ink::dim, color);
}

std::string what_is_left_out(const Calls& calls) {
  const std::string number = std::to_string(calls.left_out);
  if (calls.more) return "and " + number + " outer calls or more";
  return "and " + number + (calls.left_out == 1 ? " outer call" : " outer calls");
}

// The length of the run of equal frames from `at` on: a recursion.
std::size_t run_of(const Calls& calls, std::size_t at) {
  const auto same = [&calls, at](const Frame& frame) {
    const Frame& first = calls.frames[at];
    return frame.offset == first.offset && frame.module == first.module &&
           frame.function == first.function && frame.line == first.line;
  };
  std::size_t end = at + 1;
  while (end < calls.frames.size() && same(calls.frames[end])) ++end;
  return end - at;
}

void add_calls(std::vector<std::string>& lines, const Calls& calls, bool color) {
  for (std::size_t i = 0; i < calls.frames.size(); i += run_of(calls, i)) {
    lines.push_back(std::string(i < 10 ? 5 : 4, ' ') + std::to_string(i) + "  " +
                    frame_line(calls.frames[i], color));
    const std::size_t again = run_of(calls, i) - 1;
    if (again > 0) lines.push_back("        repeated " + std::to_string(again) + " more times");
  }
  if (calls.left_out != 0) lines.push_back("     " + what_is_left_out(calls));
}

std::string headline(const ErrorLink& link, bool color) {
  std::string line = painted(printable(short_name(link.type), kMaxFunction), Ink::type, color);
  if (!link.message.empty()) {
    line += ": " + painted(printable(link.message, kMaxMessage), Ink::message, color);
  }
  return line;
}

void add_link(std::vector<std::string>& lines, const ErrorLink& link, bool color) {
  lines.push_back((lines.empty() ? "" : "caused by ") + headline(link, color));
  if (!link.where) {
    lines.emplace_back("  thrown without a trace");
    return;
  }
  lines.push_back("  thrown in " + printable(link.where->function(), kMaxFunction) + "() at " +
                  place(link.where->file(), link.where->line()));
  add_calls(lines, link.calls, color);
}

std::vector<std::string> lines_of(const ErrorChain& chain, bool color) {
  std::vector<std::string> lines;
  for (const ErrorLink& link : chain.links) add_link(lines, link, color);
  if (chain.links.empty()) lines.emplace_back("no exception");
  if (chain.cut) lines.emplace_back("and more causes");
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

// All of the line is printable, so it may be cut anywhere except within a character.
std::string cut(std::string line, std::size_t most) {
  if (line.size() <= most) return line;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0u) == 0x80) --end;
  return line.substr(0, end) + "...";
}

std::vector<std::string> records_of(std::vector<std::string> lines) {
  for (std::string& line : lines) line = cut(std::move(line), kMaxSyslogBytes);
  return lines;
}

std::string journal_of(const ErrorChain& chain) {
  const ErrorLink first = chain.links.empty() ? ErrorLink() : chain.links.front();
  std::string record = "MESSAGE=" + headline(first, false) + "\nPRIORITY=3\n";
  record += "FATHOM_TYPE=" + printable(first.type) + '\n';
  if (first.where) {
    record += "CODE_FILE=" + printable(source_name(first.where->file())) + '\n';
    record += "CODE_LINE=" + std::to_string(first.where->line()) + '\n';
    record += "CODE_FUNC=" + printable(first.where->function()) + '\n';
  }
  for (const std::string& line : lines_of(chain, false)) record += "FATHOM_TRACE=" + line + '\n';
  return record;
}

}  // namespace

std::string error_text(const std::exception& error, ErrorTextOptions options) {
  return joined(lines_of(chain_of(error, options.frames), options.color));
}

std::string error_text(const std::exception_ptr& error, ErrorTextOptions options) {
  return joined(lines_of(chain_of(error, options.frames), options.color));
}

std::string stack_text(const Stack& stack, ErrorTextOptions options) {
  std::vector<std::string> lines;
  add_calls(lines, calls_of(stack, options.frames), options.color);
  return joined(lines);
}

std::vector<std::string> syslog_lines(const std::exception& error, ErrorTextOptions options) {
  return records_of(lines_of(chain_of(error, options.frames), false));
}

std::vector<std::string> syslog_lines(const std::exception_ptr& error, ErrorTextOptions options) {
  return records_of(lines_of(chain_of(error, options.frames), false));
}

std::vector<std::string> syslog_lines(const Stack& stack, ErrorTextOptions options) {
  std::vector<std::string> lines;
  add_calls(lines, calls_of(stack, options.frames), false);
  return records_of(std::move(lines));
}

std::string journal_record(const std::exception& error, ErrorTextOptions options) {
  return journal_of(chain_of(error, options.frames));
}

std::string journal_record(const std::exception_ptr& error, ErrorTextOptions options) {
  return journal_of(chain_of(error, options.frames));
}

}  // namespace fathom::base
