// The driver for builds without libFuzzer: runs a target on every file of the corpus, and then on
// mutations of them.
//
//   fuzz_ncdu_import [-runs=N] [-seed=N] FILE_OR_FOLDER...
//
// The same seed and corpus produce the same texts on every machine. A text that crashes the program
// is in ./crash, which can be passed as FILE.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Pieces that matter to a parser of JSON or of patterns.
constexpr std::array<std::string_view, 33> kPieces = {
    "[",      "]",           "{",
    "}",      ",",           ":",
    "\"",     "\\",          "\\u",
    "\\ud8",  "null",        "0",
    "-1",     "1e9",         "18446744073709551616",
    "\xff",   "true",        "[[[[",
    "]]]]",   ",{}",         ",\"a\"",
    "\n",     "\x1f",        "9223372036854775808",
    "*",      "**",          "/",
    "/**/",   "?",           "!",
    "[!a-c]", "[[:digit:]]", " "};

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, std::uint64_t seed)
      : corpus_(std::move(corpus)), random_(seed) {}

  std::string next() {
    std::string text = any();
    for (std::size_t changes = 1 + below(4); changes != 0; --changes) change(text);
    return text;
  }

 private:
  // The results of std::uniform_int_distribution depend on the library.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  const std::string& any() { return corpus_[below(corpus_.size())]; }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 64) + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.insert(at, kPieces[below(kPieces.size())]);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4: {
        const std::string& other = any();
        const std::size_t from = below(other.size() + 1);
        text.insert(below(text.size() + 1), other.substr(from, length));
        break;
      }
      default:
        if (below(8) == 0) text.resize(at);
    }
  }

  const std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Sorted by name, so that a seed means the same everywhere.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The file that holds the text while the target runs: nothing is left to do if the program crashes.
class CrashFile {
 public:
  CrashFile() : file_(std::fopen(kName, "wb")) {
    if (file_ == nullptr) std::perror(kName);
  }
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;
  ~CrashFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(kName);
  }

  void hold(const std::string& text) {
    if (file_ == nullptr) return;
    std::rewind(file_);
    const bool written = std::fwrite(text.data(), 1, text.size(), file_) == text.size() &&
                         std::fflush(file_) == 0 &&
                         ::ftruncate(::fileno(file_), static_cast<off_t>(text.size())) == 0;
    if (!written) std::perror(kName);
  }

 private:
  static constexpr const char* kName = "crash";
  std::FILE* const file_;
};

void feed(const std::string& text, CrashFile& crash) {
  crash.hold(text);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> corpus;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("-runs=")) {
      runs = number(argument.substr(6));
    } else if (argument.starts_with("-seed=")) {
      seed = number(argument.substr(6));
    } else {
      for (const auto& file : files_in(argument)) corpus.push_back(read_file(file));
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "the corpus is empty\n");
    return 2;
  }
  CrashFile crash;
  for (const std::string& text : corpus) feed(text, crash);
  Mutator mutator(corpus, seed);
  for (std::uint64_t run = 0; run < runs; ++run) feed(mutator.next(), crash);
  std::printf("%zu files and %llu mutations\n", corpus.size(),
              static_cast<unsigned long long>(runs));
  return 0;
}
