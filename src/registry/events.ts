/** What happens between a registry and its store, for metrics. */
export type RegistryEvent =
  | {
      /** A call is made again, after a conflict or while the store is away. */
      readonly type: 'retry';
      readonly reason: 'conflict' | 'unavailable';
      /** How often it has been tried so far. */
      readonly tries: number;
    }
  | {
      /** The store gave ids to new strings or types, durably. */
      readonly type: 'commit';
      readonly ms: number;
      /** How many strings were asked for. */
      readonly keys: number;
      /** How many more numbers the prefix that was used has. */
      readonly room: bigint;
    }
  | {
      /** A random prefix had no room left, and another one is tried. */
      readonly type: 'full';
      readonly prefix: number;
    }
  | {
      /** A lease was taken or prolonged. */
      readonly type: 'lease';
      readonly shard: number;
      /** How much longer the lease would have lasted; the whole lease when it is taken. */
      readonly marginMs: number;
    }
  | {
      /** A lease could not be prolonged, and that is tried again. */
      readonly type: 'renewal-failed';
      readonly shard: number;
      readonly marginMs: number;
      readonly error: unknown;
    }
  | {
      /** A lease ended without having been released. */
      readonly type: 'lost';
      readonly shard: number;
      readonly error: Error;
    };

/** Is told of events as they happen. Must not throw; what it returns is ignored. */
export type OnEvent = (event: RegistryEvent) => void;
