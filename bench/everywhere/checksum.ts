import type { Results } from '../area.js';

/** A 64-bit checksum of all bytes and characters in results, as hexadecimal. Columns that differ have different checksums. */
export function checksum(results: Results): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9];
  const add = (unit: number) => {
    a = Math.imul(a ^ unit, 0x01000193); // FNV-1a
    b = Math.imul(b ^ unit, 0x85ebca6b);
    b ^= b >>> 13;
  };
  for (const column of results) {
    if (ArrayBuffer.isView(column)) {
      const bytes = bytesOf(column);
      add(bytes.length);
      for (let i = 0; i < bytes.length; i++) add(bytes[i]);
    } else {
      for (const text of column) {
        add(text.length);
        for (let i = 0; i < text.length; i++) add(text.charCodeAt(i));
      }
    }
  }
  return [a, b].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Overwrites results, so that what one way leaves in shared columns does not count as the work of the next. */
export function spoil(results: Results): void {
  for (const column of results) if (ArrayBuffer.isView(column)) bytesOf(column).fill(0xa5);
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
