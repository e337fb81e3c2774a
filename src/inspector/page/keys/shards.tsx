// The second script of the page, which is run when the Shards tab is opened, and also in a worker of its own.
import { firstScript } from '../app.js';
import type { WorkerScope } from '../background.js';
import { page } from '../state.js';
import { KeysPanel } from './keys-panel.js';
import { hasKeys, loadRouting, openKeyFiles, startKeys, takeKeys } from './state.js';
import { type KeysAnswer, type KeysRequest, serveKeys } from './worker.js';

if (typeof document === 'undefined') serveKeys(globalThis as unknown as WorkerScope<KeysRequest, KeysAnswer>);
else {
  page.shards = {
    Panel: KeysPanel,
    take: (keys) => (typeof keys === 'string' ? takeKeys({ text: keys }) : openKeyFiles(keys)),
    load: loadRouting,
    hasKeys,
  };
  startKeys([firstScript, document.currentScript?.textContent ?? '']);
}
