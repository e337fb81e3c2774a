// `npm run bench -- peers [--quick] [--only GROUP] [--json FILE]`: compares shardbits with other libraries, ClickHouse and
// plain C. Install them first: `npm install --prefix bench/peers` (ClickHouse is 550 MB).
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Area, onBackends, type Results, type Way } from '../area.js';
import { stringAreas } from '../areas/strings.js';
import { byteStrings, u64s } from '../inputs.js';
import { FULL, type Group, QUICK, run, writeReport } from '../run.js';
import { jumpHashMany, layouts, xxh64Many } from '../shardbits.js';
import { ClickHouse } from './clickhouse.js';
import { bytesHashers, jumphash, snowflakes, stringHashers } from './javascript.js';
import { Native } from './native.js';
import { placing } from './placing.js';
import { singleValues } from './single-values.js';
import { start } from './start.js';

const BUCKETS = 1024;

function shardbits(rows: number, work: () => Results): Way {
  return onBackends(rows, work)[0];
}

async function* routing(rows: number): AsyncIterable<Area> {
  const keys = u64s(rows);
  const shards = new Uint32Array(rows);
  const ways = [shardbits(rows, () => [jumpHashMany(keys, BUCKETS, { out: shards })])];
  const native = new Native();
  started.push(native);
  if (native.start(keys, new Uint8Array(), new Uint32Array(1)))
    ways.push(native.way(`jump ${BUCKETS}`, Uint32Array, rows));
  else console.log(NO_COMPILER);
  clickhouse.load('routed', 'UInt64', keys);
  ways.push(clickhouse.way('routed', `jumpConsistentHash(x, ${BUCKETS})`, Uint32Array), jumphash(keys, BUCKETS));
  yield { name: 'jump', title: `jumpHashMany, ${BUCKETS} buckets`, rows, bytesPerRow: 12, ways };
}

async function* hashing(rows: number): AsyncIterable<Area> {
  const keys = u64s(rows);
  const hashes = new BigUint64Array(rows);
  for (const byteLength of [8, 10, 70]) {
    const { data, offsets } = byteStrings(rows, byteLength);
    const native = new Native();
    started.push(native);
    const compiled = native.start(keys, data, offsets);
    const isU64 = byteLength === 8;
    const ways = [
      shardbits(rows, () => [xxh64Many(isU64 ? keys : { data, offsets }, { out: hashes })]),
      ...(compiled ? [native.way(isU64 ? 'xxh64-u64' : 'xxh64-bytes', BigUint64Array, rows)] : []),
    ];
    const table = `hashed${byteLength}`;
    clickhouse.load(table, isU64 ? 'UInt64' : `FixedString(${byteLength})`, isU64 ? keys : data);
    ways.push(clickhouse.way(table, 'xxHash64(x)', BigUint64Array));
    if (!isU64) ways.push(...(await bytesHashers(data, offsets)));
    yield {
      name: isU64 ? 'xxh64-u64' : `xxh64-bytes-${byteLength}`,
      title: isU64 ? 'xxh64Many, u64 keys' : `xxh64Many, a BytesColumn of rows of ${byteLength} bytes`,
      rows,
      bytesPerRow: isU64 ? 16 : byteLength + 12,
      ways,
    };
  }
}

const stringKeys: Group = (rows) =>
  stringAreas(rows, async (texts, hashes) => [
    shardbits(texts.length, () => [xxh64Many(texts, { out: hashes })]),
    ...(await stringHashers(texts)),
  ]);

const decoding: Group = (rows) => {
  const layout = layouts.snowflake;
  const ids = u64s(rows).map((key) => key >> 1n);
  const timestamp = new Float64Array(rows);
  return [
    {
      name: 'timestamps',
      title: 'the timestamps of snowflake ids',
      rows,
      bytesPerRow: 16,
      ways: [
        shardbits(rows, () => {
          layout.unpackMany(ids, { fields: ['timestamp'], out: { timestamp } });
          return [timestamp];
        }),
        ...snowflakes(ids, layout.fields.timestamp.epoch as number),
      ],
    },
  ];
};

const NO_COMPILER = 'plain C is left out: there is no C compiler with xxhash.h (Debian: gcc, libxxhash-dev)\n';

if (!existsSync('bench/peers/node_modules')) {
  console.error('the peers are not installed: npm install --prefix bench/peers');
  process.exit(1);
}
const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, json: { type: 'string' }, only: { type: 'string' } },
});
const started: Native[] = [];
const clickhouse = new ClickHouse();
const groups = {
  routing,
  hashing,
  strings: stringKeys,
  decoding,
  partitioners: (rows: number) => placing(rows, started),
  single: singleValues,
  start,
};
const chosen = values.only === undefined ? Object.values(groups) : [groups[values.only as keyof typeof groups]];
const report = await run(chosen, values.quick ? QUICK : FULL);
for (const native of started) await native.stop();
clickhouse.stop();
if (values.json !== undefined) writeReport(values.json, report);
process.exit(0); // ClickHouse's threads keep the process alive
