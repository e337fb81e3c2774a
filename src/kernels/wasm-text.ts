import { running } from './wasm-instance.js';

/** Texts in slot 3 as UTF-8, with their spans in slot 2. */
export interface TextPiece {
  /** How many; 0 if the first is too long for a piece. */
  readonly rows: number;
  /** The addresses of their starts and ends. */
  readonly starts: number;
  readonly ends: number;
  /** Whether any was not ASCII. */
  readonly wide: boolean;
}

// The joined text then stays among the engine's small objects, which are collected cheaply: with twice as
// many, 12 units that are not ASCII take 35 to 43 ns instead of 27 to 35, and more where a program makes
// much garbage. Half as many cost more calls.
const PIECE_UNITS = 32 * 1024;

/**
 * Joins as many texts as a piece holds, from `from` on: one by one, as `join` of an array of them takes 10 ns more each. Slot 2 gets where each starts in `width` bytes a unit, and where the
 * last one ends.
 */
export function joinPiece(texts: readonly string[], from: number, width: 1 | 2): { rows: number; joined: string } {
  const { memory, slot2, pieceRows } = running();
  const offsets = memory.views.u32.subarray(slot2 / 4, slot2 / 4 + pieceRows + 1);
  offsets[0] = 0;
  let joined = '';
  let rows = 0;
  while (from + rows < texts.length && rows < pieceRows) {
    const text = texts[from + rows] as string;
    if (joined.length + text.length > PIECE_UNITS) break;
    joined += text;
    offsets[++rows] = joined.length * width;
  }
  return { rows, joined };
}

/**
 * Encodes as many texts as a piece holds, from `from` on: joined, as a call for each costs more than its
 * work. The engine's encoder is the fastest for ASCII; as many bytes as units prove that all is. Where it
 * is not, as in the piece before (`wide`), units are taken as they are and encoded by the kernel. For 70
 * units joined that takes 55 to 100 ns, the engine's encoder 90 to 140, and a call for each 65 to 115.
 */
export function encodePiece(texts: readonly string[], from: number, wide: boolean): TextPiece {
  const instance = running();
  const { core, memory, encoder, slot1, slot2, slot3 } = instance;
  const { rows, joined } = joinPiece(texts, from, 1);
  let isWide = wide || encoder.encodeInto(joined, instance.textRoom()).written !== joined.length;
  if (isWide) {
    instance.writeUnits(joined, slot1);
    core.toUtf8(slot1, slot2 + 4, rows, slot3);
    isWide = memory.views.u32[slot2 / 4 + rows] !== joined.length;
  }
  return { rows, starts: slot2, ends: slot2 + 4, wide: isWide };
}
