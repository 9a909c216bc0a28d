// Two objects share one block because a copy constructor is missing. Each destructor frees it.

class Holder {
 public:
  ~Holder() { delete[] block_; }

 private:
  char* block_ = new char[2000];
};

int main() {
  Holder first;
  { Holder copy = first; }
}
