// What processes were given, over all the histories that a store has had: a restore begins another one.
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { ABSENT, OTHER, U64Map } from './u64-map.js';

const MAX_FAULTS = 20;
const BATCH = 10_000;

/** How strings begin, before their numbers. */
export const STRING_HEAD = 'at://did:plc:chaos/app.bsky.feed.post/';

/** A string, by its number from 1 on. */
export function stringOf(number: number | bigint): string {
  return `${STRING_HEAD}${number}`;
}

/** An error that ended a job of a process. */
export interface Failure {
  readonly job: string;
  readonly isTransient?: boolean;
  /** With those of its causes. */
  readonly message: string;
}

/** A row of a log: its kind, what follows it in JSON, and the words of the numbers of 64 bits that follow its line. */
type Row = readonly [kind: keyof Log['count'], values: readonly unknown[], words: Uint32Array];

/** How many numbers of 64 bits follow the line of a row, for each one that it counts. */
const NUMBERS: { readonly [kind: string]: number } = { interned: 2, minted: 1 };

/** What one process was given, by the file to which `working-process.mjs` appends. */
export class Log {
  readonly path: string;
  /** Whether its strings and maps count as those of the history that survives. */
  isSurviving = true;
  readonly failures: Failure[] = [];
  /** How many rows of each kind there are. */
  readonly count = { interned: 0, lease: 0, renewed: 0, minted: 0, failed: 0, paused: 0, saw: 0 };
  shard = -1;
  /** The version of the map that it saw last. */
  version = 0;
  /** Whether nobody appends to the file any more. */
  isEnded = false;
  #read = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** The rows that were added since the last call. The end of the process may have cut the last one. */
  *newRows(): Iterable<Row> {
    const bytes = this.#rest();
    for (let at = 0; ; ) {
      const end = bytes.indexOf('\n', at);
      if (end < 0) return;
      const [kind, ...values] = JSON.parse(bytes.toString('utf8', at, end));
      const numbers = NUMBERS[kind];
      const next = end + 1 + (numbers === undefined ? 0 : 8 * numbers * values[0]);
      if (next > bytes.length) return;
      const aligned = new Uint8Array(bytes.subarray(end + 1, next));
      this.#read += next - at;
      at = next;
      yield [kind, values, new Uint32Array(aligned.buffer)];
    }
  }

  #rest(): Buffer {
    if (!existsSync(this.path)) return Buffer.alloc(0);
    const file = openSync(this.path, 'r');
    const bytes = Buffer.alloc(fstatSync(file).size - this.#read);
    const length = bytes.length === 0 ? 0 : readSync(file, bytes, 0, bytes.length, this.#read);
    closeSync(file);
    return bytes.subarray(0, length);
  }
}

/** What is acknowledged at some time: a backup that begins then has it. */
export interface Snapshot {
  /** The ids of strings, by their numbers. */
  readonly idOf: U64Map;
  /** The digests of the maps that were published, by version. */
  readonly digestOf: ReadonlyMap<number, string>;
  readonly next: number;
}

/** Strings and their ids. */
export interface Batch {
  readonly strings: readonly string[];
  readonly ids: BigUint64Array;
}

/** All strings of a map from their numbers to ids. */
export function* stringsIn(idOf: U64Map): Iterable<Batch> {
  for (const { keys, values } of idOf.batches(BATCH)) yield { strings: Array.from(keys, stringOf), ids: values };
}

export class Ledger {
  /** Those that may have more than was read. */
  readonly #open = new Set<Log>();
  readonly #logs: Log[] = [];
  /** Everything that must never happen, in words; the first twenty. */
  readonly faults: string[] = [];
  /** The strings that the surviving history has acknowledged, with their ids. */
  #idOf = new U64Map();
  /** The maps that the surviving history has published. */
  #digestOf = new Map<number, string>();
  /** No string before this one is missing. */
  #next = 1;
  /** All ids that any history has given, with the numbers of their strings. */
  readonly #stringOf = new U64Map();
  /** All minted ids, with the numbers of the logs. */
  readonly #minted = new U64Map();
  readonly #holderOf = new Map<string, Log>();

  open(path: string): Log {
    const log = new Log(path);
    this.#open.add(log);
    this.#logs.push(log);
    return log;
  }

