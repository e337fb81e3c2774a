import { wrongValue } from '../arguments.js';
import { detailsOf } from '../errors.js';
import { type Column, type Kernels, PIECE_ROWS } from '../kernels/types.js';
import { type Abilities, abilitiesOf, isTransferable, type Routing, shardsOf } from '../routing/routing.js';
import type { Batch } from './batch.js';
import { bytesColumnOf } from './fields.js';
import { checkHashed, KeyError, LineHasher, type LineKeys } from './hash.js';
import type { RecordFormat } from './records.js';

/** The kind of keys in lines. A partitioner has its own; for other routings it is an option, `text` by default. */
export function checkLineKeys(
  routing: Routing<any>,
  keys: LineKeys | undefined,
  records: RecordFormat | undefined,
): LineKeys {
  const { routeText, hashing } = abilitiesOf(routing);
  if (routeText) {
    if (Array.isArray(records?.key) && records.key.length > 1) {
      throw wrongValue(
        'records.key',
        'one column with a partitioner, because other systems join columns differently',
        records.key,
      );
    }
    if (keys !== undefined) throw wrongValue('keys', 'undefined with a partitioner, which has its own "key"', keys);
    return 'text';
  }
  const kind = keys === undefined ? 'text' : keys;
  checkHashed(kind, hashing?.hash ?? 'xxh64');
  return kind;
}

/** Routes batches of lines. For a Router, the hashes never leave the kernels' memory. */
export class LineRouter {
  /** For a Router, and for keys that are u64s. */
  readonly #hasher: LineHasher | undefined;
  readonly #routing: Routing<any>;
  readonly #routeText: Abilities['routeText'];
  readonly #shards: Column<'u32'>;
  readonly #argument: string;

  /** @param argument the caller's name for the routing */
  constructor(kernels: Kernels, routing: Routing<any>, keys: LineKeys, argument = 'router') {
    const { hashing, routeText } = abilitiesOf(routing);
    const { hash, seed } = hashing ?? { hash: 'none', seed: 0n };
    const isHashed = hashing !== undefined || (keys === 'u64' && !routeText);
    this.#hasher = isHashed ? new LineHasher(kernels, { keys, hash, seed }) : undefined;
    this.#routing = hashing?.ofHashes() ?? routing;
    this.#routeText = routeText;
    this.#shards = kernels.column('u32', PIECE_ROWS);
    this.#argument = argument;
  }

  /**
   * The lines with their shards, valid until the next call.
   * @throws LineError if a line is not a key of the right kind
   */
  route(lines: Batch): Batch {
    const routed = (this.#hasher?.hash(lines) ?? lines).with({ shards: this.#shards });
    if (this.#routeText) routeTexts(this.#routeText, routed);
    else if (isTransferable(this.#routing)) this.#routing.routeMany(routed.hashes, { out: routed.shards });
    else {
      // A copy, because the user's code may make the kernels' memory grow.
      const keys = this.#hasher ? routed.hashes.slice() : bytesColumnOf(routed.keys);
      const shards = shardsOf(this.#routing, keys, undefined, this.#argument);
      routed.shards.set(shards);
    }
    return routed;
  }

  free(): void {
    this.#hasher?.free();
    this.#shards.free();
  }
}

function routeTexts(routeText: NonNullable<Abilities['routeText']>, lines: Batch): void {
  try {
    routeText(lines.keys, lines.shards);
  } catch (error) {
    const { row, expected } = detailsOf(error);
    throw row === undefined || expected === undefined ? error : new KeyError(lines, row, expected);
  }
}
