import { closeSync, openSync, writeSync } from 'node:fs';
import { atUris } from '../../src/cli/commands/demo.js';

const MOST = 4_000_000;

/** Writes AT-URIs of 70 bytes, one on each line. After four million they repeat. */
export function writeAtUris(path: string, count: number): void {
  const distinct = Math.min(count, MOST);
  const { data, offsets } = atUris(distinct);
  const rowBytes = offsets[1] + 1;
  const text = Buffer.alloc(distinct * rowBytes, '\n');
  for (let row = 0; row < distinct; row++) text.set(data.subarray(offsets[row], offsets[row + 1]), row * rowBytes);
  const file = openSync(path, 'w');
  for (let left = count * rowBytes; left > 0; ) left -= writeSync(file, text, 0, Math.min(left, text.length));
  closeSync(file);
}
