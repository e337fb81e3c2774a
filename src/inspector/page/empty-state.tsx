import { EXAMPLES } from '../decode/example-ids.js';
import type { Inspector } from './inspector.js';

export function EmptyState({ inspector }: { inspector: Inspector }) {
  if (inspector.busy) return <p class="waiting">Reading…</p>;
  return (
    <section class="empty" aria-labelledby="examples">
      {inspector.failure !== undefined && (
        <p class="error failure" role="alert">
          {inspector.failure}
        </p>
      )}
      <h2 id="examples">Or try one of these</h2>
      <ul class="examples">
        {EXAMPLES.map(({ label, text, layout }) => (
          <li key={label}>
            <button
              type="button"
              onClick={() => {
                inspector.change({ layout: layout === undefined ? undefined : { spec: layout } });
                inspector.openText(text);
              }}
            >
              <strong>{label}</strong>
              <code>{text.split('\n').slice(0, 2).join(' ⏎ ')}</code>
            </button>
          </li>
        ))}
        <li>
          <button type="button" onClick={() => inspector.openMillion()}>
            <strong>A million ids</strong>
            <code>made up on this page</code>
          </button>
        </li>
      </ul>
      <dl class="promises">
        <div>
          <dt>Any layout</dt>
          <dd>
            The page knows nineteen layouts, and shows the likeliest first. Draw your own by dragging the borders
            between fields.
          </dd>
        </div>
        <div>
          <dt>A million rows</dt>
          <dd>Sort, filter and chart them as you go. Bad rows are counted, with their reasons.</dd>
        </div>
        <div>
          <dt>Nothing leaves the page</dt>
          <dd>
            It has no network access and works offline. A link keeps what you see in its fragment, which browsers never
            send.
          </dd>
        </div>
      </dl>
    </section>
  );
}
