// `node process.mjs WHERE FROM COUNT BATCH`: says "ready", waits for a line on standard input, interns strings, ends.
import { once } from 'node:events';
import { Interner } from 'shardbits/registry';
import { openStore } from '../../test/support/open-store.mjs';
import { keysOf } from './keys.ts';

const [, , where, from, count, batch] = process.argv;
const interner = new Interner({ store: await openStore(where) });
const keys = keysOf('random', Number(from), Number(count));
await interner.lookupMany(keys.slice(0, 1));
console.log('ready');
await once(process.stdin, 'data');
for (let at = 0; at < keys.length; at += Number(batch)) await interner.internMany(keys.slice(at, at + Number(batch)));
await interner.close();
process.exit(0);
