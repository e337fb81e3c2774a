import { sameLength } from './contract.js';
import type { HashColumn } from './partitioner-contract.js';
import { running } from './wasm-instance.js';
import { outputAddress, type SpanKernel } from './wasm-staging.js';
import { joinPiece } from './wasm-text.js';

/** Like `mapTexts`, for the UTF-16 units of texts, little-endian. */
export function mapUnits(
  texts: readonly string[],
  out: HashColumn,
  kernel: SpanKernel,
  long: (text: string) => bigint | number,
): void {
  sameLength(texts, out);
  for (let from = 0; from < texts.length; ) {
    const { rows, joined } = joinPiece(texts, from, 2);
    if (rows === 0) {
      out[from] = long(texts[from++] as string) as never;
      continue;
    }
    const instance = running();
    const { slot2, slot3 } = instance;
    instance.writeUnits(joined, slot3);
    const [outAt, copyBack] = outputAddress(out, from, rows);
    kernel(slot3, slot2, slot2 + 4, outAt, rows);
    copyBack?.();
    from += rows;
  }
}
