import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { MAX_TIMER_MS, withoutPassword } from '../../arguments.js';
import { areOneFile } from '../../node/index.js';
import {
  checkStore,
  copyStore,
  journal,
  moveBack,
  moveStore,
  restoreStore,
  type SkipOptions,
  type SkipOutcome,
  type Store,
  skipAhead,
} from '../../registry/index.js';
import { iso, leftIn, tell } from '../io/outcomes.js';
import { printTable, type TableFormat, withCount } from '../io/output.js';
import { listed } from '../io/reports.js';
import type { CliCommand } from '../options/command.js';
import {
  engineOf,
  isFile,
  type Names,
  naming,
  operator,
  SECURED_STORES,
  STORES,
  type StoreAccess,
  storeName,
  withStore,
} from '../options/store.js';
import { checkCanAsk, fromOptions, integer, integerFrom, required, shown, UsageError } from '../options/usage.js';
import { confirm, inLines, print } from '../terminal.js';

export function define(store: CliCommand): void {
  store
    .helpCommand(false) // `shardbits help store` does the same
    .usage('<command> [options]')
    .description(`Check, back up, restore, move or copy a store. A STORE is ${STORES}.`)
    .addHelpText('after', SECURED_STORES)
    .examples('shardbits store check ids.db', 'shardbits help store copy');
  for (const add of [addCheck, addBackup, addRestore, addMove, addCopy, addDdl, addSkipAhead, addLog]) add(store);
}

function addCheck(store: CliCommand): void {
  store
    .command('check')
    .summary('read all of a store and tell whether it is damaged')
    .description(
      'Read all of a store, check that every id leads to its string and back, and print what the store holds. If the store is damaged, print the reason and exit with 1. If the store was moved away, print where it went.',
    )
    .argument('<store>', STORES, storeName)
    .examples('shardbits store check ids.db')
    .action((where: string) =>
      withStore(where, 'read', async (store) => {
        const { strings, types, shards, prefixBits, room, movedTo, ...found } = await checkStore(store);
        const { identity = 'none', generation = 'none' } = found;
        const held = { strings, types, shards, 'prefix bits': prefixBits ?? 'not set', identity, generation };
        await print(
          inLines(listed({ ...held, left: leftIn(room), ...(movedTo !== undefined && { 'moved to': movedTo }) })),
        );
      }),
    );
}

function addBackup(store: CliCommand): void {
  store
    .command('backup')
    .summary('write a copy of a store to a new file')
    .description(
      'Write a copy of a store in SQLite to a new file. The store stays in use, and the copy is of one instant. It has the mode and owner of the store, as far as you may give them. Use store restore to put it back. An interrupted backup leaves a file FILE.HEX.tmp, which can be removed.',
    )
    .argument('<store>', 'a path such as ids.db', storeName)
    .argument('<file>', 'where the copy goes; a file that exists is never overwritten', storeName)
    .examples('shardbits store backup ids.db ids-backup.db')
    .action(backup);
}

const BACKUP_TOOLS = { PostgreSQL: 'pg_dump', etcd: 'etcdctl snapshot save' } as const;

async function backup(where: string, file: string): Promise<void> {
  const { name } = engineOf(where);
  if (name !== 'SQLite') {
    throw new UsageError(
      `${name} has its own backup: use ${BACKUP_TOOLS[name]}, or shardbits store copy STORE ids.db for a copy in a file`,
    );
  }
  if (!isFile(file)) throw new UsageError(`FILE: expected the name of a file, got ${shown(file)}`);
  if (existsSync(file)) throw new Error(`${file}: the file exists already; a backup never overwrites a file`);
  await withStore(where, 'read', async (store) => {
    if (store.backup === undefined) throw new Error(`${withoutPassword(where)}: ${name} has no backup`);
    await store.backup(file);
  });
  tell({ outcome: 'backed up' }, { store: withoutPassword(where), to: file });
  tellOwner(file, where);
}

/** Says so if a new file could not be given to the owner of the file that it was made from. */
function tellOwner(file: string, like: string): void {
  if (!isFile(file) || !isFile(like)) return;
  const [owner, expected] = [file, like].map((path) => {
    const { uid, gid } = statSync(path);
    return `${uid}:${gid}`;
  });
  if (owner !== expected) tell({ outcome: 'other owner', owner, expected }, { store: like, to: file });
}

/** The arguments of a command that goes from one store to another. */
function withStoreArguments(command: CliCommand, to: string): CliCommand {
  const how = 'made if it is missing, with the mode and owner of FROM if both are files';
  return command.argument('<from>', STORES, storeName).argument('<to>', `${to} in the same form; ${how}`, storeName);
}

function addCopy(store: CliCommand): void {
  withStoreArguments(store.command('copy'), 'a store')
    .summary('copy a store to another one, of any engine')
    .description(
      'Copy a store to another one of any engine, for example to try something out: strings and types with their ids, the records of leases and the shard map. Nobody may use FROM or TO during the copy. To change the store that your processes use, use store move instead: after a copy, both stores can give the same ids. A TO that is in use already is rejected. An interrupted copy can be run again.',
    )
    .examples('shardbits store copy ids.db copy.db', 'shardbits store copy ids.db postgres://user@host/database')
    .action(copy);
}

