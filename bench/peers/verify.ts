// `npm run verify [-- sets | sql | parquet | partitioners]`: compares results with those of other programs. Without a
// word, or with files, it is the rows of the command line: see verify-rows.ts.
const OTHERS: { readonly [word: string]: string } = {
  sets: './verify-sets.js',
  sql: './sql.js',
  parquet: './parquet.js',
  partitioners: './partitioners.js',
};

const other = OTHERS[process.argv[2] ?? ''];
if (other !== undefined) process.argv.splice(2, 1);
await import(other ?? './verify-rows.js');

export {};
