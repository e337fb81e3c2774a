import { checkString, wrongValue } from '../arguments.js';
import type { FieldSpec } from './fields.js';
import { defineLayout, type Layout } from './layout.js';
import type { FieldSpecs, SpecsOf } from './types.js';

const PRESETS = {
  clientEntity: { client: 22, entity: 40 },
  pinterest: { shard: 16, type: 10, local: 36 },
  ragedb: { local: 38, type: { bits: 16, min: 1 }, shard: 10 },
  snowflake: { timestamp: { bits: 41, epoch: 1672531200000 }, shard: 10, sequence: 12 },
  twitter: { timestamp: { bits: 41, epoch: 1288834974657 }, datacenter: 5, worker: 5, sequence: 12 },
  instagram: { timestamp: { bits: 41, epoch: 1314220021721 }, shard: 13, sequence: 10 },
  discord: { timestamp: { bits: 42, epoch: 1420070400000 }, worker: 5, process: 5, increment: 12 },
  mastodon: { timestamp: 48, tail: 16 },
  sonyflake: { timestamp: { bits: 39, epoch: 1409529600000, unit: '10ms' }, sequence: 8, machine: 16 },
  uidGenerator: { timestamp: { bits: 28, epoch: 1463673600000, unit: 's' }, worker: 22, sequence: 13 },
  interned: { prefix: 14, sequence: { bits: 50, min: 1 } },
  atproto: { timestamp: { bits: 53, unit: 'us' }, clock: 10 },
  tidb: { timestamp: 46, logical: 18 },
  linkedin: { timestamp: 41, tail: 22 },
  tsid: { timestamp: { bits: 42, epoch: 1577836800000 }, tail: 22 },
  cockroachdb: { timestamp: { bits: 48, epoch: 1420070400000, unit: '10us' }, node: 15 },
  hazelcast: { timestamp: { bits: 41, epoch: 1514764800000 }, sequence: 6, node: 16 },
  threads: { timestamp: { bits: 41, epoch: 1314220021721 }, shard: 13, sequence: 10 },
} as const satisfies Record<string, Record<string, FieldSpec>>;

/**
 * Well-known layouts. The epoch of `snowflake` is 2023-01-01, that of `sonyflake` 2014-09-01; the others have the epochs
 * of their makers. All are in UTC. If a system was set up with another epoch or other widths, define your own layout.
 *
 * | layout | fields, most significant first | source |
 * | --- | --- | --- |
 * | clientEntity | client 22, entity 40 | a client and an entity number |
 * | pinterest | shard 16, type 10, local 36 | Pinterest, "Sharding Pinterest" |
 * | ragedb | local 38, type 16 (0 is an error), shard 10 | RageDB |
 * | snowflake | timestamp 41 ms, shard 10, sequence 12 | after Twitter's, with one shard number |
 * | twitter | timestamp 41 ms, datacenter 5, worker 5, sequence 12 | twitter-archive/snowflake |
 * | instagram | timestamp 41 ms, shard 13, sequence 10 | Instagram engineering |
 * | discord | timestamp 42 ms, worker 5, process 5, increment 12 | Discord developer documentation |
 * | mastodon | timestamp 48 ms, tail 16 | mastodon/mastodon `lib/mastodon/snowflake.rb` |
 * | sonyflake | timestamp 39 of 10 ms, sequence 8, machine 16 | sony/sonyflake |
 * | uidGenerator | timestamp 28 s, worker 22, sequence 13 | baidu/uid-generator; full since 2024-11-20 |
 * | interned | prefix 14, sequence 50 (from 1) | interned strings |
 * | atproto | timestamp 53 µs, clock 10; as text `sortable32` | atproto.com/specs/tid |
 * | tidb | timestamp 46 ms, logical 18 | TiDB documentation, "TimeStamp Oracle (TSO) in TiDB" |
 * | linkedin | timestamp 41 ms, tail 22 | obsidianforensics/unfurl `unfurl/parsers/parse_linkedin.py` |
 * | tsid | timestamp 42 ms, tail 22; as text `crockford32` | f4b6a3/tsid-creator, vladmihalcea/hypersistence-tsid |
 * | cockroachdb | timestamp 48 of 10 µs, node 15 | cockroachdb/cockroach, `unique_rowid()` in `pkg/sql/sem/builtins` |
 * | hazelcast | timestamp 41 ms, sequence 6, node 16 | hazelcast/hazelcast `FlakeIdGeneratorProxy.java` |
 * | threads | as instagram | public posts of Threads: their ids are made shortly before their dates |
 */
export const layouts = /* @__PURE__ */ madeAtFirstUse();

type Presets = typeof PRESETS;

type Layouts = { readonly [P in keyof Presets]: Layout<Presets[P]> };

/** Making all of them at import would take a tenth or more of the time from start to a first hash. */
function madeAtFirstUse(): Layouts {
  const layouts = {} as Layouts;
  for (const [name, fields] of Object.entries(PRESETS)) {
    let made: Layout | undefined;
    const get = () => {
      made ??= defineLayout<FieldSpecs>(fields);
      return made;
    };
    Object.defineProperty(layouts, name, { get, enumerable: true });
  }
  return Object.freeze(layouts);
}

/**
 * Makes a layout from text: the name of a preset, or fields with their bits, most significant first.
 * @param spec `snowflake`, or `timestamp:41,shard:10,sequence:12`
 * @throws TypeError if `spec` is not a string
 * @throws RangeError if `spec` is neither, or its fields are not a layout (see {@link defineLayout})
 * @example
 * parseLayout('client:22,entity:40').unpack(135239930216451n);
 */
export function parseLayout<const Spec extends string>(
  spec: Spec,
): Layout<Spec extends keyof Presets ? Presets[Spec] : SpecsOf<Spec>>;
export function parseLayout(spec: string): Layout {
  checkString('spec', spec);
  const presets: { readonly [name: string]: Layout } = layouts;
  if (Object.hasOwn(presets, spec)) return presets[spec];
  const fields: Record<string, number> = {};
  for (const part of spec.split(',')) {
    const [, name, bits] = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*:\s*([0-9]{1,2})\s*$/.exec(part) ?? [];
    if (name === undefined) {
      throw wrongValue('spec', `fields as name:bits,name:bits, or one of ${Object.keys(layouts).join(', ')}`, spec);
    }
    if (Object.hasOwn(fields, name)) throw wrongValue('spec', 'each field once', spec);
    fields[name] = Number(bits);
    if (fields[name] < 1 || fields[name] > 64) throw wrongValue('spec', 'from 1 to 64 bits a field', spec);
  }
  const bits = Object.values(fields).reduce((sum, width) => sum + width, 0);
  if (bits > 64) throw wrongValue('spec', 'at most 64 bits in all', bits);
  return defineLayout(fields);
}
