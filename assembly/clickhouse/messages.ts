// How a function fails: ClickHouse ends the query with a message, and drops the instance. The compiler places the texts in
// memory, from `memoryBase` of asconfig.json on, which has to be above the memory of the kernels.

import { SLOT_3 } from '../memory';

@external('env', 'clickhouse_throw')
declare function clickhouse_throw(text: usize, byteLength: u32): void;

// A message of less than 1 KiB in ASCII is in a slot that this module does not use otherwise.
let end: usize = SLOT_3;

export function say(text: string): void {
  for (let i = 0; i < text.length; i++) store<u8>(end++, <u8>text.charCodeAt(i));
}

export function sayNumber(value: u64): void {
  if (value >= 10) sayNumber(value / 10);
  store<u8>(end++, 0x30 + <u8>(value % 10));
}

/** Does not return. */
export function fail(): void {
  clickhouse_throw(SLOT_3, <u32>(end - SLOT_3));
  unreachable();
}
