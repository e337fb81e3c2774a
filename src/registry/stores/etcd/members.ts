import type {
  Etcd3,
  ICompare,
  IKeyValue,
  IOptions,
  IRangeRequest,
  IRangeResponse,
  IRequestOp,
  ITxnRequest,
  ITxnResponse,
} from 'etcd3';
import { detailsOf, hasCode, StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../../../errors.js';
import { type Access, newState, STATE_SETTING, type StateGuard, stateIn } from '../../identity.js';
import { closed, unavailable } from '../../store.js';
import { type EtcdKeys, firstIn, get, isEqual, isNone, MAX_OPERATIONS, put } from './keys.js';
import { ClusterPlace } from './place.js';

type Etcd3Module = typeof import('etcd3');

// etcd's messages, which come with various codes: https://github.com/etcd-io/etcd/blob/main/api/v3rpc/rpctypes/error.go
const TOO_LARGE = /request is too large|received message larger than max/; // the second one from 2 MiB on
const LASTING = new RegExp(`database space exceeded|permission denied|not enabled|${TOO_LARGE.source}`, 'i');
const CORRUPT = /corrupt/i;
// grpc-js passes on the messages of OpenSSL and Node: https://docs.openssl.org/3.0/man3/X509_STORE_CTX_get_error/
const OTHER_HOST = /does not match certificate's altnames/;
const REFUSED =
  /alert (bad certificate|certificate \w+|unknown ca|no certificate|unsupported certificate|access denied)/;
const UNTRUSTED =
  /self.signed certificate|unable to (verify|get) .{0,99}\b(certificate|issuer)|certificate (has expired|is not yet valid|revoked|not trusted|rejected|signature failure)|invalid CA certificate|unsuitable certificate purpose/i;
const CERTIFICATE: readonly (readonly [RegExp, string])[] = [
  [OTHER_HOST, "etcd's certificate is for another host"],
  [REFUSED, 'etcd refuses the certificate of this client'],
  [UNTRUSTED, "etcd's certificate is not trusted"],
];
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /database space exceeded/,
    'etcd has no space left. Compact and defragment it, or raise --quota-backend-bytes, then disarm its alarm',
  ],
  [TOO_LARGE, 'the request is too large for etcd. Raise --max-request-bytes'],
];

function etcdError(etcd3: Etcd3Module, error: unknown): Error {
  if (hasCode(error, 'ERR_STORE_UNAVAILABLE')) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  // The etcd lease ran out before it was used: the machine has been asleep.
  if (error instanceof etcd3.EtcdLeaseInvalidError) return new StoreConflictError(cause.message, { cause });
  if (error instanceof etcd3.GRPCDataLossError || CORRUPT.test(cause.message)) {
    return new StoreCorruptError(`etcd has found damage: ${cause.message}`, { cause });
  }
  const certificate = certificateProblem(cause.message);
  if (certificate !== undefined) return new StoreUnavailableError(certificate, { isTransient: false, cause });
  const hint = HINTS.find(([pattern]) => pattern.test(cause.message))?.[1];
  const message = hint === undefined ? `etcd: ${cause.message}` : `${hint} (${cause.message})`;
  return new StoreUnavailableError(message, { isTransient: isPassing(etcd3, error), cause });
}

/** What is wrong with a certificate of a member or of ours. grpc-js says only that the member is unavailable. */
function certificateProblem(message: string): string | undefined {
  const problem = CERTIFICATE.find(([pattern]) => pattern.test(message))?.[1];
  const [, reason] =
    /Last error: (?:Error[^:]*: )?(.{0,299}?)(?: \([^()]{0,99}\))?\. Resolution note/s.exec(message) ?? [];
  const [, ofOpenSsl] = /:SSL routines:[^:]*:([^:]+)/.exec(message) ?? [];
  return problem && `${problem}: ${ofOpenSsl ?? reason ?? message}`;
}

