// What the compiler knows about a layout: the widths of its fields decide the types of their values and columns. If the
// fields are known only at run time, the types are unions of all.

import type { ColumnArray } from '../kernels/types.js';
import type { FieldSpec } from './fields.js';

/** The fields of a layout by name, most significant first. */
export type FieldSpecs = { readonly [name: string]: FieldSpec };

type To8 = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
type To16 = To8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16;
type To32 = To16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32;
type To43 = To32 | 33 | 34 | 35 | 36 | 37 | 38 | 39 | 40 | 41 | 42 | 43;
type To53 = To43 | 44 | 45 | 46 | 47 | 48 | 49 | 50 | 51 | 52 | 53;

type BitsOf<Spec> = Spec extends number ? Spec : Spec extends { readonly bits: infer Bits } ? Bits : never;

/** True, false, or `boolean` if that is known only at run time. */
type IsTime<Name, Spec> = Name extends 'timestamp'
  ? true
  : Spec extends { readonly epoch: Date | number } | { readonly unit: string }
    ? true
    : string extends Name
      ? boolean
      : [ValueOf<Spec, 'epoch'>, ValueOf<Spec, 'unit'>] extends [undefined, undefined]
        ? false
        : boolean;

type ValueOf<Spec, Name> = Name extends keyof Spec ? Spec[Name] : undefined;

/** `Time` for a field that holds time, `Other` for one that does not. */
export type ByKind<Name, Spec, Time, Other> =
  IsTime<Name, Spec> extends infer Is ? (Is extends true ? Time : Other) : never;

type NumberOf<Bits> = number extends Bits ? number | bigint : Bits extends To53 ? number : bigint;

type NarrowOf<Bits> = number extends Bits
  ? ColumnArray
  : Bits extends To8
    ? Uint8Array
    : Bits extends To16
      ? Uint16Array
      : Bits extends To32
        ? Uint32Array
        : Bits extends To53
          ? Float64Array
          : BigUint64Array;

type HoldingOf<Bits> = number extends Bits
  ? ColumnArray
  :
      | BigUint64Array
      | (Bits extends To53 ? Float64Array : never)
      | (Bits extends To32 ? Uint32Array : never)
      | (Bits extends To16 ? Uint16Array : never)
      | (Bits extends To8 ? Uint8Array : never);

/**
 * Integers. Signed ones must not be negative, except in a BigInt64Array, which is read as the same bits.
 * @inline
 */
type FieldArray = ColumnArray | Uint8ClampedArray | Int8Array | Int16Array | Int32Array | Float32Array | BigInt64Array;

/** @inline */
type TimeArray = Float64Array | BigUint64Array | BigInt64Array;

/** The same type, which editors show by its properties instead of its name. */
type Expanded<T> = T extends infer Same ? { [K in keyof Same]: Same[K] } : never;

/**
 * The JSON of a layout. As this type keeps its name, the compiler knows `S` where a function takes an `IdLayout<S>` and is
 * given a `Layout`.
 */
export type LayoutJson<S extends FieldSpecs> = { -readonly [K in keyof S]: FieldSpec };

/** A value for every field. A time is a Date, a number of Unix milliseconds, or a bigint of the field's own units. */
export type FieldValues<S extends FieldSpecs> = Expanded<{
  readonly [K in keyof S]: ByKind<K, S[K], Date | number | bigint, number | bigint>;
}>;

/**
 * A column or one value for every field. A time is a Float64Array of Unix milliseconds, a BigUint64Array of the field's
 * own units, or one value.
 */
export type ColumnsToPack<S extends FieldSpecs> = Expanded<{
  readonly [K in keyof S]: ByKind<K, S[K], TimeArray | Date | number | bigint, FieldArray | number | bigint>;
}>;

/** The values of an id: Unix milliseconds for a time, a number for other fields up to 53 bits, a bigint for wider ones. */
export type UnpackedValues<S extends FieldSpecs> = Expanded<{
  -readonly [K in keyof S]: ByKind<K, S[K], number, NumberOf<BitsOf<S[K]>>>;
}>;

/** Columns that {@link Layout.unpackMany} can write to: arrays whose elements hold the field. */
export type OutColumns<S extends FieldSpecs> = {
  readonly [K in keyof S]?: ByKind<K, S[K], Float64Array | BigUint64Array, HoldingOf<BitsOf<S[K]>>> | undefined;
};

/** The columns of some fields: the array in `Out` if there is one, otherwise u64s if `Wide`, otherwise the narrowest. */
export type UnpackedColumns<
  S extends FieldSpecs,
  Name extends keyof S,
  Wide extends boolean | undefined,
  Out,
> = Expanded<{
  -readonly [K in Name]: ColumnOf<S, K, Wide, Out>;
}>;

type ColumnOf<S extends FieldSpecs, K extends keyof S, Wide extends boolean | undefined, Out> = Out extends {
  readonly [Given in K]?: infer Column;
}
  ? K extends keyof Out
    ? Exclude<Column, undefined> | (undefined extends Out[K] ? NewColumn<S, K, Wide> : never)
    : NewColumn<S, K, Wide>
  : NewColumn<S, K, Wide>;

/** The type of a new column for a field. */
export type NewColumn<S extends FieldSpecs, K extends keyof S, Wide extends boolean | undefined> = Wide extends true
  ? BigUint64Array
  : ByKind<K, S[K], Float64Array, NarrowOf<BitsOf<S[K]>>>;

/** `never` if no field can hold time, otherwise `Then`. */
export type IfTime<S extends FieldSpecs, Then> = true extends { [K in keyof S]: IsTime<K, S[K]> }[keyof S]
  ? Then
  : never;

/** `never` if there is certainly no field with this name, otherwise `Then`. */
export type IfField<S extends FieldSpecs, Name extends string, Then> = string extends keyof S
  ? Then
  : Extract<keyof S, Name> extends never
    ? never
    : Then;

type NumberIn<Text extends string> = Text extends `${infer Bits extends number}` ? Bits : never;

type Whitespace = ' ' | '\t' | '\n' | '\r';

type Trim<Text extends string> = Text extends `${Whitespace}${infer Rest}` | `${infer Rest}${Whitespace}`
  ? Trim<Rest>
  : Text;

/** The fields that a text such as `timestamp:41,shard:10` names; those of any layout if the text is not a literal type. */
export type SpecsOf<Text extends string> = string extends Text
  ? FieldSpecs
  : ParsedFields<Text> extends infer S extends FieldSpecs
    ? { readonly [K in keyof S]: S[K] }
    : FieldSpecs;

type ParsedFields<Text extends string, Before = unknown> = Text extends `${infer First},${infer Rest}`
  ? ParsedFields<Rest, Before & ParsedField<First>>
  : Before & ParsedField<Text>;

type ParsedField<Text extends string> = Text extends `${infer Name}:${infer Bits}`
  ? { readonly [K in Trim<Name>]: NumberIn<Trim<Bits>> }
  : never;
