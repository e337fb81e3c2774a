import {
  type BytesColumn,
  getBackend,
  jumpHashMany,
  layouts,
  planReshard,
  Router,
  setBackend,
  xxh64Many,
} from '../../index.js';
import { measured, number } from '../io/output.js';
import { percentOf, summarize } from '../io/reports.js';
import type { CliCommand } from '../options/command.js';
import { integerFrom } from '../options/usage.js';
import { paint, print } from '../terminal.js';

const TEMPLATE = 'at://did:plc:000000000000000000000000/app.bsky.feed.post/3000000000000';
const DID_AT = 13;
const TID_AT = 58; // after the digit 3, with which TIDs of these years start
const DIGITS = new TextEncoder().encode('abcdefghijklmnopqrstuvwxyz234567');

/** Makes up AT-URIs of posts, 70 bytes each; always the same ones. */
export function atUris(count: number): BytesColumn {
  const template = new TextEncoder().encode(TEMPLATE);
  const rowBytes = template.length;
  const numbers = BigUint64Array.from({ length: count }, (_, row) => BigInt(row));
  // Twelve digits of five bits from each hash of the row's number.
  const sources = [0n, 1n, 2n].map((seed) => new Uint32Array(xxh64Many(numbers, { seed }).buffer));
  const places = [DID_AT, DID_AT + 12, TID_AT];

  const data = new Uint8Array(count * rowBytes);
  const offsets = new Uint32Array(count + 1);
  for (let row = 0; row < count; row++) {
    const start = row * rowBytes;
    data.set(template, start);
    sources.forEach((words, i) => {
      const at = start + places[i];
      for (let digit = 0; digit < 12; digit++) {
        const word = words[2 * row + (digit < 6 ? 0 : 1)];
        data[at + digit] = DIGITS[(word >>> ((digit % 6) * 5)) & 31];
      }
    });
    offsets[row + 1] = start + rowBytes;
  }
  return { data, offsets };
}

/** A row as text. */
export function rowOf({ data, offsets }: BytesColumn, row: number): string {
  return new TextDecoder().decode(data.subarray(offsets[row], offsets[row + 1]));
}

const SHARDS = 1024;
const MAX_KEYS = 50_000_000; // 70 bytes each: 3.5 GB
const COMPARED = 500_000;

export function define(command: CliCommand): void {
  command
    .description('Make up AT-URIs, always the same ones, and show what shardbits does with them.')
    .option('--keys <n>', 'the number of keys', integerFrom(1, MAX_KEYS, `1 to ${MAX_KEYS}`), 2_000_000)
    .examples('shardbits demo --keys 100000')
    .action(async ({ keys }: { keys: number }) => {
      for (const section of demo(atUris(keys))) await print(section);
    });
}

/** The sections are shown one by one, because the last ones take a while. */
function* demo(keys: BytesColumn): Generator<string> {
  const count = keys.offsets.length - 1;
  const router = new Router({ shards: SHARDS });
  router.routeMany(['first use compiles']);

  const start = performance.now();
  const shards = router.routeMany(keys);
  const ms = performance.now() - start;
  const routed = `${number(count)} keys, routed on the ${getBackend()} backend`;
  yield section(routed, `such as ${rowOf(keys, 0)}\n\n${balance(shards, ms)}`);
  yield section(`One shard more, ${SHARDS} to ${SHARDS + 1}: who has to move?`, growth(keys, router));
  yield section('One id packed and decoded', packedId(shards[0]));
  yield section(`WebAssembly and BigInt, ${number(COMPARED)} u64 keys`, comparison());
}

function section(title: string, body: string): string {
  return `\n${paint(title, 'heading')}\n${body}\n`;
}

function balance(shards: Uint32Array, ms: number): string {
  const counts = new Float64Array(SHARDS);
  for (const shard of shards) counts[shard]++;
  return summarize(counts, ms).trimEnd();
}

function growth(keys: BytesColumn, router: Router): string {
  return (['jump', 'fastrange', 'modulo'] as const)
    .map((strategy) => {
      const before = router.with({ strategy });
      const { total, moved, ideal } = planReshard(keys, before, before.with({ shards: SHARDS + 1 }));
      const percent = percentOf(total);
      return `${strategy.padEnd(9)}  ${number(moved).padStart(10)} keys move (${percent(moved)}; ideal ${percent(ideal)})`;
    })
    .join('\n');
}

function packedId(shard: number): string {
  const layout = layouts.snowflake;
  const id = layout.pack({ timestamp: new Date('2024-03-01T10:30:15.500Z'), shard, sequence: 123 });
  const fields = Object.entries(layout.unpack(id)).map(([name, value]) => `${name} ${value}`);
  return [
    'timestamp 2024-03-01T10:30:15.500Z, the shard of the first key, sequence 123',
    `-> ${id}`,
    `-> ${fields.join(', ')}; ${layout.dateOf(id).toISOString()}`,
  ].join('\n');
}

function comparison(): string {
  const keys = BigUint64Array.from({ length: COMPARED }, (_, row) => BigInt(row));
  const first = getBackend();
  if (first === 'bigint') return 'WebAssembly is not available here; BigInt gives the same results.';
  const work = () => jumpHashMany(xxh64Many(keys), SHARDS);
  const [wasm, bigint] = (['wasm', 'bigint'] as const).map((backend) => {
    setBackend(backend);
    work(); // once to warm up
    const start = performance.now();
    const shards = work();
    return { shards, nsPerKey: ((performance.now() - start) * 1e6) / COMPARED };
  });
  setBackend(first);
  const same = wasm.shards.every((shard, row) => shard === bigint.shards[row]);
  return [
    `wasm    ${measured(wasm.nsPerKey).padStart(6)} ns a key, hashed and routed`,
    `bigint  ${measured(bigint.nsPerKey).padStart(6)} ns a key: ${measured(bigint.nsPerKey / wasm.nsPerKey)} times as long`,
    same ? 'and the same shard for every key' : 'BUT NOT the same shards: please report this',
  ].join('\n');
}