/** Whether the same request may succeed on another member, or a moment later. */
function isPassing(etcd3: Etcd3Module, error: unknown): boolean {
  if (!(error instanceof Error) || LASTING.test(error.message) || CORRUPT.test(error.message)) return false;
  return etcd3.isRecoverableError(error) || /auth store is old/.test(error.message);
}

export function isLeaseGone(error: unknown): boolean {
  return hasCode(error, 'ERR_STORE_CONFLICT') && error.cause !== undefined;
}

interface EtcdMembersOptions extends Pick<IOptions, 'credentials' | 'auth'> {
  readonly timeoutMs: number;
  readonly keys: EtcdKeys;
  readonly guard: StateGuard;
  /** Checks the store before it is first used. @returns whether it exists. @throws StoreCorruptError if it is not whole */
  readonly checkFirst?: ((members: EtcdMembers) => Promise<boolean>) | undefined;
}

// A new leader is elected within 1 to 2 s. Requests that were waiting for the old one are then sent again.
const REQUEST_MS = 1000;
// A request that may take longer, such as counting millions of keys, gets this many times more time with each try.
const PATIENCE = 2;
const MAX_PAUSE_MS = 100;
const READS_AT_ONCE = 4;
const ENTRIES = 32;
const MAX_IN_PIECE = 1000;
const BYTES_IN_PIECE = 1_000_000;

const CHANNEL = {
  'grpc.max_receive_message_length': -1, // an answer has up to 128 strings of 1.5 MB
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
};

export const importEtcd3 = () =>
  import('etcd3').catch((cause) => {
    const why = detailsOf(cause).message;
    throw unavailable(`etcdStore needs the package "etcd3": npm install etcd3 (${why})`, cause);
  });

/**
 * The members of an etcd cluster. Requests go to one member as long as it answers, then to the next. A request whose
 * answer is lost is sent again, so a request must not change anything the second time.
 */
export class EtcdMembers {
  readonly timeoutMs: number;
  readonly #etcd3: Etcd3Module;
  readonly #members: readonly Etcd3[];
  readonly #given: EtcdMembersOptions;
  readonly #guard: StateGuard;
  readonly #state: Buffer;
  readonly #place = new ClusterPlace();
  #checked: Promise<boolean> | undefined;
  #current: number;
  #isClosed = false;

  constructor(etcd3: Etcd3Module, hosts: readonly string[], given: EtcdMembersOptions) {
    const { timeoutMs, keys, guard, checkFirst, ...options } = given;
    this.#etcd3 = etcd3;
    this.#given = given;
    this.#guard = guard;
    this.#state = keys.setting(STATE_SETTING);
    // The client's own choice of hosts and retrying would stall for up to 7 s after a leader's death.
    const faultHandling = { host: () => once(), global: once() };
    const common = { ...options, faultHandling, grpcOptions: CHANNEL };
    this.#members = hosts.map((host) => new etcd3.Etcd3({ ...common, hosts: host }));
    this.#current = Math.floor(Math.random() * hosts.length);
    this.timeoutMs = timeoutMs;
  }

  /**
   * A transaction that writes. It takes place only in the state of the store that was read last, and if that allows it.
   * It may have one operation less in `failure` than etcd takes, and one comparison.
   *
   * etcd cannot compare in which cluster it is, so the cluster is checked with the answer. Callers read before they write,
   * and give nothing of what the call did if it fails.
   */
  async commit(request: ITxnRequest): Promise<ITxnResponse> {
    const [key, guard] = [this.#state, this.#guard];
    await this.check();
    if (guard.text === undefined) {
      const state = { ...newState(), place: await this.place(undefined) };
      // If there is anything under the prefix, the store has been made.
      guard.learn(await this.#stateAfter(isNone(...this.#given.keys.all()), JSON.stringify(state)));
    }
    // A move that fenced the store may have been taken back.
    if (guard.refusal(guard.text, 'write', guard.place))
      await this.#check((await this.readAlways(key))?.value, 'write');
    const text = guard.text ?? '';
    const response = await this.#send({
      ...request,
      compare: [...(request.compare ?? []), isEqual(key, text)],
      failure: [...(request.failure ?? []), get(key)],
    });
    await this.#check(response.succeeded ? text : firstIn(response.responses.at(-1))?.value, 'write');
    return response;
  }

