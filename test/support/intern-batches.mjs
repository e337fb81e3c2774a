// `node intern-batches.mjs URL SEED BATCHES`: interns batches in PostgreSQL, with the built package, and prints keys with
// ids.
import { Interner } from 'shardbits/registry';
import { postgresStore } from 'shardbits/stores/postgres';

const [, , url, ...numbers] = process.argv;
const [seed, batches] = numbers.map(Number);
const interner = new Interner({ store: await postgresStore(url) });
const ids = {};
for (let batch = 0; batch < batches; batch++) {
  // Two thirds of the keys that all processes intern in this batch, in an order that differs between processes.
  const rows = Array.from({ length: 200 }, (_, i) => (i * 7 + seed * 31) % 200);
  const keys = rows.filter((number) => (number + seed) % 3 !== 0).map((number) => `key ${batch * 200 + number}`);
  for (const [i, id] of (await interner.internMany(keys)).entries()) ids[keys[i]] = String(id);
}
await interner.close();
console.log(JSON.stringify(ids));
