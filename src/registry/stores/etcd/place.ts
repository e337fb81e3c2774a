import type { IResponseHeader, IStatusResponse } from 'etcd3';

// A cluster that was restored from a snapshot has the id of the first one if its members have the same names and URLs, and
// the token is the same. What a snapshot does not have is Raft's log. Every entry of the log makes at most one revision of
// the keys, so a cluster's surplus, its entries less its revisions, never falls. A restored cluster has the old revision
// and a new log: it lacks an entry for every revision that was restored.
//
// etcd tells the index of the last entry only with a member's status, and never at the same instant as the revision. An
// index and a revision that was read later give the surplus or less; a revision and an index that was read later give the
// surplus or more.

/** How often a client asks for the status, at most. Nobody stops a cluster, restores it and starts it in less time. */
const LOOK_MS = 250;

/** What was known of the cluster when a request was sent. */
export interface ClusterView {
  /** The index of an entry that had been committed. */
  readonly index: bigint | undefined;
  /** The surplus was at least this. */
  readonly least: bigint | undefined;
}

/** Whether a client is still connected to the cluster in which the state of a store was written. */
export class ClusterPlace {
  view: ClusterView = { index: undefined, least: undefined };
  #cluster = '';
  /** The surplus was at most this at the last look. */
  #most: bigint | undefined;
  #isRestored = false;
  #looked = Number.NEGATIVE_INFINITY;

  get isDue(): boolean {
    return performance.now() - this.#looked >= LOOK_MS;
  }

  lookNext(): void {
    this.#looked = Number.NEGATIVE_INFINITY;
  }

  /** Forgets what was seen of the log, which may be that of another cluster, and looks at the next answer. */
  forget(): void {
    this.view = { index: undefined, least: undefined };
    this.lookNext();
  }

  /** From now on the store is in the present place. */
  settle(): void {
    this.#isRestored = false;
    this.forget();
  }

  note({ cluster_id }: IResponseHeader): void {
    this.#cluster = cluster_id;
  }

  /**
   * @param before what was known when the request was sent that a member has answered
   * @param header of that answer
   * @param status of the same member, asked for after the answer; undefined if it refuses to tell
   */
  look(before: ClusterView, header: IResponseHeader, status: IStatusResponse | undefined): void {
    this.#looked = performance.now();
    if (status === undefined) return;
    const index = BigInt(status.raftIndex);
    this.#most = index - BigInt(status.header.revision);
    if (before.least !== undefined && this.#most < before.least) this.#isRestored = true;
    this.view = { index, least: leastOf(before, header) };
  }

  /** The present place, to be kept. @param before what was known when the request was sent that has this header */
  kept(before: ClusterView, header: IResponseHeader): string {
    const least = leastOf(before, header);
    return least === undefined ? this.#cluster : `${this.#cluster} ${least}`;
  }

  /** @returns `kept`, if this is the cluster in which it was; otherwise another text */
  of(kept: string | undefined): string {
    const [cluster, surplus] = kept?.split(' ') ?? [];
    const isLess = surplus !== undefined && this.#most !== undefined && this.#most < BigInt(surplus);
    return kept === undefined || cluster !== this.#cluster || isLess || this.#isRestored ? 'elsewhere' : kept;
  }
}

function leastOf({ index, least }: ClusterView, { revision }: IResponseHeader): bigint | undefined {
  if (index === undefined) return least;
  const surplus = index - BigInt(revision);
  return least === undefined || surplus > least ? surplus : least;
}