  /** Checks the store, unless that has been done. @returns whether it existed then */
  async check(): Promise<boolean> {
    this.#checked ??= this.#given.checkFirst?.(this).catch((error) => {
      this.#checked = undefined; // the next call tries again
      throw error;
    });
    return (await this.#checked) ?? true;
  }

  /** Reads in one transaction, which may take long. It may have one operation less than etcd takes. */
  async scan(operations: readonly IRequestOp[], patience = PATIENCE): Promise<ITxnResponse['responses']> {
    await this.check();
    const { responses } = await this.#send({ success: [get(this.#state), ...operations] }, patience);
    const [state, ...rest] = responses;
    await this.#check(firstIn(state)?.value, 'read');
    return rest;
  }

  /** The values of keys, in the order of the keys. They are up to date, even from a member that lags behind. */
  async read(keys: readonly Buffer[]): Promise<(IKeyValue | undefined)[]> {
    return severalAtOnce(keys, MAX_OPERATIONS - 1, async (some) => (await this.scan(some.map(get), 1)).map(firstIn));
  }

  /** The value of one key, whatever state the store has. */
  async readAlways(key: Buffer): Promise<IKeyValue | undefined> {
    const { responses } = await this.#send({ success: [get(this.#state), get(key)] });
    const [state, found] = responses.map(firstIn);
    this.#guard.meet(state?.value.toString());
    return found;
  }

  /** What several ranges have at one instant, whatever state the store has. */
  async survey(ranges: readonly IRangeRequest[]): Promise<IRangeResponse[]> {
    const { responses } = await this.#send({ success: ranges.map((request_range) => ({ request_range })) }, PATIENCE);
    return responses.map(({ response_range }) => response_range);
  }

  async place(known: string | undefined): Promise<string> {
    const request = { success: [get(this.#state)] };
    if (known !== undefined) {
      this.#place.lookNext();
      await this.#send(request);
      return this.#place.of(known);
    }
    // Entries of the log without a revision: they tell a cluster with few keys from one that is restored from it.
    await Promise.all(Array.from({ length: ENTRIES }, () => this.#grant(0)));
    this.#place.forget();
    await this.#send(request);
    const before = this.#place.view;
    const { header } = await this.#send(request);
    return this.#place.kept(before, header);
  }

  async replaceState(expected: string | undefined, state: string): Promise<boolean> {
    const isReplaced = (await this.#stateAfter(isEqual(this.#state, expected), state)) === state; // an earlier try may have set it
    if (isReplaced) this.#guard.own(state);
    if (isReplaced) this.#place.settle();
    return isReplaced;
  }

  /** Sets the state if a condition holds. @returns the state that the store has then */
  async #stateAfter(condition: ICompare, state: string): Promise<string | undefined> {
    const { succeeded, responses } = await this.#send({
      compare: [condition],
      success: [put(this.#state, state)],
      failure: [get(this.#state)],
    });
    return succeeded ? state : firstIn(responses[0])?.value.toString();
  }

  /** Checks that the state that was read, and the place, allow a call. */
  async #check(found: Buffer | string | undefined, access: Access): Promise<void> {
    const text = found?.toString();
    const known = text === undefined ? undefined : stateIn(text).place;
    // What is known of the cluster may be older than the state.
    if (known !== undefined && this.#place.of(known) !== known) await this.place(known);
    this.#guard.check(text, access, this.#place.of(known));
  }

  /** Everything from one key up to another, in the order of the keys, in pieces that fit into memory. */
  async *range(from: Buffer, end: Buffer): AsyncGenerator<readonly IKeyValue[]> {
    let limit = READS_AT_ONCE * MAX_OPERATIONS;
    for (let key = from; ; ) {
      const [{ response_range: found }] = await this.scan([{ request_range: { key, range_end: end, limit } }]);
      const { kvs, more } = found;
      const last = kvs.at(-1);
      if (last !== undefined) yield kvs;
      if (last === undefined || !more) return;
      const bytes = kvs.reduce((sum, kv) => sum + kv.key.length + kv.value.length, 0);
      limit = Math.max(1, Math.min(MAX_IN_PIECE, Math.floor((limit * BYTES_IN_PIECE) / bytes)));
      key = Buffer.concat([last.key, Buffer.of(0)]); // the first key after it
    }
  }

  async count(from: Buffer, end: Buffer): Promise<number> {
    const [counted] = await this.scan([{ request_range: { key: from, range_end: end, count_only: true } }]);
    return Number(counted.response_range.count);
  }

  /** How many milliseconds etcd leases have left, up to a second too many; 0 if they have ended. */
  async remainingMs(leases: readonly string[]): Promise<number[]> {
    return severalAtOnce(leases, 1, async ([ID]) => {
      const { TTL } = await this.#ask(({ leaseClient }, options) => leaseClient.leaseTimeToLive({ ID }, options));
      return [Math.max(0, 1000 * Number(TTL))]; // -1 for one that has ended
    });
  }

  /** An etcd lease that lasts at least `ttlMs`. etcd counts in seconds, and gives at least 2 s by default. */
  async grant(ttlMs: number): Promise<string> {
    const guard = this.#guard;
    guard.check(guard.text, 'write', guard.place); // by what was read for this call
    return this.#grant(ttlMs);
  }

  async #grant(ttlMs: number): Promise<string> {
    const request = { TTL: Math.max(1, Math.ceil(ttlMs / 1000)) };
    const { ID } = await this.#ask(({ leaseClient }, options) => leaseClient.leaseGrant(request, options));
    return ID;
  }

  close(): void {
    this.#isClosed = true;
    for (const member of this.#members) member.close();
  }

  /** @param patience how many times longer each try may take than the one before */
  #send(request: ITxnRequest, patience = 1): Promise<ITxnResponse> {
    return this.#ask(async (member, options) => {
      const before = this.#place.view;
      const response = await member.kv.txn(request, options);
      this.#place.note(response.header);
      if (this.#place.isDue) {
        // A user may lack the right to ask for it.
        const status = await member.maintenance.status(options).catch(() => undefined);
        this.#place.look(before, response.header, status);
      }
      return response;
    }, patience);
  }

  async #ask<T>(request: (member: Etcd3, options: { deadline: number }) => Promise<T>, patience = 1): Promise<T> {
    const end = performance.now() + this.timeoutMs;
    const untrusted = new Set<number>();
    for (let requestMs = REQUEST_MS; ; requestMs *= patience) {
      if (this.#isClosed) throw closed();
      const asked = this.#current;
      try {
        return await request(this.#members[asked], { deadline: Date.now() + requestMs });
      } catch (error) {
        if (this.#isClosed) throw closed();
        this.#place.lookNext(); // what answers next may be another cluster
        // One member's certificate may have expired, while those of the others are good.
        if (certificateProblem(detailsOf(error).message) !== undefined) untrusted.add(asked);
        const isHopeless = !isPassing(this.#etcd3, error) || untrusted.size === this.#members.length;
        if (isHopeless || performance.now() >= end) throw etcdError(this.#etcd3, error);
        if (this.#current === asked) this.#current = (asked + 1) % this.#members.length;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_PAUSE_MS));
      }
    }
  }
}

/** Turns items into results, in their order. Several pieces of at most `most` items are in work at the same time. */
async function severalAtOnce<T, R>(
  items: readonly T[],
  most: number,
  work: (some: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const workOn = async () => {
    while (next < items.length) {
      const from = next;
      next += most;
      for (const [i, result] of (await work(items.slice(from, next))).entries()) results[from + i] = result;
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, workOn));
  return results;
}

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

function once(): Policy {
  const never = () => ({ dispose() {} });
  const execute: Policy['execute'] = async (work, signal = new AbortController().signal) => work({ signal });
  return { execute, onSuccess: never, onFailure: never } as Partial<Policy> as Policy;
}
