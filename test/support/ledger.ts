// What processes were given, over all the histories that a store has had: a restore begins another one.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Acknowledged } from './acknowledged.js';

const PIECE_BYTES = 65_536;

/** An error that ended a job of a process. */
export interface Failure {
  readonly job: string;
  readonly isTransient?: boolean;
  /** With those of its causes. */
  readonly message: string;
}

/** What one process was given, by the file to which `working-process.mjs` appends. */
export class Log {
  readonly path: string;
  /** Whether its strings count as those of the history that survives. */
  isSurviving = true;
  readonly failures: Failure[] = [];
  /** How many rows of each kind there are. */
  readonly count = { interned: 0, lease: 0, renewed: 0, minted: 0, failed: 0, paused: 0 };
  shard = -1;
  /** Whether nobody appends to the file any more. */
  isEnded = false;
  #read = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** The rows that were added since the last call. The end of the process may have cut the last one. */
  *newRows(): Iterable<[keyof Log['count'], ...unknown[]]> {
    const text = this.#rest();
    const whole = text.slice(0, text.lastIndexOf('\n') + 1); // in ASCII, so that characters are bytes
    this.#read += whole.length;
    for (const line of whole.split('\n').slice(0, -1)) yield JSON.parse(line);
  }

  #rest(): string {
    if (!existsSync(this.path)) return '';
    const file = openSync(this.path, 'r');
    const piece = Buffer.alloc(PIECE_BYTES);
    let text = '';
    for (let length = 0; ; text += piece.toString('latin1', 0, length)) {
      length = readSync(file, piece, 0, PIECE_BYTES, this.#read + text.length);
      if (length === 0) break;
    }
    closeSync(file);
    return text;
  }
}

export class Ledger {
  /** Those that may have more than was read. */
  readonly #open = new Set<Log>();
  /** Everything that must never happen, in words. */
  readonly faults: string[] = [];
  /** The strings that the surviving history has acknowledged, with their ids. */
  #idOf = new Map<string, string>();
  /** All ids that any history has given. */
  readonly #stringOf = new Map<string, string>();
  readonly #minted = new Map<string, Log>();
  readonly #holderOf = new Map<string, Log>();

  open(path: string): Log {
    const log = new Log(path);
    this.#open.add(log);
    return log;
  }

  /** How many ids of strings, minted ids and leases were given. */
  get sizes(): readonly number[] {
    return [this.#stringOf.size, this.#minted.size, this.#holderOf.size];
  }

  /** The strings that are acknowledged now, which a backup that begins now has. */
  snapshot(): ReadonlyMap<string, string> {
    this.read();
    return new Map(this.#idOf);
  }

  /** A backup was restored: what came after it is lost, and whoever was there before belongs to a history that is over. */
  restore(snapshot: ReadonlyMap<string, string>): void {
    this.read();
    for (const log of this.#open) log.isSurviving = false;
    this.#idOf = new Map(snapshot);
  }

  /** What a store must hold. */
  acknowledged(): Acknowledged {
    this.read();
    return { idOf: this.#idOf, count: this.#idOf.size, changed: 0 };
  }

  /** Notes an acknowledged string of the surviving history. */
  note(string: string, id: string): void {
    this.#note(string, id, true);
  }

  /** Reads what was added to some logs, by default to all. */
  read(logs: Iterable<Log> = this.#open): void {
    for (const log of logs) {
      const isLast = log.isEnded;
      for (const [kind, ...values] of log.newRows()) {
        log.count[kind]++;
        if (kind === 'failed') log.failures.push(values[0] as Failure);
        if (kind === 'lease') this.#lease(log, ...(values as [number, string]));
        if (kind === 'minted') for (const id of values as string[]) this.#mint(log, id);
        if (kind === 'interned') {
          for (const [string, id] of values as [string, string][]) this.#note(string, id, log.isSurviving);
        }
      }
      if (isLast) this.#open.delete(log);
    }
  }

  #note(string: string, id: string, isSurviving: boolean): void {
    const known = this.#stringOf.get(id) ?? string;
    if (known !== string) this.faults.push(`id ${id} was given to "${known}" and to "${string}"`);
    this.#stringOf.set(id, string);
    if (!isSurviving) return;
    const before = this.#idOf.get(string) ?? id;
    if (before !== id) this.faults.push(`"${string}" was given the ids ${before} and ${id}`);
    this.#idOf.set(string, id);
  }

  #mint(log: Log, id: string): void {
    if (this.#minted.has(id)) this.faults.push(`${id} was minted by ${this.#minted.get(id)?.path} and ${log.path}`);
    this.#minted.set(id, log);
  }

  #lease(log: Log, shard: number, token: string): void {
    const lease = `token ${token} of shard ${shard}`;
    if (this.#holderOf.has(lease)) this.faults.push(`${lease} was given twice`);
    this.#holderOf.set(lease, log);
    log.shard = shard;
  }
}