  /** How many ids of strings, minted ids and leases were given. */
  get sizes(): readonly [number, number, number] {
    return [this.#stringOf.size, this.#minted.size, this.#holderOf.size];
  }

  /** How many strings the surviving history has acknowledged. */
  get strings(): number {
    return this.#idOf.size;
  }

  /** The number of the first string that the surviving history has not acknowledged. */
  firstMissing(): number {
    while (this.#idOf.has(this.#next)) this.#next++;
    return this.#next;
  }

  /** What is acknowledged now. */
  snapshot(): Snapshot {
    this.read();
    return { idOf: this.#idOf.copy(), digestOf: new Map(this.#digestOf), next: this.#next };
  }

  /** A backup was restored: what came after it is lost, and whoever was there before belongs to a history that is over. */
  restore({ idOf, digestOf, next }: Snapshot): void {
    this.read();
    for (const log of this.#open) log.isSurviving = false;
    this.#idOf = idOf.copy();
    this.#digestOf = new Map(digestOf);
    this.#next = next;
  }

  /** The strings that the store must hold. */
  acknowledged(): U64Map {
    this.read();
    return this.#idOf;
  }

  /** The strings and ids that only histories had which are over. */
  *superseded(): Iterable<Batch> {
    for (const { keys, values } of this.#stringOf.batches(BATCH)) {
      const rows = [...keys.keys()].filter((row) => this.#idOf.get(values[row]) !== keys[row]);
      if (rows.length === 0) continue;
      yield { strings: rows.map((row) => stringOf(values[row])), ids: BigUint64Array.from(rows, (row) => keys[row]) };
    }
  }

  /** Notes acknowledged strings of the surviving history, by their numbers. */
  note(numbers: readonly number[], ids: BigUint64Array): void {
    const pairs = BigUint64Array.from(numbers.flatMap((number, row) => [BigInt(number), ids[row]]));
    this.#intern(new Uint32Array(pairs.buffer), true);
  }

  /** Notes a map of the surviving history. */
  noteMap(version: number, digest: string, who = 'an operator'): void {
    const known = this.#digestOf.get(version) ?? digest;
    if (known !== digest) this.#fault(`version ${version} of the map is ${known}, and ${digest} for ${who}`);
    this.#digestOf.set(version, digest);
  }

  /** Reads what was added to some logs, by default to all. */
  read(logs: Iterable<Log> = this.#open): void {
    for (const log of logs) {
      const isLast = log.isEnded;
      for (const [kind, values, words] of log.newRows()) {
        log.count[kind]++;
        if (kind === 'failed') log.failures.push(values[0] as Failure);
        if (kind === 'lease') this.#lease(log, ...(values as [number, string]));
        if (kind === 'minted') this.#mint(log, words);
        if (kind === 'interned') this.#intern(words, log.isSurviving);
        if (kind === 'saw') this.#see(log, ...(values as [number, string]));
      }
      if (isLast) this.#open.delete(log);
    }
  }

  /** @param words of the number of a string and its id, in turn */
  #intern(words: Uint32Array, isSurviving: boolean): void {
    for (let at = 0; at < words.length; at += 4) {
      const [low, high, idLow, idHigh] = [words[at], words[at + 1], words[at + 2], words[at + 3]];
      const number = low + high * 2 ** 32;
      if (this.#stringOf.put(idLow, idHigh, low, high) === OTHER) {
        const id = idOf(idLow, idHigh);
        this.#fault(`id ${id} was given to "${stringOf(this.#stringOf.get(id) ?? 0)}" and to "${stringOf(number)}"`);
      }
      if (isSurviving && this.#idOf.put(low, high, idLow, idHigh) === OTHER) {
        const ids = `${this.#idOf.get(BigInt(number))} and ${idOf(idLow, idHigh)}`;
        this.#fault(`"${stringOf(number)}" was given the ids ${ids}`);
      }
    }
  }

  #mint(log: Log, words: Uint32Array): void {
    const by = this.#logs.indexOf(log);
    for (let at = 0; at < words.length; at += 2) {
      if (this.#minted.put(words[at], words[at + 1], by, 0) === ABSENT) continue;
      const id = idOf(words[at], words[at + 1]);
      this.#fault(`${id} was minted by ${this.#logs[Number(this.#minted.get(id))].path} and ${log.path}`);
    }
  }

  #lease(log: Log, shard: number, token: string): void {
    const lease = `token ${token} of shard ${shard}`;
    if (this.#holderOf.has(lease)) this.#fault(`${lease} was given twice`);
    this.#holderOf.set(lease, log);
    log.shard = shard;
  }

  #see(log: Log, version: number, digest: string): void {
    if (!log.isSurviving) return;
    if (version < log.version) this.#fault(`${log.path} saw version ${version} of the map after ${log.version}`);
    log.version = version;
    this.noteMap(version, digest, log.path);
  }

  #fault(fault: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(fault);
  }
}

function idOf(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}
