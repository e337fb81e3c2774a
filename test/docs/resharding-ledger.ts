// What writers of a sharded table have tried and what was acknowledged, in a file to which each of them appends.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** The value of a row, or null if it is missing. */
export type Value = string | null;

/** A line of the file. A change is tried, and then done; a row that was read settles what it is. */
export type Line = readonly ['tried' | 'done' | 'read', id: number, value: Value] | readonly ['fault', text: string];

export const keyOf = (id: number): string => `item:${id}`;

export class Ledger {
  /** Everything that must never happen, in words. */
  readonly faults: string[] = [];
  readonly count = { tried: 0, done: 0, read: 0, fault: 0 };
  /** The values that each row may have: more than one if an answer was lost. */
  readonly #possible = new Map<number, readonly Value[]>();
  readonly #path: string;

  /** @param path of the file, which may be there from an earlier process */
  constructor(path: string) {
    this.#path = path;
    // The end of a process may have cut the last line, which was then only about to be tried.
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    for (const line of lines) this.#note(JSON.parse(line));
  }

  add(...lines: Line[]): void {
    appendFileSync(this.#path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (const line of lines) this.#note(line);
  }

  possible(id: number): readonly Value[] {
    return this.#possible.get(id) ?? [null];
  }

  ids(): Iterable<number> {
    return this.#possible.keys();
  }

  #note(line: Line): void {
    this.count[line[0]]++;
    if (line[0] === 'fault') return void this.faults.push(line[1]);
    const [kind, id, value] = line;
    if (kind === 'read' && !this.possible(id).includes(value)) {
      this.faults.push(`stale: ${id} was read as ${value}, not ${this.possible(id).join(' or ')}`);
    }
    this.#possible.set(id, kind === 'tried' ? [...this.possible(id), value] : [value]);
  }
}

/** Random numbers below a bound, the same for a seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
