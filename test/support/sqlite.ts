import { createRequire } from 'node:module';

/**
 * Whether this Node has SQLite, or better-sqlite3 is installed. Where neither is so, the tests that need it are skipped,
 * and that is said; `npm run test:sqlite` runs them on a Node that has it.
 */
export function hasSqlite(): boolean {
  const require = createRequire(import.meta.url);
  for (const library of ['node:sqlite', 'better-sqlite3']) {
    try {
      require(library);
      return true;
    } catch {}
  }
  process.stderr.write('\nNOT TESTED, as neither Node nor better-sqlite3 has SQLite here: npm run test:sqlite\n\n');
  return false;
}
