/**
 * Single ids without WebAssembly, for programs that read or make one id at a time: their fields, and their text. The
 * results and errors are those of `shardbits`. A layout has no methods for columns here, and is accepted wherever
 * `shardbits` takes a layout.
 * @module shardbits/ids
 */

import { placeFields } from '../layout/fields.js';
import { IdLayout } from '../layout/id-layout.js';
import { type FieldsIn, layoutIn, type Presets, presetsOf } from '../layout/presets.js';
import type { FieldSpecs } from '../layout/types.js';

export type { ArgumentProblem, ArgumentRangeError, ArgumentTypeError } from '../arguments.js';
export type { TextFormat } from '../kernels/types.js';
export type { Field, FieldPlace, FieldSpec } from '../layout/fields.js';
export type { IdLayout, LayoutTime } from '../layout/id-layout.js';
export type { TimeUnit } from '../layout/time.js';
export type { FieldSpecs, FieldValues, LayoutJson, UnpackedValues } from '../layout/types.js';
export { type FormatOptions, formatId, parseId } from './text.js';

/**
 * Makes a layout from its fields, most significant first: `{ name: bits }`, or an object for a field. A field
 * with an `epoch` or a `unit`, or named `timestamp`, holds time: it counts units (by default milliseconds)
 * since its epoch (by default 1970). `shardOf` reads the field named `shard`.
 * @param fields names of letters, digits and `_` that start with a letter; 1 to 64 bits in total
 * @throws TypeError if a field is of the wrong kind
 * @throws RangeError if bits are out of range, a name is not allowed, or two fields hold time
 * @example
 * const layout = defineLayout({ timestamp: { bits: 42, epoch: Date.UTC(2024, 0) }, shard: 8, sequence: 14 });
 */
export function defineLayout<const S extends FieldSpecs>(fields: S): IdLayout<S> {
  const layout = new IdLayout<S>(placeFields(fields));
  Object.freeze(layout);
  return layout;
}

/** The well-known layouts that `shardbits` has, with the same names. */
export const layouts = /* @__PURE__ */ presetsOf<{ readonly [P in keyof Presets]: IdLayout<Presets[P]> }>(defineLayout);

/**
 * Makes a layout from text: the name of a preset, or fields with their bits, most significant first.
 * @param spec `snowflake`, or `timestamp:41,shard:10,sequence:12`
 * @throws TypeError if `spec` is not a string
 * @throws RangeError if `spec` is neither, or its fields are not a layout (see {@link defineLayout})
 * @example
 * parseLayout('client:22,entity:40').unpack(135239930216451n);
 */
export function parseLayout<const Spec extends string>(spec: Spec): IdLayout<FieldsIn<Spec>>;
export function parseLayout(spec: string): IdLayout {
  return layoutIn<IdLayout>(spec, layouts, defineLayout);
}
