import type { Cells } from './cells.js';
import type { GivenText } from './open-given.js';
import { type GuessedShape, guessShape, type ReadText, readShape, type ShapeKind, shapeFor } from './shape.js';
import type { ReadFormat } from './wide-kinds.js';

/** The cells of all texts, one after the other, and each text by itself. */
export interface ReadTexts {
  readonly cells: Cells;
  readonly blankLines: number;
  readonly parts: readonly ReadText[];
}

/** One text or several files: their shapes, which may differ, and the columns that any of them has. */
export class GivenTexts {
  readonly #texts: readonly (GuessedShape & { readonly data: Uint8Array })[];

  /** @param shapes one for each text; guessed if missing */
  constructor(
    private readonly given: readonly GivenText[],
    shapes?: readonly GuessedShape[],
  ) {
    this.#texts = given.map(({ data }, i) => ({ ...(shapes?.[i] ?? guessShape(data)), data }));
  }

  /** The same texts, with the ids in their lines that are of a format. */
  as(read: ReadFormat | 'guess'): GivenTexts {
    if (read === 'guess') return this;
    const shapes = this.#texts.map((text) => shapeFor(read, text.data, text));
    return shapes.every((shape, i) => shape === this.#texts[i]) ? this : new GivenTexts(this.given, shapes);
  }

  get bytes(): number {
    return this.given.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The first text: what is in it may tell where the ids come from. */
  get first(): Uint8Array {
    return this.given[0]?.data ?? new Uint8Array(0);
  }

  get files(): number {
    return this.given.length;
  }

  /** undefined: they are of several kinds. */
  get kind(): ShapeKind | undefined {
    const kinds = new Set(this.#texts.map(({ shape }) => shape.kind));
    return kinds.size === 1 ? [...kinds][0] : undefined;
  }

  get hasHeader(): boolean {
    return this.#texts.some(({ shape }) => shape.header);
  }

  /** The names of all columns. */
  get columns(): string[] {
    return [...new Set(this.#texts.flatMap(({ shape }) => shape.choices.map(({ name }) => name)))];
  }

  /** Which of {@link columns} is read: the one with a name, or the one guessed of the first text. */
  columnOf(name: string | undefined): number {
    const { columns } = this;
    const named = name === undefined ? -1 : columns.indexOf(name);
    const [first] = this.#texts;
    const guessed = first?.shape.choices[first.column]?.name ?? '';
    return named < 0 ? columns.indexOf(guessed) : named;
  }

  /** The column with a name, of each text; of one that has no such column, the one guessed. */
  read(name: string | undefined): ReadTexts {
    const parts = this.#texts.map(({ data, shape, column }) => {
      const named = shape.choices.findIndex((choice) => choice.name === name);
      return readShape(data, shape, named < 0 ? column : named);
    });
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return { ...only, parts };
    return {
      parts,
      cells: joined(
        parts.map(({ cells }) => cells),
        this.given.map((text) => text.name),
      ),
      blankLines: parts.reduce((sum, { blankLines }) => sum + blankLines, 0),
    };
  }
}

function joined(parts: readonly Cells[], names: readonly string[]): Cells {
  const rows = parts.reduce((sum, { starts }) => sum + starts.length, 0);
  const bytes = parts.reduce((sum, { data }) => sum + data.length, 0);
  const hasColumns = parts.some(({ columns }) => columns !== undefined);
  const cells = {
    data: new Uint8Array(bytes),
    starts: new Uint32Array(rows),
    ends: new Uint32Array(rows),
    lines: new Uint32Array(rows),
    columns: hasColumns ? new Uint32Array(rows) : undefined,
    problems: new Uint8Array(rows),
    files: [] as { name: string; firstRow: number }[],
  };
  let row = 0;
  let at = 0;
  parts.forEach((part, i) => {
    const offset = at;
    cells.files.push({ name: names[i] as string, firstRow: row });
    cells.data.set(part.data, at);
    cells.starts.set(
      part.starts.map((start) => start + offset),
      row,
    );
    cells.ends.set(
      part.ends.map((end) => end + offset),
      row,
    );
    cells.lines.set(part.lines, row);
    if (part.columns !== undefined) cells.columns?.set(part.columns, row);
    cells.problems.set(part.problems, row);
    row += part.starts.length;
    at += part.data.length;
  });
  return cells;
}
