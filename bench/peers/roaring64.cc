/* Sets of ids by CRoaring: makes a and b of columns of u64, computes with them, writes what it has in the portable
 * format, and says of each set that shardbits wrote whether it reads the same ids.
 *   c++ -O2 -o roaring64 roaring64.cc -lroaring
 *   ./roaring64 FOLDER   reads a.ids, b.ids and ours.NAME, writes theirs.NAME */
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>
#include <roaring/roaring64map.hh>

namespace roaring {} // of later versions; 0.2 has none
using namespace roaring;

static std::string folder;

static std::vector<char> bytes_of(const std::string &name) {
  std::ifstream file(folder + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

static Roaring64Map set_of(const std::string &name) {
  std::vector<char> bytes = bytes_of(name);
  Roaring64Map set;
  set.addMany(bytes.size() / 8, reinterpret_cast<const uint64_t *>(bytes.data()));
  return set;
}

static void write(const std::string &name, const Roaring64Map &set) {
  std::vector<char> bytes(set.getSizeInBytes(true));
  set.write(bytes.data(), true);
  std::ofstream(folder + "/" + name, std::ios::binary).write(bytes.data(), bytes.size());
}

/* Compared instead of the sets: == of 0.2 stumbles over empty bitmaps and does not look at high words. */
static std::vector<uint64_t> ids_of(const Roaring64Map &set) {
  std::vector<uint64_t> ids(set.cardinality());
  set.toUint64Array(ids.data());
  return ids;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const Roaring64Map a = set_of("a.ids"), b = set_of("b.ids");
  Roaring64Map runs = a;
  runs.runOptimize();
  const std::map<std::string, Roaring64Map> sets = {
      {"a", a}, {"b", b}, {"runs", runs}, {"and", a & b}, {"or", a | b}, {"andNot", a - b}, {"xor", a ^ b}};
  for (const auto &named : sets) {
    const std::string &name = named.first;
    write("theirs." + name, named.second);
    std::vector<char> bytes = bytes_of("ours." + name);
    bool same = false;
    try {
      const Roaring64Map ours = Roaring64Map::readSafe(bytes.data(), bytes.size());
      same = ids_of(ours) == ids_of(named.second) && ours.getSizeInBytes(true) == bytes.size();
    } catch (const std::exception &error) {
      std::cerr << name << ": " << error.what() << "\n";
    }
    std::cout << name << " " << named.second.cardinality() << " " << (same ? "same" : "different") << "\n";
  }
}
