import { formatId, layouts, parseId, setBackend, typedKey } from 'shardbits';
import type { Area, Way } from '../area.js';
import { dateByHand, type Fields, fromBase62, packByHand, toBase62, unpackByHand } from '../by-hand.js';
import { strings, u64s } from '../inputs.js';
import { toFields, toNumbers, toStrings, toU64s } from '../one-by-one.js';

const { snowflake } = layouts;

/** One call for each value, against code as people write it by hand; bench/peers has the same against libraries. */
export function* singleValues(all: number): Iterable<Area> {
  setBackend('wasm');
  const rows = Math.ceil(all / 10);
  const ids = Array.from(u64s(rows), (key) => key >> 1n); // the layout has 63 bits
  const values: Fields[] = ids.map(unpackByHand);
  const area = (name: string, title: string, bytesPerRow: number, ...ways: Way[]): Area => {
    return { name: `single-${name}`, title, rows, bytesPerRow, ways };
  };
  yield area(
    'unpack',
    'layout.unpack, snowflake',
    28,
    toFields('shardbits', ids, (id) => snowflake.unpack(id)),
    toFields('BigInt by hand', ids, unpackByHand),
  );
  yield area(
    'date',
    'layout.dateOf, snowflake',
    16,
    toNumbers('shardbits', ids, (id) => snowflake.dateOf(id).getTime()),
    toNumbers('BigInt by hand', ids, (id) => dateByHand(id).getTime()),
  );
  yield area(
    'pack',
    'layout.pack, snowflake',
    28,
    toU64s('shardbits', values, (fields) => snowflake.pack(fields)),
    toU64s('BigInt by hand', values, packByHand),
  );
  yield* texts(area, ids);
  const keys = strings(rows, 12, 'user:');
  yield area(
    'typed-key',
    'typedKey',
    24,
    toStrings('shardbits', keys, (key) => typedKey('User', key)),
    toStrings('a template', keys, (key) => `${Buffer.byteLength('User')}:User:${key}`),
  );
}

function* texts(
  area: (name: string, title: string, bytesPerRow: number, ...ways: Way[]) => Area,
  ids: readonly bigint[],
) {
  const dec = ids.map((id) => formatId(id, 'dec', { padded: false }));
  const hex = ids.map((id) => formatId(id, 'hex'));
  const base62 = ids.map((id) => formatId(id, 'base62'));
  yield area(
    'format-dec',
    'formatId, dec, not padded',
    28,
    toStrings('shardbits', ids, (id) => formatId(id, 'dec', { padded: false })),
    toStrings('String(id)', ids, String),
  );
  yield area(
    'format-dec-padded',
    'formatId, dec',
    28,
    toStrings('shardbits', ids, (id) => formatId(id, 'dec')),
    toStrings('padStart', ids, (id) => String(id).padStart(20, '0')),
  );
  yield area(
    'format-hex',
    'formatId, hex',
    24,
    toStrings('shardbits', ids, (id) => formatId(id, 'hex')),
    toStrings('toString(16)', ids, (id) => id.toString(16).padStart(16, '0')),
  );
  yield area(
    'format-base62',
    'formatId, base62',
    19,
    toStrings('shardbits', ids, (id) => formatId(id, 'base62')),
    toStrings('BigInt by hand', ids, toBase62),
  );
  yield area(
    'parse-dec',
    'parseId, dec',
    28,
    toU64s('shardbits', dec, (text) => parseId(text, 'dec')),
    toU64s('BigInt(text)', dec, BigInt),
  );
  yield area(
    'parse-hex',
    'parseId, hex',
    24,
    toU64s('shardbits', hex, (text) => parseId(text, 'hex')),
    toU64s('BigInt(0x…)', hex, (text) => BigInt(`0x${text}`)),
  );
  yield area(
    'parse-base62',
    'parseId, base62',
    19,
    toU64s('shardbits', base62, (text) => parseId(text, 'base62')),
    toU64s('BigInt by hand', base62, fromBase62),
  );
}
