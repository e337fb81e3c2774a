import { Router, xxh64Many } from 'shardbits';
import { type Area, onBackends, type Way } from '../area.js';
import { strings } from '../inputs.js';

/** Kinds of text, with the characters that fill them. */
const TEXTS: readonly { readonly name: string; readonly units: number; readonly filler: string }[] = [
  { name: 'ascii-10', units: 10, filler: 'user:' },
  { name: 'ascii-70', units: 70, filler: 'at://did:plc:' },
  { name: 'latin-12', units: 12, filler: 'größe über ' },
  { name: 'latin-70', units: 70, filler: 'größe über ' },
  { name: 'cyrillic-70', units: 70, filler: 'жизнь и судьба ' },
  { name: 'cjk-12', units: 12, filler: '漢字仮名' },
  { name: 'cjk-70', units: 70, filler: '漢字仮名' },
  { name: 'emoji-70', units: 70, filler: '😀😁 ok ' },
];

/** A quarter of the rows. With four million strings, garbage collection would dominate the measurement. */
export function stringRows(rows: number): number {
  return Math.ceil(rows / 4);
}

/** An area for each kind of text, with the ways of hashing it. */
export async function* stringAreas(
  all: number,
  ways: (texts: string[], hashes: BigUint64Array) => Way[] | Promise<Way[]>,
): AsyncIterable<Area> {
  const rows = stringRows(all);
  for (const { name, units, filler } of TEXTS) {
    const texts = strings(rows, units, filler);
    const byteLength = texts.slice(0, 1000).reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1000;
    yield {
      name: `strings-${name}`,
      title: `xxh64Many, strings of ${units} units: ${filler.trim()}…`,
      rows,
      bytesPerRow: byteLength + 8,
      ways: await ways(texts, new BigUint64Array(rows)),
    };
  }
}

export function stringHashing(all: number): AsyncIterable<Area> {
  return stringAreas(all, (texts, hashes) => {
    const slice = texts.slice(0, Math.ceil(texts.length / 10));
    return onBackends(texts.length, (count) => [
      xxh64Many(count === texts.length ? texts : slice, { out: hashes.subarray(0, count) }),
    ]);
  });
}

export function* stringRouting(all: number): Iterable<Area> {
  const rows = stringRows(all);
  const texts = strings(rows, 70, 'at://did:plc:');
  const slice = texts.slice(0, Math.ceil(rows / 10));
  const shards = new Uint32Array(rows);
  const router = new Router({ shards: 1024 });
  yield {
    name: 'route-strings',
    title: 'Router.routeMany, strings of 70 ASCII characters, 1,024 shards',
    rows,
    bytesPerRow: 74,
    ways: onBackends(rows, (count) => [
      router.routeMany(count === rows ? texts : slice, { out: shards.subarray(0, count) }),
    ]),
  };
}
