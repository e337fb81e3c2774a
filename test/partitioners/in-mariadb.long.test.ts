// Keys of every kind that a table with PARTITION BY KEY can have here, and of several columns with NULL, against the
// partitions in which MariaDB stores their rows. MySQL has the same code.
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Keys } from '../../src/index.js';
import { type KeyKind, partitioner, systems } from '../../src/partitioners/index.js';
import { expectDetected } from '../detect/real-rows.js';
import { onBothBackends } from '../support/backends.js';
import { hasMariadb, type MariadbServer, startMariadb } from '../support/mariadb.js';
import { hasSystem } from '../support/programs.js';
import { randomU64s } from '../support/random.js';
import { IS_WHOLE } from '../support/scale.js';
import { KEYS, randomKeys } from './random-keys.js';
import { keysOf, type RandomRows, randomRows, signaturesOf } from './random-rows.js';
import { expectSameRows } from './real-systems.js';
import { make } from './samples.js';

const TYPES: { readonly [kind in KeyKind]?: string } = {
  ...{ int8: 'tinyint', int16: 'smallint', int32: 'int', int64: 'bigint' },
  ...{ uint8: 'tinyint unsigned', uint16: 'smallint unsigned', uint32: 'int unsigned', u64: 'bigint unsigned' },
  bytes: 'varbinary(300)',
};
const KINDS = systems.mysql.keys.filter((kind) => kind in TYPES);
const PARTITIONS = [12, 13, 64];
const ROWS = IS_WHOLE ? KEYS : KEYS / 5;
/** Rows of each signature: as many of two columns, and of three, as there are keys of one. */
const ROWS_OF_SIGNATURE = Math.ceil(ROWS / KINDS.length);
const ROWS_OF_STATEMENT = 5000;

const isInstalled = hasSystem('MariaDB', 'mariadb-server', hasMariadb());

describe.skipIf(!isInstalled)('a table with PARTITION BY KEY', () => {
  let server: MariadbServer;

  beforeAll(async () => {
    server = await startMariadb();
  });

  afterAll(async () => {
    await server?.stop();
  });

  describe.each(KINDS.map((kind) => [kind] as const))('of %s', (kind) => {
    const rows: RandomRows = { kinds: [kind], columns: [keysOfKind(kind)] };
    let theirs: ReadonlyMap<number, Uint32Array>;

    beforeAll(() => {
      theirs = partitionsIn(server, rows);
    });

    it('is told from its rows, with some of another hash', () => {
      if (kind !== 'int64') return; // the kind by default
      const keys = rows.columns[0] as readonly bigint[];
      const others = partitioner('postgres', { modulus: 64, key: kind }).routeMany(keys);
      const shards = theirs.get(64) ?? [];
      expectDetected(BigInt64Array.from(keys), shards, others, '--as mysql --shards 64');
    });

    onBothBackends('has the rows in the same partitions', () => {
      it.each(PARTITIONS)('%i partitions', (partitions) => {
        const [keys] = keysOf(rows) as readonly Keys[];
        const ours = make('mysql', { partitions, key: kind }).routeMany(keys);
        expectSameRows(rows, ours, theirs.get(partitions) ?? []);
      });
    });
  });

  const signatures = signaturesOf(KINDS).map((kinds) => [kinds.join(', '), kinds] as const);

  describe.each(signatures)('of (%s)', (_, kinds) => {
    const rows = randomRows(kinds, ROWS_OF_SIGNATURE, { hasNull: true });
    let theirs: ReadonlyMap<number, Uint32Array>;

    beforeAll(() => {
      theirs = partitionsIn(server, rows);
    });

    onBothBackends('has the rows in the same partitions', () => {
      it.each(PARTITIONS)('%i partitions', (partitions) => {
        const ours = make('mysql', { partitions, key: kinds }).routeMany(keysOf(rows));
        expectSameRows(rows, ours, theirs.get(partitions) ?? []);
      });
    });
  });
});

/** Inserts rows into tables with so many partitions each. @returns the partitions that they are in */
function partitionsIn(server: MariadbServer, { kinds, columns }: RandomRows): ReadonlyMap<number, Uint32Array> {
  const literals = columns[0].map((_, row) => `(${[row, ...kinds.map((kind, i) => literal(kind, columns[i][row]))]})`);
  const inserts: string[] = [];
  for (let row = 0; row < literals.length; row += ROWS_OF_STATEMENT) {
    inserts.push(`insert into keys_of_rows values ${literals.slice(row, row + ROWS_OF_STATEMENT)};`);
  }
  const definitions = kinds.map((kind, i) => `k${i} ${TYPES[kind]}`);
  const names = kinds.map((_, i) => `k${i}`);
  server.run(`
    create or replace table keys_of_rows (i int, ${definitions}) engine = myisam;
    ${inserts.join('\n')}`);
  return new Map(
    PARTITIONS.map((partitions) => {
      const selects = Array.from({ length: partitions }, (_, p) => `select ${p}, i from parts partition (p${p});`);
      const lines = server.run(`
        create or replace table parts (i int, ${definitions}) engine = myisam
          partition by key (${names}) partitions ${partitions};
        insert into parts select * from keys_of_rows;
        ${selects.join('\n')}`);
      const found = new Uint32Array(columns[0].length).fill(partitions);
      for (const line of lines.trimEnd().split('\n')) {
        const [partition, row] = line.split('\t').map(Number);
        found[row] = partition;
      }
      return [partitions, found];
    }),
  );
}

function literal(kind: KeyKind, value: unknown): string {
  if (value === null) return 'null';
  return kind === 'bytes' ? `x'${Buffer.from(value as Uint8Array).toString('hex')}'` : String(value);
}

/**
 * Random keys. Every tenth integer ends in bytes of 0x20, which are dropped because they are spaces: those of the highest
 * bits.
 */
function keysOfKind(kind: KeyKind): RandomRows['columns'][number] {
  if (kind === 'bytes') return randomKeys(kind, ROWS).rows;
  const bits = kind === 'u64' ? 64 : Number(/\d+/.exec(kind));
  const wrap = kind.startsWith('u') ? BigInt.asUintN : BigInt.asIntN;
  const dice = randomU64s(ROWS);
  return Array.from(randomKeys('int64', ROWS).keys as BigInt64Array, (integer, i) => {
    const kept = (dice[i] >> 8n) % BigInt(bits / 8);
    const spaces = (0x2020202020202020n << (8n * kept)) | (BigInt.asUintN(64, integer) & (2n ** (8n * kept) - 1n));
    const value = wrap(bits, dice[i] % 10n === 0n ? spaces : integer);
    return bits === 64 ? value : Number(value);
  });
}