async function copy(from: string, to: string): Promise<void> {
  const names = { store: withoutPassword(from), to: withoutPassword(to) };
  await withStores([from, 'read'], [to, 'create'], async (source, target) => {
    const copied = await withCopyCount(source, names, (onProgress) => copyStore(source, target, { onProgress }));
    const { strings, types, shards } = copied;
    await print(inLines(listed({ strings, types, shards })));
    tellOwner(to, from);
    tell(copied, names);
  });
}

type Opened = readonly [where: string, access: StoreAccess];

/** Opens two stores. The file of a new one gets the mode and owner of the first one, if both are files. */
async function withStores(
  [from, reading]: Opened,
  [to, writing]: Opened,
  work: (source: Store, target: Store) => Promise<void>,
): Promise<void> {
  if (areOneFile(from, to)) throw new UsageError('TO: expected another store than FROM, got the same');
  await withStore(from, reading, (source) => withStore(to, writing, (target) => work(source, target), from));
}

function withCopyCount<T>(source: Store, names: Names, copyAll: (onProgress: (done: number) => void) => Promise<T>) {
  return naming(names, async () => {
    const total = (await source.count('strings')) + (await source.count('types'));
    return withCount(total, copyAll);
  });
}

function addDdl(store: CliCommand): void {
  store
    .command('ddl')
    .summary('print the SQL that makes the tables of a store in PostgreSQL')
    .description(
      'Print the SQL that makes the tables of a store in PostgreSQL, if you want to make them yourself. Otherwise they are made on first use.',
    )
    .option('--schema <name>', 'where the tables go (default: the first schema of the search path)')
    .examples('shardbits store ddl --schema ids | psql database')
    .action(async ({ schema }: { schema?: string }) => {
      const { postgresDdl } = await import('../../registry/stores/postgres/store.js');
      await print(fromOptions(() => postgresDdl(schema)));
    });
}

const MAX_TYPES = 65_535;
const HOUR_MS = 3_600_000;

type SkipAheadOptions = Omit<SkipOptions, 'leadMs' | 'by'> & { lead?: number; yes?: boolean };

function withSkipOptions(command: CliCommand): CliCommand {
  return command
    .option(
      '--strings <n>',
      'how many numbers every prefix skips; they must reach beyond all that were given since the backup, also after earlier restores (default: enough that no two restores give the same ones)',
      integer,
    )
    .option('--types <n>', 'how many of the 65,535 numbers of types to skip (default: 64)', integerFrom(0, MAX_TYPES))
    .option(
      '--tokens <n>',
      'how many numbers of leases to skip, with the same condition (default: enough that no two restores give the same ones)',
      integer,
    )
    .option(
      '--lead <ms>',
      "how far ahead a lost holder's clock or ids may have been; minting is blocked that long (default: 3600000, an hour)",
      integerFrom(0, MAX_TIMER_MS),
    )
    .option('--yes', 'do not ask for confirmation');
}

function addSkipAhead(store: CliCommand): void {
  withSkipOptions(store.command('skip-ahead'))
    .summary('skip ids that a store may have lost in a failover')
    .description(
      'Skip numbers of strings, types and leases, so that numbers that the store has lost are not given again, and block minting for --lead, so that no id is minted twice. Use this once after a failover to a standby that had not caught up, before anybody uses the store. For a restored backup use store restore, which also begins a new generation. This command checks the store first, and changes nothing if the store is damaged.',
    )
    .argument('<store>', STORES, storeName)
    .examples('shardbits store skip-ahead ids.db', 'shardbits store skip-ahead ids.db --types 1000 --yes')
    .action(skip);
}

async function skip(where: string, { yes, lead: leadMs = HOUR_MS, ...counts }: SkipAheadOptions): Promise<void> {
  checkCanAsk('skip-ahead', { yes });
  await withStore(where, 'change', async (store) => {
    const now = await store.now();
    const [clock, resumes] = [now, now + leadMs].map((ms) => iso(new Date(ms)));
    await confirm(
      yes,
      `This skips numbers of ${withoutPassword(where)} for good. Do it after a failover, before anybody uses the`,
      'store: ids that the store has lost are then not given again. Strings that were interned with them get new ids,',
      'and their old ids stay unknown. Wait until leases that were held have run out.',
      `The store's clock is ${clock}. Nobody can mint before ${resumes}, which cannot be undone.`,
    );
    tell(await skipAhead(store, { ...counts, leadMs, by: operator() }), { store: withoutPassword(where) });
  });
}

