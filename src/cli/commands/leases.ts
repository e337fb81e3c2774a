import { inShell, withoutPassword } from '../../arguments.js';
import {
  type LeaseInfo,
  leases,
  mintFloor,
  releaseShard,
  resetMark,
  type Store,
  storeState,
} from '../../registry/index.js';
import { iso, tell } from '../io/outcomes.js';
import { printTable, type TableFormat } from '../io/output.js';
import type { CliCommand } from '../options/command.js';
import { operator, STORES_IN_SHORT, storeName, withStore } from '../options/store.js';
import { checkCanAsk, integerFrom, required, UsageError } from '../options/usage.js';
import { confirm, say } from '../terminal.js';

interface LeasesOptions {
  store: string;
  release?: number;
  resetMark?: number;
  yes?: boolean;
  format: TableFormat;
}

const shard = integerFrom(0, 2 ** 20 - 1);

export function define(command: CliCommand): void {
  command
    .description(
      'List the shards that have ever been leased: who holds each one or held it last, until when, up to when ids may have been minted with it (its mark), and the number of the lease (its token).',
    )
    .option('--store <path|url>', `where leases are kept: ${STORES_IN_SHORT} (required)`, storeName)
    .option('--release <shard>', 'end the lease of a shard whose holder is gone, and free the shard', shard)
    .option(
      '--reset-mark <shard>',
      'lower the mark of a shard to now, if a wrong clock has set it and no holder is left',
      shard,
    )
    .option('--yes', 'do not ask before --release or --reset-mark')
    .tableOption()
    .examples(
      'shardbits leases --store ids.db',
      'shardbits leases --store ids.db --release 3',
      'shardbits leases --store postgres://user@host/database --format json',
    )
    .action(run);
}

async function run(options: LeasesOptions): Promise<void> {
  required(options, '--store');
  const { release, resetMark: reset, format } = options;
  if (release !== undefined && reset !== undefined) {
    throw new UsageError('expected one of --release and --reset-mark, got both');
  }
  if (release !== undefined) return withShard('--release', release, options, releaseLease);
  if (reset !== undefined) return withShard('--reset-mark', reset, options, resetMarkOf);
  await withStore(options.store, 'read', async (store) => {
    const [records, now, floor] = [await leases(store), await store.now(), await mintFloor(store)];
    const rows = records.map((record) => rowOf(record, now));
    await printTable(rows, format, HEADER, ({ shard, owner, heldUntil, mintedUntil, token }) => {
      return [shard, owner, heldUntil ?? 'free', mintedUntil, token];
    });
    for (const row of rows) if (row.isMarkTooFarAhead) say(wrongMark(row, options.store));
    const { identity, generation, movedTo } = (await storeState(store)) ?? {};
    const moved = movedTo === undefined ? '' : `, moved to ${movedTo}: it gives no leases any more`;
    if (identity !== undefined) say(`store ${identity}, generation ${generation}${moved}`);
    if (floor > now) say(`no id is minted before ${iso(new Date(floor))}: ${FLOOR_REASON}`);
  });
}

const FLOOR_REASON = 'a backup was restored, and holders that it does not know may have minted ids up to then';

const HEADER = ['shard', 'owner', 'held until', 'minted until', 'token'];

function rowOf(record: LeaseInfo, now: number) {
  return {
    shard: record.shard,
    owner: record.owner,
    heldUntil: isHeld(record, now) ? iso(record.expires) : null,
    mintedUntil: iso(record.mintedUntil),
    strayUntil: record.strayUntil.getTime() > now ? iso(record.strayUntil) : null,
    token: String(record.token), // a JSON number may not hold it exactly
    isMarkTooFarAhead: record.isMarkTooFarAhead,
  };
}

/** @param now the store's clock */
function isHeld({ expires }: LeaseInfo, now: number): boolean {
  return expires.getTime() > now;
}

function wrongMark(row: ReturnType<typeof rowOf>, store: string): string {
  const { shard, owner, heldUntil, mintedUntil, strayUntil } = row;
  const problem = `shard ${shard}: the mark ${mintedUntil} is too far ahead: a clock was wrong. Nobody can lease the shard for now. Check the clocks, `;
  const reset = `reset the mark with: ${commandFor(store, '--reset-mark', shard)}`;
  if (heldUntil !== null) {
    return `${problem}stop ${owner}, which holds the shard, and when its lease has ended ${reset}`;
  }
  return `${problem}then${strayUntil === null ? '' : `, after ${strayUntil}, when no holder is left,`} ${reset}`;
}

function commandFor(store: string, option: string, shard: number): string {
  return `shardbits leases --store ${inShell(withoutPassword(store))} ${option} ${shard}`;
}

type Action = typeof releaseLease | typeof resetMarkOf;

async function withShard(option: string, shard: number, options: LeasesOptions, action: Action): Promise<void> {
  checkCanAsk(option, options);
  const names = { store: withoutPassword(options.store), shard };
  await withStore(options.store, 'change', async (store) => {
    const record = (await leases(store)).find((one) => one.shard === shard);
    if (record === undefined) return tell({ outcome: 'never leased' }, names);
    tell(await action(store, record, options), names);
  });
}

async function releaseLease(store: Store, record: LeaseInfo, { yes }: LeasesOptions) {
  const { shard, owner } = record;
  const now = isHeld(record, await store.now()) ? `is held by ${owner} until ${iso(record.expires)}` : 'is free';
  await confirm(
    yes,
    `Shard ${shard} ${now}. --release ends its lease, so that others can take the shard.`,
    'Do that if its holder is gone. A holder that still runs goes on minting until it next renews the lease, and then',
    'stops with an error. No id is given twice: the next holder starts after its ids.',
  );
  return releaseShard(store, shard, { by: operator() });
}

async function resetMarkOf(store: Store, record: LeaseInfo, options: LeasesOptions) {
  const { yes, store: where } = options;
  const { shard, owner, mintedUntil } = record;
  const now = await store.now();
  if (isHeld(record, now)) {
    const how = commandFor(where, '--release', shard);
    throw new Error(`shard ${shard} is held by ${owner}: release it first, with: ${how}`);
  }
  await confirm(
    yes,
    `--reset-mark sets the mark of shard ${shard}, ${iso(mintedUntil)}, to the store's clock, ${iso(new Date(now))}.`,
    'Do that if a wrong clock has set the mark. If ids with times between the two were really minted with the shard,',
    'the same ids can be minted again when those times come.',
  );
  return resetMark(store, shard, { by: operator() });
}
