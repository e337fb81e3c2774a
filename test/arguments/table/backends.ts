import { loadBackend, setBackend } from '../../../src/index.js';
import type { Table } from '../../support/argument-table.js';
import { lost, NO_STRING, named } from '../../support/wrong-values.js';

const EMPTY = named('an empty module', Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
const OTHER = named('another module', new WebAssembly.Module(EMPTY));
const NO_CORE = [OTHER, EMPTY, EMPTY.buffer, ...[0, 3, 8, 100].map((length) => new Uint8Array(length))];
const NO_SOURCE = [null, 5, 5n, 'core.wasm', true, {}, [], () => 1, named('a URL', new URL('file:///core.wasm'))];
const RESPONSES = [
  named('a response with another module', () => new Response(EMPTY)),
  named('a response that is not ok', async () => new Response('<html>', { status: 404 })),
];

export const BACKENDS: Table = {
  setBackend: [
    ['which', (v) => setBackend(v), NO_STRING, [], "'auto', 'wasm', 'bigint' or a module"],
    ['which', (v) => setBackend(v), [], ['', 'WASM', 'Auto', 'js', 'other'], "'auto', 'wasm', 'bigint' or a module"],
    ['which', (v) => setBackend(v), [], [OTHER]],
  ],
  loadBackend: [
    ['source', (v) => loadBackend(v), [...NO_SOURCE, ...lost('Uint8Array')], [], 'a module, a response or bytes'],
    ['source', (v) => loadBackend(v), [], NO_CORE, "this version's core.wasm"],
    ['source', (respond: () => Response) => loadBackend(respond()), [], RESPONSES],
  ],
};