function addRestore(store: CliCommand): void {
  withSkipOptions(store.command('restore'))
    .summary('put a backup in the place of a store, so that nothing is given twice')
    .description(
      "Make a restored store fit to be used. With FILE, a backup of a store in SQLite is put in the place of the store. The file that was there stays beside it, as STORE.replaced, and the store gets its mode and owner; what is not a store is never replaced. Without FILE, the store is one that the engine's own tools have restored, such as pg_restore or etcdutl. The command checks the store, begins a new generation of it, which all processes notice, skips numbers that were given after the backup, and prints when minting resumes. If it was interrupted, run it again. With --lost, it takes back a store that was moved to one that is lost: what was given there is lost, too.",
    )
    .argument('[file]', 'a backup made by store backup, for SQLite', storeName)
    .option('--store <path|url>', `what to restore: ${STORES} (required)`, storeName)
    .option('--lost', 'take back a store that was moved away, because the store to which it was moved is lost')
    .examples(
      'shardbits store restore backup.db --store ids.db',
      'shardbits store restore --store postgres://user@host/database --lead 60000',
    )
    .action(restore);
}

type StoreRestoreOptions = SkipAheadOptions & { store: string; lost?: boolean };

async function restore(file: string | undefined, options: StoreRestoreOptions): Promise<void> {
  required(options, '--store');
  const { store: where, yes, lost: isTargetLost = false, lead: leadMs = HOUR_MS, ...counts } = options;
  const name = withoutPassword(where);
  if (file !== undefined && !(isFile(where) && isFile(file))) {
    throw new UsageError(
      "FILE: only SQLite has backups in files; restore others with the engine's own tools, then leave FILE out",
    );
  }
  if (file !== undefined && isTargetLost) {
    throw new UsageError('FILE cannot be combined with --lost: a store that is taken back has all that it had');
  }
  if (file !== undefined && areOneFile(file, where)) throw new UsageError('FILE: expected another file than the store');
  checkCanAsk('restore', { yes });
  const change =
    file === undefined ? `This makes ${name} a new generation` : `This replaces ${name} by a copy of ${file}`;
  const since = isTargetLost ? 'in the store that is lost' : 'after the backup';
  await confirm(
    yes,
    `${change}. Stop all processes that use it first.`,
    `Strings interned ${since} get new ids, and their old ids stay unknown. Nobody can mint for the next`,
    `${leadMs / 1000} seconds by the store's clock, which cannot be undone.`,
  );
  const skipping = { ...counts, leadMs, by: operator() };
  const names = { store: name };
  const restored =
    file === undefined
      ? await withStore(where, 'change', (store) => restoreStore(store, { ...skipping, isTargetLost }))
      : await naming(names, () => restoreFile(file, where, skipping));
  tell(restored, names);
}

async function restoreFile(file: string, where: string, skipping: SkipOptions): Promise<SkipOutcome> {
  const { restoreSqlite } = await import('../../registry/stores/sqlite/store.js');
  const restored = await restoreSqlite(file, where, skipping);
  tellOwner(where, restored.replaced ?? file);
  return restored;
}

function addMove(store: CliCommand): void {
  withStoreArguments(store.command('move'), 'an empty store')
    .summary('move a store to another place or engine, while it is in use')
    .description(
      'Move a store to an empty one of any engine. From the start on FROM gives no new ids, types or leases, and tells its users where it went; TO can be used when the command is done, and nothing is given twice. If it was interrupted, run it again, or take it back with --back. If TO is lost, use store restore --lost for FROM.',
    )
    .option('--back', 'take back a move that was interrupted: FROM can be used again, and TO cannot')
    .examples(
      'shardbits store move ids.db postgres://user@host/database',
      'shardbits store move ids.db postgres://user@host/database --back',
    )
    .action(move);
}

async function move(from: string, to: string, { back }: { back?: boolean }): Promise<void> {
  const names = { store: fullName(from), to: fullName(to) };
  const moving = { from: names.store, to: names.to, by: operator() };
  await withStores([from, 'change'], [to, back ? 'change' : 'create'], async (source, target) => {
    if (back) return tell(await naming(names, () => moveBack(source, target, moving)), names);
    const move = (onProgress: (done: number) => void) => moveStore(source, target, { ...moving, onProgress });
    const moved = await withCopyCount(source, names, move);
    const { strings, types, shards, identity = '', generation = '' } = moved;
    await print(inLines(listed({ strings, types, shards, identity, generation })));
    tell(moved, names);
    tellOwner(to, from);
  });
}

/** The name of a store for those who may be in another folder. */
function fullName(where: string): string {
  return isFile(where) ? resolve(where) : withoutPassword(where);
}

function addLog(store: CliCommand): void {
  store
    .command('log')
    .summary('print what operators have done to a store')
    .description(
      'Print what operators have done to a store, the earliest first: leases ended, marks reset, numbers skipped, moves, restores and rollbacks of the shard map.',
    )
    .argument('<store>', STORES, storeName)
    .tableOption()
    .examples('shardbits store log ids.db')
    .action((where: string, { format }: { format: TableFormat }) =>
      withStore(where, 'read', async (store) => {
        const entries = (await journal(store)).map((entry) => ({ ...entry, at: entry.at.toISOString() }));
        const header = ['time', 'by', 'action', 'what'];
        await printTable(entries, format, header, ({ at, by, action, what }) => [at, by, action, what]);
      }),
    );
}
