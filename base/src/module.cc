// Module: look-up by _dl_find_object(), or by dladdr1() on older systems, or in the list of all
// modules.

#include "module.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <string_view>

namespace fathom::base {

namespace {

struct Program {
  char path[PATH_MAX] = "(this program)";

  Program() noexcept {
    const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path - 1);
    if (size > 0) path[size] = '\0';
  }
};

const char* program_path() noexcept {
  static const Program program;
  return program.path;
}

Module module_named(const char* name, std::uintptr_t begin) noexcept {
  constexpr std::string_view kStatic = "/proc/self/exe";  // with musl
  const bool is_program = name == nullptr || name[0] == '\0' || name == kStatic;
  return {is_program ? program_path() : name, begin};
}

}  // namespace

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // comes with _dl_find_object()

Module module_of(std::uintptr_t address) noexcept {
  dl_find_object found;
  if (::_dl_find_object(reinterpret_cast<void*>(address), &found) != 0) return {};
  const link_map& map = *found.dlfo_link_map;
  return module_named(map.l_name, static_cast<std::uintptr_t>(map.l_addr));
}

#elif defined(RTLD_DL_LINKMAP)

Module module_of(std::uintptr_t address) noexcept {
  Dl_info info;
  void* map = nullptr;
  if (::dladdr1(reinterpret_cast<void*>(address), &info, &map, RTLD_DL_LINKMAP) == 0) return {};
  const link_map& found = *static_cast<const link_map*>(map);
  return module_named(found.l_name, static_cast<std::uintptr_t>(found.l_addr));
}

#else  // musl, whose dladdr() finds nothing in static programs

static bool contains(const dl_phdr_info& module, std::uintptr_t address) noexcept {
  return std::any_of(
      module.dlpi_phdr, module.dlpi_phdr + module.dlpi_phnum, [&](const ElfW(Phdr) & part) {
        return part.p_type == PT_LOAD && address - module.dlpi_addr - part.p_vaddr < part.p_memsz;
      });
}

Module module_of(std::uintptr_t address) noexcept {
  struct Search {
    std::uintptr_t address;
    Module found;
  } search{address, {}};
  const auto visit = [](dl_phdr_info* module, std::size_t /*size*/, void* data) {
    auto& [wanted, found] = *static_cast<Search*>(data);
    if (!contains(*module, wanted)) return 0;
    found = module_named(module->dlpi_name, module->dlpi_addr);
    return 1;
  };
  ::dl_iterate_phdr(visit, &search);
  return search.found;
}

#endif

void find_program() noexcept {
  (void)program_path();
}

}  // namespace fathom::base
