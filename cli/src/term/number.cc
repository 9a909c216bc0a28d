#include "term/number.h"

namespace fathom::cli {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t digits = 3; digits < text.size(); digits += 4) {
    text.insert(text.size() - digits, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + ' ' + std::string(number == 1 ? one : many);
}

std::string right(std::string_view text, std::size_t columns) {
  std::string padded(columns > text.size() ? columns - text.size() : 0, ' ');
  padded += text;
  return padded;
}

}  // namespace fathom::cli
