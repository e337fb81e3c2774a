import { CellList, type Cells } from './cells.js';
import type { GivenText } from './open.js';
import type { ReadFormat } from './problems.js';
import { type GuessedShape, guessShape, type ReadText, readShape, type ShapeKind, shapeFor } from './shape.js';

/** The cells of all texts, one after the other, and each text by itself. */
export interface ReadTexts {
  readonly cells: Cells;
  readonly blankLines: number;
  readonly parts: readonly ReadText[];
}

/** One text or several files: their shapes, which may differ, and the columns that any of them has. */
export class GivenTexts {
  /** @param shapes one for each text; guessed if missing */
  constructor(
    private readonly given: readonly GivenText[],
    private readonly shapes: readonly GuessedShape[] = given.map(({ data }) => guessShape(data)),
  ) {}

  /** The same texts, with the ids in their lines that are of a format. */
  as(read: ReadFormat | 'guess'): GivenTexts {
    const shapes = this.given.map(({ data }, i) => shapeFor(read, data, this.shapes[i]));
    return shapes.every((shape, i) => shape === this.shapes[i]) ? this : new GivenTexts(this.given, shapes);
  }

  get bytes(): number {
    return sum(this.given, ({ bytes }) => bytes);
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
    const kinds = new Set(this.shapes.map(({ shape }) => shape.kind));
    return kinds.size === 1 ? [...kinds][0] : undefined;
  }

  get hasHeader(): boolean {
    return this.shapes.some(({ shape }) => shape.header);
  }

  /** The names of all columns. */
  get columns(): string[] {
    return [...new Set(this.shapes.flatMap(({ shape }) => shape.choices.map(({ name }) => name)))];
  }

  /** Which of {@link columns} is read: the one with a name, or the one guessed of the first text. */
  columnOf(name: string | undefined): number {
    const { columns } = this;
    const named = name === undefined ? -1 : columns.indexOf(name);
    const [first] = this.shapes;
    const guessed = first?.shape.choices[first.column]?.name ?? '';
    return named < 0 ? columns.indexOf(guessed) : named;
  }

  /** The column with a name, of each text; of one that has no such column, the one guessed. */
  read(name: string | undefined): ReadTexts {
    const parts = this.given.map(({ data }, i) => {
      const { shape, column } = this.shapes[i];
      const named = shape.choices.findIndex((choice) => choice.name === name);
      return readShape(data, shape, named < 0 ? column : named);
    });
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return { ...only, parts };
    return { parts, cells: this.#joined(parts), blankLines: sum(parts, ({ blankLines }) => blankLines) };
  }

  #joined(parts: readonly ReadText[]): Cells {
    const data = new Uint8Array(sum(parts, ({ cells }) => cells.data.length));
    const whole = new CellList(data);
    let at = 0;
    const files = parts.map(({ cells }, i) => {
      const firstRow = whole.count;
      data.set(cells.data, at);
      cells.starts.forEach((start, row) => {
        const [end, line, problem] = [cells.ends[row], cells.lines[row], cells.problems[row]];
        whole.push(at + start, at + end, line, problem, cells.columns[row]);
      });
      at += cells.data.length;
      return { name: this.given[i]?.name, firstRow };
    });
    return { ...whole.finish(), files };
  }
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
