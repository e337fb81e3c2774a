// One session in each database, which does all the work there.
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';

export type Query = (text: string, params?: readonly unknown[]) => Promise<Readonly<Record<string, string>>[]>;
export type Database = Awaited<ReturnType<typeof openDatabase>>;

const SETTINGS = {
  ...{ application_name: 'reshard', lock_timeout: '2s' }, // writers may have to wait behind a lock, too
  synchronous_commit: 'on', // a shard is on the target's disk before the source gives it away
  // Both sides have to write a value as the same text. Floats keep all their digits.
  ...{ DateStyle: 'ISO', IntervalStyle: 'postgres', TimeZone: 'UTC', bytea_output: 'hex', extra_float_digits: '3' },
} as object;

/** Opens a session with a lock that no other mover has: neither another process, nor what a killed one left running. */
export async function openDatabase(name: string, url: string) {
  const onclose = () => {
    console.error(`there is no connection to ${name}`);
    process.exit(1); // because the client would go on in a new session, without the lock
  };
  const sql = postgres(url, { max: 1, max_lifetime: null, onnotice: () => {}, onclose, connection: SETTINGS });
  const query: Query = (text, params = []) => sql.unsafe(text, params as never[]);
  const transaction = (work: (query: Query) => Promise<unknown>) =>
    sql.begin((inner) => work((text, params = []) => inner.unsafe(text, params as never[])));
  await patiently(`another mover is at work in ${name}`, () => query('select pg_advisory_lock(7714, -1)'));
  return { name, query, transaction };
}

/** Tries again if others keep a lock, after a pause in which those who wait behind can go on. */
export async function patiently(problem: string, work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await work());
    } catch (cause) {
      if ((cause as { code?: string }).code !== '55P03') throw cause;
      if (tries === 5) throw new Error(`${problem}: no lock after ${tries} tries`, { cause });
      await setTimeout(500);
    }
  }
}
