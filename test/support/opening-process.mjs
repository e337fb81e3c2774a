// `node opening-process.mjs STORE N`: opens and closes a store N times.
import { openStore } from './open-store.mjs';

const [, , where, count] = process.argv;
for (let opened = 0; opened < Number(count); opened++) {
  const store = await openStore(where);
  await store.counter('strings', 0);
  await store.close();
}
