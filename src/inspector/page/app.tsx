import { Fragment, render, type TargetedKeyboardEvent } from 'preact';
import { setBackend } from '../../index.js';
import { FORMAT_NAMES, isWideKind, WIDE_ID_KINDS } from '../../tokens/formats.js';
import type { WideIdKind } from '../../wide-ids/index.js';
import { LOCAL, UTC } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { layoutOf } from '../decode/layout-choice.js';
import { FORMATS, TABS } from '../decode/settings.js';
import { SHARDS_WORKER, type WorkerScope } from './background.js';
import { ChartsPanel } from './charts/charts-panel.js';
import {
  Alert,
  Button,
  Choice,
  CopyButton,
  type Fact,
  Facts,
  FileButton,
  formatOptions,
  Icon,
  joined,
  MEDIA,
  matches,
  plural,
} from './controls.js';
import { AnswerPanel, EXAMPLES, tabTitle, UnreadablePanel } from './ids/answer-panel.js';
import { DatesPanel } from './ids/dates-panel.js';
import { IdPanel, SnippetsPanel } from './ids/id-panel.js';
import { LayoutPanel, LayoutsPanel, WidePanel } from './ids/layout-panel.js';
import { LEFT_OUT } from './link.js';
import { StatisticsPanel, TablePanel } from './rows/table-panel.js';
import { change, clear, link, notInLink, openFiles, openMillion, openText, page, set, start, update } from './state.js';
import { type Answer, type Request, serve } from './worker.js';

const KEPT_AS = 'shardbits-theme';

/** Light or dark as the system has it, until it is chosen here. */
function ThemeButton() {
  const { style } = document.documentElement;
  const isDark = style.colorScheme ? style.colorScheme === 'dark' : matches('dark');
  const toggle = () => {
    style.colorScheme = isDark ? 'light' : 'dark';
    try {
      localStorage.setItem(KEPT_AS, style.colorScheme);
    } catch {
      // If nothing may be kept, the choice lasts as long as the page.
    }
    update();
  };
  return (
    <Button class="quiet" aria-pressed={isDark} onClick={toggle}>
      <Icon path="M8 2a6 6 0 1 0 6 6 4.5 4.5 0 0 1-6-6z" />
      <span>Dark</span>
    </Button>
  );
}

function applyKeptTheme(): void {
  try {
    document.documentElement.style.colorScheme = localStorage.getItem(KEPT_AS) ?? '';
  } catch {
    // If nothing may be read, the page is as the system has it.
  }
  for (const query of Object.values(MEDIA)) matchMedia(query).addEventListener('change', () => update());
}

function Header() {
  return (
    <header>
      <h1>
        <svg viewBox="0 0 34 16" width="34" height="16" aria-hidden="true" class="mark">
          <rect width="14" height="16" rx="2" class="c0" />
          <rect x="16" width="8" height="16" rx="2" class="c1" />
          <rect x="26" width="8" height="16" rx="2" class="c2" />
        </svg>
        <span>
          shardbits <span class="light">inspector</span>
        </span>
      </h1>
      <Tabs />
      <div class="tools">
        {page.settings.tab === 'ids' && <ZoneSwitch />}
        <CopyButton text={link} label="Copy a link to this page as it is" without={notInLink}>
          Copy link
        </CopyButton>
        <ThemeButton />
      </div>
    </header>
  );
}

/** The arrow keys go to the other tab, and open it. */
function Tabs() {
  const { tab } = page.settings;
  const step = ({ key, currentTarget }: TargetedKeyboardEvent<HTMLElement>) => {
    const [first, last] = TABS;
    const other = tab === first ? last : first;
    const next = { ArrowLeft: other, ArrowRight: other, Home: first, End: last }[key];
    if (next === undefined) return;
    set({ tab: next });
    currentTarget.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="What to look into" onKeyDown={step}>
      {TABS.map((each) => (
        <Button
          key={each}
          id={`${each}-tab`}
          role="tab"
          aria-selected={each === tab}
          aria-controls="panel"
          tabIndex={each === tab ? 0 : -1}
          onClick={() => set({ tab: each })}
        >
          {each === 'ids' ? 'Ids' : 'Shards'}
        </Button>
      ))}
    </div>
  );
}

/** UTC, the zone of the browser, and that of a link. */
function ZoneSwitch() {
  const { zone } = page.settings;
  const zones = [...new Set([UTC, LOCAL, zone])];
  if (zones.length === 1) return null;
  return (
    <fieldset class="segments" aria-label="Time zone">
      {zones.map((each) => (
        <Button key={each} title={each} aria-pressed={each === zone} onClick={() => change({ zone: each })}>
          {each === LOCAL ? 'Local' : each}
        </Button>
      ))}
    </fieldset>
  );
}

