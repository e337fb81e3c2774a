import { EXAMPLES } from '../decode/example-ids.js';
import { change, failure, isReading, openMillion, openText } from './state.js';

export function EmptyState() {
  if (isReading) return <p class="waiting">Reading…</p>;
  return (
    <section class="empty" aria-labelledby="examples">
      {failure !== undefined && (
        <p class="error failure" role="alert">
          {failure}
        </p>
      )}
      <h2 id="examples">Or try one of these</h2>
      <ul class="examples">
        {EXAMPLES.map(({ label, text, layout }) => (
          <li key={label}>
            <button
              type="button"
              onClick={() => {
                change({ layout: layout === undefined ? undefined : { spec: layout } });
                openText(text);
              }}
            >
              <strong>{label}</strong>
              <code>{text.split('\n').slice(0, 2).join(' ⏎ ')}</code>
            </button>
          </li>
        ))}
        <li>
          <button type="button" onClick={openMillion}>
            <strong>A million ids</strong>
            <code>made up on this page</code>
          </button>
        </li>
      </ul>
    </section>
  );
}
