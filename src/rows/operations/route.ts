import type { RowValues } from '../../columns/keys.js';
import { type Kernels, PIECE_ROWS, type Spans, type TextFormat } from '../../kernels/types.js';
import { abilitiesOf, isTransferable, type Routing, type ShardNames, shardsOf } from '../../routing/routing.js';
import { attempt, type Batch, bytesColumnOf, Refused, refuse, refuseNull } from '../batch.js';
import { isEncoded, type LineKeys, type RowHashOptions } from '../format.js';
import { type OutputFormat, rowWriter } from '../sinks/rows.js';
import { valueRows } from '../sinks/values.js';
import { keyReader } from './key-bytes.js';
import { byteOperation } from './operation.js';

/** How rows are placed; plain data, apart from the routing. */
export interface PlaceOptions {
  readonly routing: Routing<any>;
  readonly keys: LineKeys;
  /** What shards are called; undefined: their numbers. */
  readonly named?: ShardNames | undefined;
  /** The shard of records without a key, or that they are refused; by default, unless the routing has a rule for NULL. */
  readonly missing?: number | 'reject' | undefined;
}

/**
 * Routes the keys of rows, NULL among them if `missing` or the routing has a rule for it. For a Router, the hashes never leave the kernels' memory.
 * @param argument the caller's name for the routing
 * @returns a function that gives rows with their shards and labels, valid until its next call
 */
export function rowRouter(
  kernels: Kernels,
  { routing, keys, named, missing }: PlaceOptions,
  argument = 'router',
): (rows: Batch) => Batch | Refused {
  const { hashing, routeRows, takesNull } = abilitiesOf(routing);
  const { hash, seed } = hashing ?? { hash: 'none', seed: 0n };
  const isHashed = hashing !== undefined || (keys === 'u64' && !routeRows);
  const hashed = isHashed ? rowHasher(kernels, { keys, hash, seed }) : undefined;
  const ofKeys = hashing?.ofHashes() ?? routing;
  const read = keyReader(keys);
  const shards = kernels.column('u32', PIECE_ROWS);
  const labels = named && kernels.column('u32', PIECE_ROWS);

  /** @returns what is refused */
  const route = (rows: Batch): Refused | undefined => {
    if (!routeRows && isTransferable(ofKeys)) ofKeys.routeMany(rows.hashes, { out: rows.shards });
    else {
      const bytes = read(rows);
      if (bytes instanceof Refused) return bytes;
      const { nulls } = rows;
      if (routeRows) {
        const columns = isEncoded(keys) ? [{ values: bytes, nulls }] : rows.keyColumns;
        return attempt(rows, () => void routeRows(columns, rows.shards));
      }
      // A copy, because the user's code may make the kernels' memory grow.
      const routed = shardsOf(ofKeys, hashed ? rows.hashes.slice() : bytesColumnOf(bytes), undefined, argument);
      rows.shards.set(routed);
    }
    return undefined;
  };

  return (batch) => {
    const { nulls } = batch;
    if (nulls !== undefined && (missing === 'reject' || (missing === undefined && !takesNull))) {
      return refuseNull(batch, nulls);
    }
    const rows = hashed?.(batch) ?? batch;
    if (rows instanceof Refused) return rows;
    const routed = rows.with({ shards, labels });
    const refused = route(routed);
    if (refused !== undefined) return refused;
    if (nulls !== undefined && typeof missing === 'number') setMissing(routed.shards, nulls, missing);
    if (named !== undefined) setLabels(routed, named);
    return routed;
  };
}

function setMissing(shards: Uint32Array, nulls: Uint8Array, missing: number): void {
  for (let row = 0; row < shards.length; row++) if (nulls[row] === 1) shards[row] = missing;
}

function setLabels({ shards, labels }: Batch, { ofShard }: ShardNames): void {
  for (let row = 0; row < shards.length; row++) labels[row] = ofShard[shards[row]];
}

type RouteOptions = PlaceOptions & { readonly format: OutputFormat };

/** Writes lines or records with their shards, or with the labels of these. */
export const ROUTE = byteOperation('route', (kernels, { format, ...how }: RouteOptions, records) => {
  return { make: rowRouter(kernels, how), takesNull: true, ...rowWriter(kernels, format, records, how.named) };
});

/**
 * Hashes the keys of rows.
 * @param format how u64s are written; in decimal they may be negative
 * @returns a function that gives rows with their hashes, valid until its next call
 */