function StatusBar() {
  const view = page.settings.tab === 'ids' ? page.view : undefined;
  const left = notInLink();
  return (
    <footer>
      <p>
        {view && (
          <span class="backend">
            {view.backend === 'wasm' ? 'WebAssembly' : 'BigInt: WebAssembly is not available here'}
          </span>
        )}
        {view && !view.wide && (
          <span class="speed">
            decoded {plural(view.rows - view.bad, 'id')} in {view.decodeMs.toFixed(view.decodeMs < 10 ? 1 : 0)} ms
          </span>
        )}
        <span>{left ? `A link is without the ${left}.` : 'Nothing leaves this page.'}</span>
        <span class="hint">Press ? for keys.</span>
        {LINKS.map(([name, path]) => (
          <span key={name}>
            <a href={`https://github.com/shardbits/shardbits${path}`} target="_blank" rel="noreferrer">
              {name}
            </a>
          </span>
        ))}
      </p>
      <dialog class="card" aria-label="Keys">
        <Facts of={KEYS} />
        <Button onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>Close</Button>
      </dialog>
    </footer>
  );
}

/** They open in another tab, which learns nothing of this one. */
const LINKS = [
  ['Documentation', '/blob/HEAD/docs/inspector.md'],
  ['Source', ''],
];

const KEYS: readonly Fact[] = [
  ['/', 'go to the box'],
  ['Esc', 'clear the box'],
  ['Ctrl+Z, ⌘Z', 'undo Clear'],
  ['← →', 'move to a tab or a bar, or move a border of bits'],
  ['Shift+← →', 'select bars'],
  ['Enter, Esc', 'filter by bars, and take that back'],
  ['↑ ↓', 'move to a row'],
  ['PgUp, PgDn, Home, End', 'move farther'],
];

/** `/` and `?`, except where they are text. */
function takeKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey } = event;
    if (ctrlKey || metaKey || (target as Element).matches('input, select, textarea')) return;
    const dialog = document.querySelector('dialog');
    if (key === '/') document.querySelector<HTMLElement>('.input textarea, .keys')?.focus();
    else if (key === '?' && !dialog?.open) dialog?.showModal();
    else return;
    event.preventDefault();
  });
}

const KINDS: Record<NonNullable<View['kind']>, string> = {
  lines: 'one per line',
  list: 'a list',
  csv: 'a table',
  json: 'JSON',
  text: 'found in text',
};

const ID_FORMATS = formatOptions([...FORMATS, 'shortcode', ...WIDE_ID_KINDS]);

function InputPanel() {
  const { input, view, settings, isReading, undo } = page;
  const summary = view ? summaryOf(view) : 'Nothing leaves this page.';
  return (
    <section
      class={`card input ${input?.isTyped && input.text?.includes('\n') ? 'lines' : ''}`}
      tabIndex={-1}
      aria-label="Ids"
      aria-busy={isReading}
    >
      {input && input.text === undefined ? (
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
          onKeyDown={(event) => {
            const isUndo = undo && event.key === 'z' && (event.ctrlKey || event.metaKey);
            if (isUndo) event.preventDefault();
            if (isUndo) undo();
            else if (input && event.key === 'Escape' && !event.isComposing) clear();
          }}
        />
      )}
      <div class="controls">
        <FileButton label="Files of ids" onOpen={openFiles} />
        {input && <Button onClick={clear}>Clear</Button>}
        {undo && <Button onClick={undo}>Undo</Button>}
        {view && (
          <Choice
            label="Id format"
            isHidden={matches('narrow')}
            value={settings.read}
            options={[['guess', `Automatic (${FORMAT_NAMES[view.read]})`], ...ID_FORMATS]}
            onChange={(read) => change({ read })}
          />
        )}
        {view && view.sourceColumns.length > 1 && (
          <Choice
            label="Column"
            value={view.sourceColumns[view.sourceColumn]}
            options={view.sourceColumns.map((name) => [name, name || '(the values themselves)'])}
            onChange={(column) => change({ column })}
          />
        )}
        <p class={`summary ${summary === '1 id' ? 'hidden' : ''}`} id="accepted" aria-live="polite">
          {summary}
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
        {failure !== undefined ? 'Nothing to read' : seen ? plural(seen.rows - seen.bad, 'id') : 'Working…'}
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
    view.header && 'the first line is the header',
    view.blankLines > 0 && `${plural(view.blankLines, 'line')} without data`,
  ];
  return joined(parts, ' · ');
}

