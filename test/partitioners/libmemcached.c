// Writes the server that libmemcached chooses for each key, as a u32. The arguments are KETAMA or KETAMA_WEIGHTED, and the
// servers: a host, a port and a weight for each. A host that begins with a slash is a Unix socket.
#include <libmemcached/memcached.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  memcached_st *client = memcached_create(NULL);
  if (argc < 2) return 1;
  int weighted = strcmp(argv[1], "KETAMA_WEIGHTED") == 0;
  memcached_behavior_set(client, weighted ? MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED : MEMCACHED_BEHAVIOR_KETAMA, 1);
  for (int i = 2; i + 2 < argc; i += 3) {
    uint32_t weight = (uint32_t)atoi(argv[i + 2]);
    if (argv[i][0] == '/') memcached_server_add_unix_socket_with_weight(client, argv[i], weight);
    else memcached_server_add_with_weight(client, argv[i], (in_port_t)atoi(argv[i + 1]), weight);
  }
  char *key = NULL;
  uint32_t length;
  while (fread(&length, sizeof length, 1, stdin) == 1) {
    key = realloc(key, length + 1);
    if (fread(key, 1, length, stdin) != length) return 1;
    uint32_t server = memcached_generate_hash(client, key, length);
    fwrite(&server, sizeof server, 1, stdout);
  }
  free(key);
  memcached_free(client);
  return 0;
}
