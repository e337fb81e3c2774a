/* The kernels in plain C, one row after the other, over columns in files. Reads a line for each run:
 *   jump N | xxh64-u64 | xxh64-bytes
 * and answers with the nanoseconds it took; the results are then in OUT.
 *   cc -O3 -march=native -o kernels kernels.c     (xxhash.h of libxxhash-dev)
 *   ./kernels KEYS DATA OFFSETS OUT */
#define XXH_INLINE_ALL
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include "column.h"
#include "jump.h"

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  size_t length;
  uint64_t *keys = column(argv[1], &length);
  size_t rows = length / 8;
  uint8_t *data = column(argv[2], &length);
  uint32_t *offsets = column(argv[3], &length);
  int file = open(argv[4], O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, rows * 8) != 0) return 1;
  void *out = mmap(NULL, rows * 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  uint64_t *results = malloc(rows * 8);
  memset(results, 1, rows * 8);
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (strncmp(line, "jump", 4) == 0) {
      int32_t buckets = atoi(line + 5);
      for (size_t i = 0; i < rows; i++) ((uint32_t *)results)[i] = jump(keys[i], buckets);
    } else if (strncmp(line, "xxh64-u64", 9) == 0) {
      for (size_t i = 0; i < rows; i++) results[i] = XXH64(keys + i, 8, 0);
    } else {
      for (size_t i = 0; i < rows; i++) results[i] = XXH64(data + offsets[i], offsets[i + 1] - offsets[i], 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    memcpy(out, results, rows * 8);
    printf("%.0f\n", (to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec));
    fflush(stdout);
  }
  return 0;
}
