import { milliseconds, plural } from './numbers.js';
import { given, linkIsComplete, speed, view } from './state.js';

/** Which backend decodes, how fast, and how it compares. */
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
            {speed !== undefined &&
              (speed.equal
                ? `, ${speed.times.toFixed(0)}× faster than BigInt`
                : ', BUT BigInt gives other results: please report this')}
            {speed?.equal && (
              <span class="detail"> (measured on a sample of {plural(speed.rows, 'row')}, with equal results)</span>
            )}
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
