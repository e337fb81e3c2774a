import type { Inspector } from './inspector.js';
import { milliseconds, plural } from './numbers.js';

/** Which backend decodes, and how fast. */
export function StatusBar({ inspector }: { inspector: Inspector }) {
  const { view, given, linkIsComplete } = inspector;
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
