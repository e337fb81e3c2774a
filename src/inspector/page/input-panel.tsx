import type { View } from '../decode/inspection.js';
import { FORMATS } from '../decode/settings.js';
import { FORMAT_NAMES, WIDE_ID_KINDS } from '../read/problems.js';
import { formatOptions } from './controls.js';
import { Choice } from './controls.jsx';
import { byteSize, plural } from './format.js';
import { change, clear, failure, given, isReading, openFiles, openText, settings, view } from './state.js';

const KINDS: Record<NonNullable<View['kind']>, string> = {
  lines: 'one per line',
  list: 'a list',
  csv: 'a table',
  json: 'JSON',
  text: 'found in text',
};

export function InputPanel() {
  return (
    <section
      class={`card input ${given?.isTyped && given.text?.includes('\n') ? 'lines' : ''}`}
      tabIndex={-1}
      aria-label="Ids"
      aria-busy={isReading}
    >
      {given !== undefined && given.text === undefined ? (
        <Large />
      ) : (
        <textarea
          aria-label="Ids"
          aria-describedby="accepted"
          spellcheck={false}
          autocomplete="off"
          placeholder="Paste ids here, or drop files anywhere"
          value={given?.text ?? ''}
          onInput={(event) => openText(event.currentTarget.value, '', true)}
        />
      )}
      <div class="controls">
        <button type="button" onClick={(event) => (event.currentTarget.nextSibling as HTMLInputElement).click()}>
          Open files…
        </button>
        <input
          type="file"
          multiple
          hidden
          aria-label="Files of ids"
          onChange={(event) => {
            openFiles(Array.from(event.currentTarget.files ?? []));
            event.currentTarget.value = '';
          }}
        />
        {given !== undefined && (
          <button type="button" onClick={clear}>
            Clear
          </button>
        )}
        {view !== undefined && (
          <>
            <Choice
              label="Read as"
              value={settings.read}
              options={[
                ['guess', `guess: ${FORMAT_NAMES[view.read]}`],
                ...formatOptions([...FORMATS, ...WIDE_ID_KINDS]),
              ]}
              onChange={(read) => change({ read })}
            />
            {view.sourceColumns.length > 1 && (
              <Choice
                label="Column"
                value={view.sourceColumns[view.sourceColumn]}
                options={view.sourceColumns.map((name) => [name, name || '(the values themselves)'])}
                onChange={(column) => change({ column })}
              />
            )}
          </>
        )}
        <p class="summary" id="accepted" aria-live="polite">
          {view === undefined ? 'One id or a million, as lines, CSV, JSON or any text.' : summaryOf(view)}
        </p>
      </div>
    </section>
  );
}

function Large() {
  const bytes = view === undefined || isReading ? (given?.bytes ?? 0) : view.bytes;
  return (
    <div class="large">
      <strong>
        {failure !== undefined
          ? 'Nothing to read'
          : isReading || view === undefined
            ? 'Working…'
            : plural(view.rows, 'row')}
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
    view.bad > 0 && plural(view.bad, 'bad row'),
    view.negative > 0 && `${plural(view.negative, 'negative number')} read as unsigned`,
    view.header && 'the first line is the header',
    view.blankLines > 0 && plural(view.blankLines, 'blank line'),
  ]
    .filter(Boolean)
    .join(' · ');
}
