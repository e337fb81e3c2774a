import { setBackend } from '../../index.js';
import { serve, type WorkerScope } from '../decode/worker.js';
import { applyKeptTheme, draw, takeFromAnywhere } from './app.jsx';
import { start } from './state.js';

// One script is both the page and its worker: the library is then in the page once, and a single file needs no
// second one. A worker has no document.
if (typeof document === 'undefined') serve(globalThis as unknown as WorkerScope);
else {
  // The page itself decodes one id at a time; compiling WebAssembly would take longer than that.
  setBackend('bigint');
  applyKeptTheme();
  takeFromAnywhere();
  start(document.currentScript?.textContent ?? '', draw);
}
