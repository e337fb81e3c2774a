import { Etcd3, type IKeyValue, type IOptions, type ITxnRequest, type ITxnResponse, isRecoverableError } from 'etcd3';
import { MAX_OPERATIONS } from './etcd-requests.js';

export interface EtcdMembersOptions extends Pick<IOptions, 'credentials' | 'auth'> {
  readonly timeoutMs: number;
}

// A leader's death is seen by the others, and made good, within 1 to 2 s: what has been waiting for it is asked anew.
const REQUEST_MS = 1000;
const LONGEST_PAUSE_MS = 100;
const READS_AT_ONCE = 4;

const CHANNEL = {
  'grpc.max_receive_message_length': -1, // 128 strings of 1.5 MB, at most
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
};

/**
 * The members of an etcd cluster: one is asked for as long as it answers, then the next. A request is sent again
 * when it is not known whether it has been done, so each has to be of no effect the second time.
 */
export class EtcdMembers {
  readonly #members: readonly Etcd3[];
  readonly #timeoutMs: number;
  #current: number;

  constructor(hosts: readonly string[], { timeoutMs, ...options }: EtcdMembersOptions) {
    // The client's own choice of hosts and retrying would stall for up to 7 s after a leader's death.
    const faultHandling = { host: () => once(), global: once() };
    this.#members = hosts.map((host) => new Etcd3({ ...options, hosts: host, faultHandling, grpcOptions: CHANNEL }));
    this.#current = Math.floor(Math.random() * hosts.length);
    this.#timeoutMs = timeoutMs;
  }

  commit(request: ITxnRequest): Promise<ITxnResponse> {
    return this.#ask(({ kv }, options) => kv.txn(request, options));
  }

  /** What there is under keys, in their order, as of now or later: never what a member that lags behind has. */
  async read(keys: readonly Buffer[]): Promise<(IKeyValue | undefined)[]> {
    const found: (IKeyValue | undefined)[] = new Array(keys.length);
    let next = 0;
    const readOn = async () => {
      while (next < keys.length) {
        const from = next;
        next += MAX_OPERATIONS;
        const some = keys.slice(from, next);
        const { responses } = await this.commit({ success: some.map((key) => ({ request_range: { key } })) });
        for (const [i, { response_range: range }] of responses.entries()) found[from + i] = range.kvs[0];
      }
    };
    await Promise.all(Array.from({ length: READS_AT_ONCE }, readOn));
    return found;
  }

  /** A lease of at least so long from now on; etcd counts in seconds, and has a shortest one, 2 s unless configured. */
  async grant(ttlMs: number): Promise<string> {
    const request = { TTL: Math.ceil(ttlMs / 1000) };
    const { ID } = await this.#ask(({ leaseClient }, options) => leaseClient.leaseGrant(request, options));
    return ID;
  }

  close(): void {
    for (const member of this.#members) member.close();
  }

  async #ask<T>(request: (member: Etcd3, options: { deadline: number }) => Promise<T>): Promise<T> {
    const end = performance.now() + this.#timeoutMs;
    for (;;) {
      const asked = this.#current;
      try {
        return await request(this.#members[asked] as Etcd3, { deadline: Date.now() + REQUEST_MS });
      } catch (error) {
        const isTransient = error instanceof Error && isRecoverableError(error);
        if (!isTransient || performance.now() >= end) throw error;
        if (this.#current === asked) this.#current = (asked + 1) % this.#members.length;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE_MS));
      }
    }
  }
}

type Policy = NonNullable<NonNullable<IOptions['faultHandling']>['global']>;

/** The policy to do a thing once. */
function once(): Policy {
  const never = () => ({ dispose() {} });
  const execute: Policy['execute'] = async (work, signal = new AbortController().signal) => work({ signal });
  return { execute, onSuccess: never, onFailure: never } as Pick<
    Policy,
    'execute' | 'onSuccess' | 'onFailure'
  > as Policy;
}
