/** Opens a store of the built package, for a process of a test: a file of SQLite, or a URL. */
export async function openStore(where, options) {
  if (where.startsWith('postgres')) return (await import('shardbits/stores/postgres')).postgresStore(where, options);
  if (where.startsWith('etcd')) {
    const [, hosts, prefix] = /^etcd:\/\/([^/]+)\/(.+)$/.exec(where);
    const members = hosts.split(',').map((host) => `http://${host}`);
    return (await import('shardbits/stores/etcd')).etcdStore(members, { ...options, prefix });
  }
  if (where.startsWith('http')) return (await import('shardbits/stores/etcd')).etcdStore(where, options);
  return (await import('shardbits/stores/sqlite')).sqliteStore(where, options);
}
