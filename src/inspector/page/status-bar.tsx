import { milliseconds, plural } from './numbers.js';
import { given, linkIsComplete, view } from './state.js';

/** Which backend decodes, and how fast. */
export function StatusBar() {
  return (
    <footer>
      <p>
        {view !== undefined && (
          <span class="backend">
            {view.backend === 'wasm' ? 'WebAssembly' : 'BigInt: WebAssembly is not available here'}
          </span>
        )}
        {view !== undefined && view.wide === undefined && (
          <span class="speed">
            decoded {plural(view.rows - view.bad, 'id')} in {milliseconds(view.decodeMs)} ms
          </span>
        )}
        <span>
          {given !== undefined && !linkIsComplete
            ? 'A link has the settings only: there are too many ids for it.'
            : 'Nothing leaves this page.'}
        </span>
      </p>
    </footer>
  );
}
