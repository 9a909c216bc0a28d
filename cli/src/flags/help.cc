// Help: the text of `fathom COMMAND -h` and `fathom COMMAND --help`.

#include "flags/help.h"

#include <algorithm>
#include <cstddef>

#include "term/number.h"
#include "term/wrapped.h"

namespace fathom::cli {

namespace {

constexpr unsigned kHelpColumn = 28;
constexpr unsigned kHelpWidth = 80;

// Appends the text, wrapped between words. The current line already has `margin` columns, and the
// following lines are indented by as many.
void append_wrapped(std::string& help, std::string_view text, unsigned margin) {
  help += wrapped(text, margin, kHelpWidth) + '\n';
}

void append_flag(std::string& help, const Flag& flag, std::string_view text) {
  std::string names = "  " + usage_of(flag);
  names.resize(std::max<std::size_t>(names.size() + 2, kHelpColumn), ' ');
  help += names;
  append_wrapped(help, text, kHelpColumn);
}

std::string usage(const Manual& manual) {
  return "Usage: fathom " + std::string(manual.command) + " [OPTION...] " +
         std::string(manual.operands) + '\n';
}

}  // namespace

std::string usage_of(const Flag& flag) {
  std::string text = flag.letter == '\0' ? "    " : "";
  for (const std::string& spelling : spellings(flag)) {
    if (spelling.starts_with("--") && flag.letter != '\0') text += ", ";
    text += spelling;
  }
  if (flag.arg != Arg::none) text += ' ' + std::string(flag.metavar);
  return text;
}

std::string flags_help(const Manual& manual) {
  std::string help;
  for (const FlagHeading& heading : manual.headings) {
    if (!help.empty()) help += '\n';
    help += std::string(heading.title) + ":\n";
    for (const Flag& flag : manual.flags) {
      if (flag.group == heading.group) append_flag(help, flag, help_of(flag));
    }
  }
  return help;
}

std::string full_help(const Manual& manual) {
  std::string help = std::string(manual.purpose) + "\n\n" + usage(manual) + '\n';
  append_wrapped(help, manual.introduction, 0);
  help += '\n' + flags_help(manual);
  for (const HelpSection& section : manual.sections) {
    help += '\n' + std::string(section.title) + ":\n  ";
    append_wrapped(help, section.text, 2);
  }
  help += "\nExit codes:\n";
  for (const ExitMeaning& exit : manual.exits) {
    help += right(std::to_string(exit.code), 5) + "  ";
    append_wrapped(help, exit.meaning, 7);
  }
  return help;
}

std::string brief_help(const Manual& manual) {
  std::string help = std::string(manual.in_short) + "\n\n" + usage(manual) + '\n';
  for (const Flag& flag : manual.flags) {
    if (flag.common) append_flag(help, flag, brief_of(flag));
  }
  const std::string command(manual.command);
  return help + '\n' + std::string(manual.examples) + "\n`fathom " + command +
         " --help` and `man fathom-" + command + "` describe all " +
         std::to_string(manual.flags.size()) + " options.\n";
}

std::string help_text(const Manual& manual, Help help) {
  return help == Help::full ? full_help(manual) : brief_help(manual);
}

}  // namespace fathom::cli
