// Allocations of C++, including those before main.

#include <memory>
#include <new>
#include <string>
#include <vector>

namespace shop {

struct Item {
  ~Item() {}
  char name[48];
};

struct alignas(128) Shelf {
  char rows[256];
};

__attribute__((noinline)) void leak_item() {
  new Item;
}
__attribute__((noinline)) void leak_items() {
  new Item[3];
}  // and how many they are: 8 bytes
__attribute__((noinline)) void leak_numbers() {
  new int[5];
}
__attribute__((noinline)) void leak_shelf() {
  new Shelf;
}
__attribute__((noinline)) void leak_nothrow() {
  new (std::nothrow) char[17];
}

template <typename T>
__attribute__((noinline)) void leak_many(int count) {
  for (int i = 0; i < count; i++) new T;
}

struct Registry {
  Registry() { entry = new Item; }
  Item* entry;
};

Registry registry;  // made before main, never taken apart

}  // namespace shop

int main() {
  shop::leak_item();
  shop::leak_items();
  shop::leak_numbers();
  shop::leak_shelf();
  shop::leak_nothrow();
  shop::leak_many<long>(4);
  std::vector<std::string> all_freed(20, std::string(100, 'x'));
  delete new shop::Item;
  delete[] new shop::Item[2];
  delete new shop::Shelf;
  try {
    throw std::string("freed where it is caught");
  } catch (const std::string&) {
  }
  return 0;
}
