/* A column of a file, which stays in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void *column(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  struct stat stats;
  if (!file || stat(path, &stats) != 0) exit(1);
  void *data = malloc(stats.st_size + 1);
  if (fread(data, 1, stats.st_size, file) != (size_t)stats.st_size) exit(1);
  fclose(file);
  *length = stats.st_size;
  return data;
}
