/* What one would write in plain C: map the file, find the lines, XXH64 by libxxhash, the loop of the
 * jump hash paper, rows to standard output.
 *   cc -O3 -march=native -o route route.c -lxxhash
 *   ./route FILE SHARDS tsv|shard|u32 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <xxhash.h>
#include "jump.h"

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int file = open(argv[1], O_RDONLY);
  struct stat stats;
  if (file < 0 || fstat(file, &stats) != 0) return 1;
  size_t length = stats.st_size;
  if (length == 0) return 0;
  const char *data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) return 1;
  int32_t shards = atoi(argv[2]);
  char format = argv[3][0];
  static char buffer[1 << 20];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);

  for (size_t start = 0; start < length;) {
    const char *newline = memchr(data + start, '\n', length - start);
    size_t next = newline ? (size_t)(newline - data) : length;
    size_t key = next - start;
    if (newline && key > 0 && data[next - 1] == '\r') key--;
    uint32_t shard = jump(XXH64(data + start, key, 0), shards);
    if (format == 'u') {
      fwrite(&shard, sizeof shard, 1, stdout);
    } else if (format == 's') {
      printf("%u\n", shard);
    } else {
      printf("%u\t", shard);
      fwrite(data + start, key, 1, stdout);
      putchar('\n');
    }
    start = next + 1;
  }
  return 0;
}