function EmptyState() {
  const { isReading, failure } = page;
  const { filter, group, column, sort } = page.settings;
  const isLink = filter || group || column || sort || location.hash === `#${LEFT_OUT}`;
  if (isReading) return <p class="waiting">Reading…</p>;
  return (
    <section class="empty" aria-labelledby="what">
      {failure && <Alert class="card failure">{failure}</Alert>}
      {isLink && !failure && (
        <p class="card">This link has no ids: paste or drop them to see them as they were shown.</p>
      )}
      <h2 id="what">When was it made, and by whom?</h2>
      <p>Paste an id, a link, a log, a file or a date, or try one of these:</p>
      <ul class="chips">
        {EXAMPLES.map(([label, text, layout]) => {
          const open = () => {
            change({ layout });
            if (text === undefined) openMillion();
            else openText(text);
          };
          return (
            <li key={label}>
              <Button title={text} onClick={open}>
                {label}
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function IdsPanel({ shape }: { shape: string }) {
  const { view } = page;
  // Of ids of several kinds, the one that is selected has a layout of its own.
  const props = view && { view, layout: layoutOf((view.isMixed && page.selected?.layout) || view.layout) };
  const many = view && view.rows > 1;
  const isWide = view?.isMixed ? isWideKind(page.selected?.format ?? 'dec') : view?.wide !== undefined;
  const wide = page.selected && isWideKind(page.selected.format) && page.selected.isId ? page.selected : undefined;
  const isNarrow = matches('narrow');
  return (
    <>
      <InputPanel />
      {page.input?.datedAt !== undefined ? (
        <DatesPanel />
      ) : !props ? (
        <EmptyState />
      ) : view?.unreadable ? (
        <>
          <UnreadablePanel {...props} />
          {many && <TablePanel {...props} />}
        </>
      ) : (
        // Anew where rows come or go above the rest: what is new does not jump, and what moved down would.
        <Fragment key={shape}>
          <AnswerPanel {...props} />
          {many && isNarrow && <TablePanel {...props} />}
          {!isWide && <LayoutPanel {...props} />}
          {isWide && wide && <WidePanel text={wide.cells[1]} kind={wide.format as WideIdKind} />}
          {many && <ChartsPanel {...props} />}
          <div class={many && !isNarrow ? 'panels right' : 'panels'}>
            {many && !isNarrow && <TablePanel {...props} />}
            <IdPanel {...props} />
            {many && <StatisticsPanel />}
            {!isWide && <LayoutsPanel {...props} />}
            {!isWide && <SnippetsPanel {...props} />}
          </div>
        </Fragment>
      )}
    </>
  );
}

function App() {
  const { view, isReading, shards } = page;
  const { tab } = page.settings;
  const shape = view
    ? `${view.rows > 1} ${view.wide !== undefined} ${matches('narrow')} ${view.unreadable === undefined}`
    : `empty ${isReading}`;
  return (
    <>
      <Header />
      <main>
        <div id="panel" class="panel" role="tabpanel" aria-labelledby={`${tab}-tab`}>
          {tab === 'ids' ? <IdsPanel shape={shape} /> : shards && <shards.Panel />}
        </div>
      </main>
      {/* As the panels: the end of the page moves with what is before it. */}
      <StatusBar key={`${tab} ${shape}`} />
    </>
  );
}

/** If what had the focus is gone, it goes to the text box if that is empty, or else to what is around it. */
function draw(): void {
  const focused = document.activeElement;
  const { tab } = page.settings;
  if (tab === 'shards' && !page.shards) runShardsScript();
  render(<App />, document.getElementById('app') ?? document.body);
  const title = tab === 'shards' ? 'Shards' : page.view && tabTitle(page.view);
  document.title = joined([title, 'shardbits inspector'], ' · ');
  if (focused?.isConnected === false)
    document.querySelector<HTMLElement>(page.input ? '.input' : '.input textarea')?.focus();
}

/** Sets `page.shards`. The page has the script as text, and its policy has the script's hash. */
function runShardsScript(): void {
  const script = document.createElement('script');
  script.textContent = document.querySelector('script[type="text/plain"]')?.textContent ?? '';
  document.head.append(script);
}

/** Ids or keys are pasted and dropped anywhere, except into a box that is for something else. */
function takeFromAnywhere(): void {
  const take = (event: Event, data: DataTransfer | null) => {
    const text = data?.getData('text/plain') ?? '';
    const isPaste = event.type === 'paste';
    const files = Array.from((!(isPaste && text) && data?.files) || []); // cells of a spreadsheet come with a picture
    const { target } = event;
    // A short text goes where the cursor is, among what is there already.
    const isInPlace = isPaste && target instanceof HTMLTextAreaElement && text.length <= 2000;
    if (files.length === 0 && (text === '' || isInPlace || isElsewhere(target))) return;
    event.preventDefault();
    if (page.settings.tab === 'shards') page.shards?.take(files.length === 0 ? text : files);
    else if (files.length === 0) openText(text);
    else openFiles(files);
  };
  const { classList } = document.body;
  document.addEventListener('paste', (event) => take(event, event.clipboardData));
  document.addEventListener('dragover', (event) => {
    if (isElsewhere(event.target) && !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    classList.add('dropping');
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    classList.remove('dropping');
    take(event, event.dataTransfer);
  });
}

function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, .keys');
}

/** The text of this script, which is also that of workers: the library is then in the page once. */
export const firstScript = globalThis.document?.currentScript?.textContent ?? ''; // a worker has no document

if (typeof document !== 'undefined') {
  // The page itself decodes one id at a time; compiling WebAssembly would take longer than that.
  setBackend('bigint');
  applyKeptTheme();
  takeFromAnywhere();
  takeKeys();
  // A link may run the second script, which comes after this one: what it repeats of it is then shorter in gzip.
  document.addEventListener('DOMContentLoaded', () => start(firstScript, draw));
} else if (self.name !== SHARDS_WORKER) serve(globalThis as unknown as WorkerScope<Request, Answer>);
