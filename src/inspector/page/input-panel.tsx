import { useRef, useState } from 'preact/hooks';
import type { View } from '../decode/inspection.js';
import { FORMATS, type Settings } from '../decode/settings.js';
import { FORMAT_NAMES } from '../read/problems.js';
import { WIDE_KINDS } from '../read/wide-kinds.js';
import { FormatOptions } from './format-options.js';
import type { Inspector } from './inspector.js';
import { byteSize, count, plural } from './numbers.js';

const KINDS: Record<NonNullable<View['kind']>, string> = {
  lines: 'one per line',
  list: 'a list',
  csv: 'a table',
  json: 'JSON',
  text: 'found in text',
};

export function InputPanel({ inspector }: { inspector: Inspector }) {
  const { given, view, busy, settings } = inspector;
  const picker = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  return (
    <section
      class={`card input ${typed.includes('\n') && typed === given?.text ? 'lines' : ''}`}
      tabIndex={-1}
      aria-label="Ids"
      aria-busy={busy}
    >
      {given !== undefined && given.text === undefined ? (
        <Large inspector={inspector} />
      ) : (
        <textarea
          aria-label="Ids"
          aria-describedby="accepted"
          spellcheck={false}
          autocomplete="off"
          placeholder="Paste ids here, or drop files anywhere"
          value={given?.text ?? ''}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            inspector.openText(event.currentTarget.value);
          }}
        />
      )}
      <div class="controls">
        <button type="button" onClick={() => picker.current?.click()}>
          Open files…
        </button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label="Files of ids"
          onChange={(event) => {
            inspector.openFiles(Array.from(event.currentTarget.files ?? []));
            event.currentTarget.value = '';
          }}
        />
        {given !== undefined && (
          <button type="button" onClick={() => inspector.clear()}>
            Clear
          </button>
        )}
        {view !== undefined && (
          <>
            <label>
              <span>Read as</span>
              <select
                value={settings.read}
                onChange={(event) => inspector.change({ read: event.currentTarget.value as Settings['read'] })}
              >
                <option value="guess">{`guess: ${FORMAT_NAMES[view.read]}`}</option>
                <FormatOptions formats={[...FORMATS, ...WIDE_KINDS]} />
              </select>
            </label>
            {view.sourceColumns.length > 1 && (
              <label>
                <span>Column</span>
                <select
                  value={view.sourceColumns[view.sourceColumn]}
                  onChange={(event) => inspector.change({ column: event.currentTarget.value })}
                >
                  {view.sourceColumns.map((name) => (
                    <option key={name} value={name}>
                      {name === '' ? '(the values themselves)' : name}
                    </option>
                  ))}
                </select>
              </label>
            )}
          </>
        )}
        <p class="summary" id="accepted" aria-live="polite">
          {view === undefined
            ? 'One id or a million, in decimal, hex, base62 or base 32, as lines, CSV, JSON or any text.'
            : summaryOf(view)}
        </p>
      </div>
    </section>
  );
}

function Large({ inspector: { given, view, busy, failure } }: { inspector: Inspector }) {
  const bytes = view === undefined || busy ? (given?.bytes ?? 0) : view.bytes;
  return (
    <div class="large">
      <strong>
        {failure !== undefined ? 'Nothing to read' : busy || view === undefined ? 'Working…' : plural(view.rows, 'row')}
      </strong>
      <span>{[given?.name, bytes > 0 && byteSize(bytes)].filter(Boolean).join(', ')}</span>
    </div>
  );
}

function summaryOf(view: View): string {
  const good = view.rows - view.bad;
  return [
    plural(good, 'id'),
    view.files > 1 && `${view.files} files`,
    view.rows > 1 && view.kind !== undefined && KINDS[view.kind],
    view.bad > 0 && `${count(view.bad)} bad ${view.bad === 1 ? 'row' : 'rows'}`,
    view.negative > 0 && `${plural(view.negative, 'negative number')} read as unsigned`,
    view.header && 'the first line is the header',
    view.blankLines > 0 && plural(view.blankLines, 'blank line'),
  ]
    .filter(Boolean)
    .join(' · ');
}
