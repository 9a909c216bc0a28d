// Symbols: libbacktrace for functions and lines, the dynamic linker's tables as a fallback.

#include "fathom/base/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "module.h"

#ifdef FATHOM_HAS_LIBBACKTRACE
#include <backtrace.h>
#endif

namespace fathom::base {

namespace {

// Drops the suffixes that compilers append to parts and clones of a function: .cold, .isra.0.
std::string demangled(std::string_view symbol) {
  const std::string whole(symbol.substr(0, symbol.find('.', 1)));
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(whole.c_str(), nullptr, nullptr, &status), std::free);
  return name ? name.get() : whole;
}

// The name in the dynamic symbol table: only functions that are visible to other modules.
std::string exported_name(std::uintptr_t address) {
  Dl_info info;
  if (::dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_sname == nullptr)
    return {};
  return demangled(info.dli_sname);
}

#ifdef FATHOM_HAS_LIBBACKTRACE

// Lives as long as the program, as libbacktrace requires, and may be used by several threads.
backtrace_state* state() {
  static backtrace_state* const made = ::backtrace_create_state(
      nullptr, 1, [](void*, const char*, int) {}, nullptr);
  return made;
}

// A failure of libbacktrace is visible as a look-up without a result.
void ignore_error(void* /*found*/, const char* /*message*/, int /*code*/) {}

int on_line(void* found, std::uintptr_t /*address*/, const char* file, int line,
            const char* function) {
  if (file == nullptr && function == nullptr) return 0;
  Frame frame;
  if (function != nullptr) frame.function = demangled(function);
  if (file != nullptr) frame.file = file;
  if (line > 0) frame.line = static_cast<std::uint32_t>(line);
  static_cast<std::vector<Frame>*>(found)->push_back(std::move(frame));
  return 0;
}

void on_symbol(void* name, std::uintptr_t /*address*/, const char* symbol, std::uintptr_t /*value*/,
               std::uintptr_t /*size*/) {
  if (symbol != nullptr) *static_cast<std::string*>(name) = demangled(symbol);
}

std::vector<Frame> look_up(std::uintptr_t address) {
  std::vector<Frame> found;
  if (state() == nullptr) return found;
  ::backtrace_pcinfo(state(), address, on_line, ignore_error, &found);
  if (found.empty()) found.emplace_back();
  // Debug information does not contain parameters; the symbol does.
  std::string symbol;
  ::backtrace_syminfo(state(), address, on_symbol, ignore_error, &symbol);
  if (!symbol.empty()) found.back().function = symbol;
  return found;
}

#else

std::vector<Frame> look_up(std::uintptr_t /*address*/) {
  return {};
}

#endif

}  // namespace

std::vector<Frame> frames_of(const Stack& stack) {
  std::vector<Frame> frames;
  for (const std::uintptr_t address : stack.frames()) {
    std::vector<Frame> here = look_up(address);
    if (here.empty()) here.emplace_back();
    if (here.back().function.empty()) here.back().function = exported_name(address);
    const Module module = module_of(address);
    for (Frame& frame : here) {
      if (module.path != nullptr) frame.module = module.path;
      frame.offset = address - module.base;
      frames.push_back(std::move(frame));
    }
  }
  return frames;
}

}  // namespace fathom::base
