export type VectorKind = 'text' | 'bytes' | 'int32' | 'int64' | 'uuid';

/** A key with what its system makes of it. What the source does not give is missing. */
export interface PartitionerVector {
  readonly kind: VectorKind;
  /** Bytes are a Uint8Array, uuids are text. */
  readonly key: string | Uint8Array | number | bigint;
  readonly token?: number | bigint | undefined;
  readonly shard?: number | undefined;
}

/** The vectors of one system with one set of options. */
export interface PartitionerVectors {
  readonly system: string;
  readonly options: object;
  readonly vectors: readonly PartitionerVector[];
}

/** The same for kinds of keys that few systems have, and for keys of several columns: `options` has `key`. */
export interface KeyedVectors {
  readonly system: string;
  readonly options: { readonly key: string | readonly string[] } & Readonly<Record<string, unknown>>;
  readonly vectors: readonly (readonly [key: unknown, token: Token, shard?: number])[];
}

type Token = number | bigint | undefined;

export const text = (key: string, token?: Token, shard?: number): PartitionerVector => ({
  kind: 'text',
  key,
  token,
  shard,
});
export const int32 = (key: number, token?: Token, shard?: number): PartitionerVector => ({
  kind: 'int32',
  key,
  token,
  shard,
});
export const int64 = (key: bigint, token?: Token, shard?: number): PartitionerVector => ({
  kind: 'int64',
  key,
  token,
  shard,
});
export const uuid = (token?: Token, shard?: number): PartitionerVector => ({ kind: 'uuid', key: UUID, token, shard });
export const bytes = (hex: string, token?: Token, shard?: number): PartitionerVector => ({
  kind: 'bytes',
  key: Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)),
  token,
  shard,
});

export const UUID = 'f79c3e09-677c-4bbd-a479-3f349cb785e7';
