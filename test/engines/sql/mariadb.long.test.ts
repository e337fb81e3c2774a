import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routingSql } from '../../../src/engines/sql/index.js';
import { hasMariadb, type MariadbServer, startMariadb } from '../../support/mariadb.js';
import { hasSystem } from '../../support/programs.js';
import { IS_WHOLE, scaled } from '../../support/scale.js';
import { LAYOUTS, loadKeys, type SqlEngine, wrongFields, wrongHashes, wrongNodes, wrongShards } from './engine.js';

const KEYS = scaled(10_000);
const IDS = scaled(1000);
const isRequired = Boolean(process.env.CI) && IS_WHOLE;

describe.skipIf(!hasSystem('MariaDB', 'mariadb-server', hasMariadb(), '', isRequired))('MariaDB', () => {
  let server: MariadbServer;
  let keys: Awaited<ReturnType<typeof loadKeys>>;

  const engine: SqlEngine = {
    dialect: 'mysql',
    strategies: ['jump', 'fastrange', 'modulo'],
    seeds: [0n, 42n, 2n ** 64n - 1n],
    execute: (statements) => {
      server.run(statements);
    },
    column: (query) =>
      server
        .run(query)
        .split('\n')
        .slice(0, -1)
        .map((value) => (value === 'NULL' ? '' : value.replaceAll('\\\\', '\\'))),
    types: { text: 'longtext character set utf8mb4', bytes: 'longblob', u64: 'bigint unsigned' },
    text: (hex) => `convert(x'${hex}' using utf8mb4)`,
    bytes: (hex) => `x'${hex}'`,
    u64: (value) => `${value}`,
    names: { bytes: 'shard_of_bytes', u64: 'shard_of_u64' },
    us: (time) => `timestampdiff(microsecond, '1970-01-01', ${time})`,
    before: "'1800-01-01'",
  };

  beforeAll(async () => {
    server = await startMariadb();
    keys = await loadKeys(engine, KEYS);
  });

  afterAll(async () => {
    await server?.stop();
  });

  it.each(engine.strategies)('routes as a Router: %s', async (strategy) => {
    const counts = strategy === 'jump' ? [1, 1000, 2 ** 31 - 1] : [1000, 2 ** 31 - 1];
    expect(await wrongShards(engine, keys, strategy, 0n, counts)).toEqual([]);
  });

  it('hashes as xxh64 with any seed, and routes by the seed that it is told', async () => {
    expect(await wrongHashes(engine, keys, engine.seeds)).toEqual([]);
    expect(await wrongShards(engine, keys, 'jump', 2n ** 64n - 1n, [1000])).toEqual([]);
  });

  it('hashes texts of other character sets as UTF-8', async () => {
    await engine.execute(routingSql('mysql', { shards: 10 }));
    await engine.execute(
      `create table latin (a varchar(20) character set latin1); insert into latin values ('Zürich')`,
    );
    const [theirs] = await engine.column('select shard_of(a, 1000) from latin');
    expect(theirs).toBe((await engine.column("select shard_of_bytes(x'5ac3bc72696368', 1000)"))[0]);
  });

  it.each(LAYOUTS)('reads the ids of %s, and finds those of a time', async (name, layout) => {
    expect(await wrongFields(engine, name, layout, IDS)).toEqual([]);
  });

  it('has the nodes of a map', async () => {
    expect(await wrongNodes(engine)).toEqual([]);
  });

  it('refuses numbers of shards that no router has, and gives NULL for NULL', async () => {
    for (const strategy of engine.strategies) {
      await engine.execute(routingSql('mysql', { strategy, shards: 10 }));
      expect(() => engine.column("select shard_of('user:42', 0)")).toThrow(
        'shards: expected an integer from 1 to 2147483647',
      );
      for (const call of [
        'shard_of(null, 3)',
        "shard_of('a', null)",
        'shard_of_u64(null, 3)',
        'shard_of_bytes(null, 3)',
      ]) {
        expect(await engine.column(`select ${call}`), call).toEqual(['']);
      }
    }
  });
});
