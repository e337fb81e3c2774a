import { checkString, wrongValue } from '../arguments.js';
import type { FieldSpec } from './fields.js';
import type { FieldSpecs, SpecsOf } from './types.js';

/** The fields of the presets: see `layouts`. */
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

export type Presets = typeof PRESETS;

/** The fields of the layout that a text names. */
export type FieldsIn<Spec extends string> = Spec extends keyof Presets ? Presets[Spec] : SpecsOf<Spec>;

/**
 * The presets as layouts of some class. Making all of them at import would take a tenth or more of the time from start to
 * a first hash, so each is made at first use.
 */
export function presetsOf<Layouts extends object>(define: (fields: FieldSpecs) => unknown): Layouts {
  const layouts = {} as Layouts;
  for (const [name, fields] of Object.entries(PRESETS)) {
    let made: unknown;
    const get = () => {
      made ??= define(fields);
      return made;
    };
    Object.defineProperty(layouts, name, { get, enumerable: true });
  }
  return Object.freeze(layouts);
}

/** The layout that a text names: one of `presets`, or one that `define` makes of the fields in the text. */
export function layoutIn<Layout>(
  spec: string,
  presets: { readonly [name: string]: Layout },
  define: (fields: FieldSpecs) => Layout,
): Layout {
  checkString('spec', spec);
  if (Object.hasOwn(presets, spec)) return presets[spec];
  const fields: Record<string, number> = {};
  for (const part of spec.split(',')) {
    const [, name, bits] = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*:\s*([0-9]{1,2})\s*$/.exec(part) ?? [];
    if (name === undefined) {
      throw wrongValue('spec', `fields as name:bits,name:bits, or one of ${Object.keys(presets).join(', ')}`, spec);
    }
    if (Object.hasOwn(fields, name)) throw wrongValue('spec', 'each field once', spec);
    fields[name] = Number(bits);
    if (fields[name] < 1 || fields[name] > 64) throw wrongValue('spec', 'from 1 to 64 bits a field', spec);
  }
  const bits = Object.values(fields).reduce((sum, width) => sum + width, 0);
  if (bits > 64) throw wrongValue('spec', 'at most 64 bits in all', bits);
  return define(fields);
}
