import { useState } from 'preact/hooks';
import type { Layout } from '../../index.js';
import type { View } from '../decode/inspection.js';
import { SNIPPETS, type SnippetKind, snippetOf } from '../decode/snippets.js';
import { CopyButton } from './copy-button.jsx';

/** The layout at hand, as code to take along. */
export function SnippetsPanel({ view, layout }: { view: View; layout: Layout }) {
  const [kind, setKind] = useState<SnippetKind>('postgres');
  const snippet = snippetOf(kind, view.layout, layout);
  return (
    <section class="card" aria-labelledby="snippets">
      <div class="controls">
        <h2 id="snippets">Decode it elsewhere</h2>
        <label>
          <span class="hidden">Language</span>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as SnippetKind)}>
            {Object.entries(SNIPPETS).map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
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
