// What the page says if nothing that was pasted is an id.

import { namesIn } from '../../arguments.js';
import { type Cells, textIn } from './cells.js';
import { DIGITS, parseCells } from './id-column.js';
import { FORMAT_NAMES, isWideKind, type ReadFormat } from './problems.js';
import type { Inputs } from './shape.js';

const SAMPLES = 5;
const MAX_BYTES = 64;
/** Larger inputs are not read again in every format. */
const MAX_INPUT = 1_000_000;

/** Some texts that are not ids, and the formats in which some are, with how many. */
export function unreadableIn(inputs: Inputs, cells: Cells, format: ReadFormat, column: string | undefined) {
  const rows = Array.from(cells.starts.subarray(0, SAMPLES), (_, row) => row);
  const { data, starts, ends } = cells;
  const others = namesIn(FORMAT_NAMES).filter((other) => other !== format && data.length <= MAX_INPUT);
  const alternatives = others.map((other) => {
    const read = inputs.as(other).read(column).cells;
    return { format: other, ids: read.starts.length - parseCells(read, other).bad };
  });
  const textOf = (row: number) => textIn(data, starts[row], Math.min(ends[row], starts[row] + MAX_BYTES));
  return {
    /** In pieces: every second one has characters that are not of the format. */
    samples: rows.map((row) => piecesOf(textOf(row), format)),
    alternatives: alternatives.filter(({ ids }) => ids > 0).sort((a, b) => b.ids - a.ids),
  };
}

function piecesOf(text: string, format: ReadFormat): string[] {
  if (isWideKind(format)) return [text];
  const digit = DIGITS[format].source;
  return text.split(new RegExp(`((?:(?!${digit}).)+)`, 'i'));
}