export function rowHasher(
  kernels: Kernels,
  { keys, hash, seed }: RowHashOptions,
  format: TextFormat = 'dec',
): (rows: Batch) => Batch | Refused {
  const column = kernels.column('u64', PIECE_ROWS);
  const read = keyReader(keys);
  return (rows) => {
    const hashed = rows.with({ hashes: column });
    const { hashes } = hashed;
    if (keys !== 'u64') {
      const bytes = read(rows);
      if (bytes instanceof Refused) return bytes;
      kernels.xxh64SpanColumn(bytes, seed, hashes);
      return hashed;
    }
    const [{ values, nulls }] = rows.keyColumns;
    if (!('starts' in values)) hashes.set(u64sOf(values));
    else {
      const bad =
        format === 'dec'
          ? parseKeys(kernels, values, hashes, nulls)
          : kernels.parseSpans(format === 'hex' ? without0x(values) : values, format, hashes);
      if (bad >= 0) return refuse(rows, bad, idIn(format));
    }
    if (hash === 'xxh64') kernels.xxh64U64Column(hashes, seed, hashes);
    return hashed;
  };
}

/** Integers of a table as u64s of the same bits. */
function u64sOf(values: Exclude<RowValues['values'], Spans>): BigUint64Array {
  if (values.BYTES_PER_ELEMENT < 8) return BigUint64Array.from(values as Int32Array, BigInt);
  return new BigUint64Array(values.buffer, values.byteOffset, values.length);
}

export const MINUS = 0x2d;
const MAX_DIGITS = 19; // of a signed integer

/** Parses integers in decimal as u64s of the same bits. @returns the first row that is none and not NULL, or -1 */
function parseKeys(kernels: Kernels, texts: Spans, out: BigUint64Array, nulls?: Uint8Array): number {
  const { data, starts, ends } = texts;
  const first = parseUnsigned(kernels, texts, out, nulls);
  if (first < 0 || data[starts[first]] !== MINUS) return first;
  const isNegative = (at: number, row: number) =>
    data[at] === MINUS && at + 1 < ends[row] && ends[row] - at <= 1 + MAX_DIGITS;
  const unsigned = without(texts, 1, isNegative);
  const bad = parseUnsigned(kernels, unsigned, out, nulls);
  for (let row = first; row < (bad < 0 ? out.length : bad); row++) {
    if (unsigned.starts[row] === starts[row] || nulls?.[row]) continue;
    if (out[row] > 2n ** 63n) return row;
    out[row] = -out[row]; // in an array of u64s it has the same bits
  }
  return bad;
}

/** @returns the first row that is none and not NULL, or -1 */
function parseUnsigned(
  kernels: Kernels,
  { data, starts, ends }: Spans,
  out: BigUint64Array,
  nulls?: Uint8Array,
): number {
  for (let from = 0; from < out.length; from++) {
    const rows = { data, starts: starts.subarray(from), ends: ends.subarray(from) };
    const bad = kernels.parseSpans(rows, 'dec', out.subarray(from));
    if (bad < 0) break;
    from += bad;
    if (!nulls?.[from]) return from;
  }
  return -1;
}

/** Texts without the first bytes of some rows. */
function without({ data, starts, ends }: Spans, bytes: number, has: (at: number, row: number) => boolean): Spans {
  return { data, starts: starts.map((at, row) => (has(at, row) ? at + bytes : at)), ends };
}

/** Texts in hexadecimal without the `0x` that they may begin with. */
function without0x(texts: Spans): Spans {
  const { data, ends } = texts;
  return without(texts, 2, (at, row) => at + 2 < ends[row] && data[at] === 0x30 && (data[at + 1] | 0x20) === 0x78);
}

function idIn(format: TextFormat): string {
  return format === 'dec' ? 'a decimal integer from -2^63 to 2^64 - 1' : `an integer from 0 to 2^64 - 1 in ${format}`;
}

type HashOptions = RowHashOptions & { readonly format: 'hex' | 'dec' };

export const HASH = byteOperation('hash', (kernels, { format, ...how }: HashOptions, records) => {
  const { header, write } = valueRows(kernels, records, { kind: format === 'hex' ? 'hex' : 'u64', isText: true });
  return { make: rowHasher(kernels, how), header, write: (rows: Batch) => write(rows, [rows.hashes]) };
});
