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

/** A text in pieces: every second one has characters that are not of the format. */
type Pieces = readonly string[];

/** Some texts that are not ids, and the formats in which some are, with how many. */
export function unreadableIn(inputs: Inputs, cells: Cells, format: ReadFormat, column: string | undefined) {
  const rows = Array.from(cells.starts.subarray(0, SAMPLES), (_, row) => row);
  const others = namesIn(FORMAT_NAMES).filter((other) => other !== format);
  const alternatives = cells.data.length > MAX_INPUT ? [] : others.map((other) => readAs(inputs, other, column));
  return {
    samples: rows.map((row) => piecesOf(textOf(cells, row), format)),
    alternatives: alternatives.filter(({ ids }) => ids > 0).sort((a, b) => b.ids - a.ids),
  };
}

function textOf({ data, starts, ends }: Cells, row: number): string {
  return textIn(data, starts[row], Math.min(ends[row], starts[row] + MAX_BYTES));
}

function piecesOf(text: string, format: ReadFormat): Pieces {
  if (isWideKind(format)) return [text];
  const digit = DIGITS[format].source;
  return text.split(new RegExp(`((?:(?!${digit}).)+)`, 'i'));
}

function readAs(inputs: Inputs, format: ReadFormat, column: string | undefined) {
  const { cells } = inputs.as(format).read(column);
  const { bad } = parseCells(cells, format);
  return { format, ids: cells.starts.length - bad };
}
