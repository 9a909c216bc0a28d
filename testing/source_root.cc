// Linked with tests, so that the product, whose paths they check, does not depend on the checkout.

extern "C" const char* fathom_source_root();

// With a slash.
const char* fathom_source_root() {
  return FATHOM_SOURCE_ROOT;
}
