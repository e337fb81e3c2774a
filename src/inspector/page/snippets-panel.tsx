import { SNIPPETS, type SnippetKind, snippetOf } from '../decode/snippets.js';
import { Choice } from './controls.jsx';
import { CopyButton } from './copy-button.jsx';
import type { Shown } from './shown.js';
import { redraw } from './state.js';

const KINDS = Object.entries(SNIPPETS) as [SnippetKind, string][];

let kind: SnippetKind = 'postgres';

/** The layout at hand, as code to take along. */
export function SnippetsPanel({ view, layout }: Shown) {
  const snippet = snippetOf(kind, view.layout, layout);
  const choose = (chosen: SnippetKind) => {
    kind = chosen;
    redraw();
  };
  return (
    <section class="card" aria-labelledby="snippets">
      <div class="controls">
        <h2 id="snippets">Decode it elsewhere</h2>
        <Choice label="Language" isHidden value={kind} options={KINDS} onChange={choose} />
        <CopyButton text={() => snippet} label="Copy the code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it */}
      <section class="snippet" tabIndex={0} aria-label="Code">
        <pre>
          <code>{snippet}</code>
        </pre>
      </section>
    </section>
  );
}
