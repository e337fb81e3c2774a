// The module for ClickHouse in this process: buffers as ClickHouse makes them, in RowBinary.
import { readFileSync } from 'node:fs';

type Call = (input: number, rows: number) => number;

interface Exports {
  readonly memory: WebAssembly.Memory;
  clickhouse_create_buffer(byteLength: number): number;
  clickhouse_destroy_buffer(handle: number): void;
}

export const MODULE = new WebAssembly.Module(readFileSync('build/clickhouse.wasm'));

/** An argument of a row: its bytes in RowBinary. */
export type Argument = Uint8Array;

function leb128(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb128(Math.floor(value / 128))];
}

export function text(bytes: Uint8Array): Argument {
  return Buffer.concat([Buffer.from(leb128(bytes.length)), bytes]);
}

export function u64(value: bigint): Argument {
  return new Uint8Array(BigUint64Array.of(value).buffer);
}

/** `router UInt128`. */
export function router(shards: bigint | number, seed: bigint): Argument {
  return new Uint8Array(BigUint64Array.of(BigInt(shards), seed).buffer);
}

export function array(values: readonly number[]): Argument {
  return Uint8Array.from([...leb128(values.length), ...new Uint8Array(Uint32Array.from(values).buffer)]);
}

/** An instance, which ClickHouse uses for one block at a time. A block that fails ends it. */
export class Instance {
  readonly #exports: Exports;

  constructor() {
    const throws = (at: number, byteLength: number) => {
      throw new Error(Buffer.from(this.#exports.memory.buffer, at, byteLength).toString());
    };
    this.#exports = new WebAssembly.Instance(MODULE, { env: { clickhouse_throw: throws } })
      .exports as unknown as Exports;
  }

  get memoryBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  createBuffer(byteLength: number): number {
    return this.#exports.clickhouse_create_buffer(byteLength);
  }

  /** The results of a function for some rows, as bytes. */
  call(name: string, rows: readonly (readonly Argument[])[]): Uint8Array<ArrayBuffer> {
    return this.callWithBytes(name, Buffer.concat(rows.flat()), rows.length);
  }

  callWithBytes(name: string, bytes: Uint8Array, rows: number): Uint8Array<ArrayBuffer> {
    const { clickhouse_destroy_buffer: destroy } = this.#exports;
    const input = this.createBuffer(bytes.length);
    this.#bytesOf(input).set(bytes);
    const output = (this.#exports as unknown as { [name: string]: Call })[name]?.(input, rows) as number;
    const result = this.#bytesOf(output).slice();
    destroy(output);
    destroy(input);
    return result;
  }

  #bytesOf(handle: number): Uint8Array<ArrayBuffer> {
    const buffer = this.#exports.memory.buffer as ArrayBuffer;
    const [at, byteLength] = new Uint32Array(buffer, handle, 2) as unknown as [number, number];
    return new Uint8Array(buffer, at, byteLength);
  }
}

export const u32sIn = (bytes: Uint8Array<ArrayBuffer>): Uint32Array => new Uint32Array(bytes.buffer);
export const u64sIn = (bytes: Uint8Array<ArrayBuffer>): BigUint64Array => new BigUint64Array(bytes.buffer);
