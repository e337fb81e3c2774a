import type { View } from '../decode/inspection.js';
import { FORMATS } from '../decode/settings.js';
import { FORMAT_NAMES, WIDE_ID_KINDS } from '../read/problems.js';
import { Button, Choice, FileButton, formatOptions, joined, matches, plural } from './controls.js';
import { change, clear, openFiles, openText, page } from './state.js';

const KINDS: Record<NonNullable<View['kind']>, string> = {
  lines: 'one per line',
  list: 'a list',
  csv: 'a table',
  json: 'JSON',
  text: 'found in text',
};

const ID_FORMATS = formatOptions([...FORMATS, 'shortcode', ...WIDE_ID_KINDS]);

export function InputPanel() {
  const { input, view, settings, isReading } = page;
  return (
    <section
      class={`card input ${input?.isTyped && input.text?.includes('\n') ? 'lines' : ''}`}
      tabIndex={-1}
      aria-label="Ids"
      aria-busy={isReading}
    >
      {input !== undefined && input.text === undefined ? (
        <LargeInput />
      ) : (
        <textarea
          aria-label="Ids"
          aria-describedby="accepted"
          spellcheck={false}
          autocomplete="off"
          placeholder={matches('touch') ? 'Paste ids here' : 'Paste ids here, or drop files anywhere'}
          value={input?.text ?? ''}
          onInput={(event) => openText(event.currentTarget.value, '', true)}
        />
      )}
      <div class="controls">
        <FileButton label="Files of ids" onOpen={openFiles} />
        {input !== undefined && <Button onClick={clear}>Clear</Button>}
        {view !== undefined && (
          <Choice
            label="Id format"
            value={settings.read}
            options={[['guess', `Automatic (${FORMAT_NAMES[view.read]})`], ...ID_FORMATS]}
            onChange={(read) => change({ read })}
          />
        )}
        {view !== undefined && view.sourceColumns.length > 1 && (
          <Choice
            label="Column"
            value={view.sourceColumns[view.sourceColumn]}
            options={view.sourceColumns.map((name) => [name, name || '(the values themselves)'])}
            onChange={(column) => change({ column })}
          />
        )}
        <p class="summary" id="accepted" aria-live="polite">
          {view === undefined ? 'One id or a million, as lines, CSV, JSON or any text.' : summaryOf(view)}
        </p>
      </div>
    </section>
  );
}

function LargeInput() {
  const { input, view, failure, isReading } = page;
  const seen = isReading ? undefined : view;
  const bytes = seen?.bytes ?? input?.bytes ?? 0;
  const thousands = bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const size = bytes < 1000 ? `${bytes} bytes` : thousands;
  return (
    <div class="large">
      <strong>
        {failure !== undefined
          ? 'Nothing to read'
          : seen === undefined
            ? 'Working…'
            : plural(seen.rows - seen.bad, 'id')}
      </strong>
      <span>{joined([input?.name, bytes > 0 && size])}</span>
    </div>
  );
}

function summaryOf(view: View): string {
  const parts = [
    plural(view.rows - view.bad, 'id'),
    view.files > 1 && `${view.files} files`,
    view.rows > 1 && view.kind !== undefined && KINDS[view.kind],
    view.bad > 0 && plural(view.bad, 'unreadable row'),
    view.negative > 0 && `${plural(view.negative, 'negative number')} read as unsigned`,
    view.header && 'the first line is the header',
    view.blankLines > 0 && `${plural(view.blankLines, 'line')} without data`,
  ];
  return joined(parts, ' · ');
}
