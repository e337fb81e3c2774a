import { Fragment, render } from 'preact';
import { setBackend } from '../../index.js';
import { LOCAL, UTC } from '../decode/dates.js';
import { EXAMPLES } from '../decode/example-ids.js';
import { layoutOf } from '../decode/layout-choice.js';
import { serve, type WorkerScope } from '../decode/worker.js';
import { ChartsPanel } from './charts/charts-panel.js';
import { Alert, Button, CopyButton, joined, MEDIA, matches, plural } from './controls.js';
import { AnswerPanel, ExamplePanel, tabTitle, UnreadablePanel } from './ids/answer-panel.js';
import { DatePanel, IdPanel } from './ids/id-panel.js';
import { LayoutPanel, LayoutsPanel } from './ids/layout-panel.js';
import { InputPanel } from './input-panel.js';
import { KeysPanel } from './keys/keys-panel.js';
import { SnippetsPanel, StatisticsPanel } from './rows/statistics-panel.js';
import { TablePanel } from './rows/table-panel.js';
import { change, link, openFiles, openKeyFiles, openMillion, openText, page, start, update } from './state.js';

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
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M8 2a6 6 0 1 0 6 6 4.500 4.500 0 0 1-6-6z" />
      </svg>
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
      <div class="tools">
        <ZoneSwitch />
        <CopyButton text={link} label="Copy a link to this page as it is">
          Copy link
        </CopyButton>
        <ThemeButton />
      </div>
    </header>
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
  const { view, input, linkIsComplete } = page;
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
            decoded {plural(view.rows - view.bad, 'id')} in {view.decodeMs.toFixed(view.decodeMs < 10 ? 1 : 0)} ms
          </span>
        )}
        <span>
          {input !== undefined && !linkIsComplete
            ? 'A link has the settings only: there are too many ids for it.'
            : 'Nothing leaves this page.'}
        </span>
      </p>
    </footer>
  );
}

function EmptyState() {
  const { isReading, failure } = page;
  if (isReading) return <p class="waiting">Reading…</p>;
  const examples = EXAMPLES.map(({ label, text, layout }) => {
    const open = () => {
      change({ layout: layout === undefined ? undefined : { spec: layout } });
      openText(text);
    };
    return { label, shown: text.split('\n').slice(0, 2).join(' ⏎ '), open };
  });
  examples.push({ label: 'A million ids', shown: 'made up on this page', open: openMillion });
  return (
    <section class="empty" aria-labelledby="examples">
      {failure !== undefined ? <Alert class="card failure">{failure}</Alert> : <ExamplePanel />}
      <h2 id="examples">Or try one of these</h2>
      <ul class="examples">
        {examples.map(({ label, shown, open }) => (
          <li key={label}>
            <Button onClick={open}>
              <strong>{label}</strong>
              <code>{shown}</code>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

let keysKey = '';

function App() {
  const { view, isReading } = page;
  const props = view && { view, layout: layoutOf(view.layout) };
  const many = view !== undefined && view.rows > 1;
  const isWide = view?.wide !== undefined;
  const isNarrow = matches('narrow');
  const key =
    view === undefined ? `empty ${isReading}` : `${many} ${isWide} ${isNarrow} ${view.unreadable === undefined}`;
  if (!document.activeElement?.closest('.routing')) keysKey = key; // somebody who types there stays there
  return (
    <>
      <Header />
      <main>
        <InputPanel />
        {props === undefined ? (
          <EmptyState />
        ) : view?.unreadable !== undefined ? (
          <>
            <UnreadablePanel {...props} />
            {many && <TablePanel {...props} />}
          </>
        ) : (
          // Anew where rows come or go above the rest: what is new does not jump, and what moved down would.
          <Fragment key={key}>
            <AnswerPanel {...props} />
            {many && isNarrow && <TablePanel {...props} />}
            {!isWide && <LayoutPanel {...props} />}
            {many && <ChartsPanel {...props} />}
            <div class={many && !isNarrow ? 'panels right' : 'panels'}>
              {many && !isNarrow && <TablePanel {...props} />}
              <IdPanel {...props} />
              {many && <StatisticsPanel />}
              {!isWide && <LayoutsPanel {...props} />}
              {!isWide && <SnippetsPanel {...props} />}
            </div>
            {!isWide && <DatePanel {...props} />}
          </Fragment>
        )}
        {/* As above: the end of the page moves with what is before it. */}
        <KeysPanel key={keysKey} />
      </main>
      <StatusBar key={key} />
    </>
  );
}

/** If what had the focus is gone, it goes to the text box if that is empty, or else to what is around it. */
function draw(): void {
  const focused = document.activeElement;
  render(<App />, document.getElementById('app') as HTMLElement);
  document.title = joined([page.view && tabTitle(page.view), 'shardbits inspector'], ' · ');
  if (focused?.isConnected === false)
    document.querySelector<HTMLElement>(page.input === undefined ? '.input textarea' : '.input')?.focus();
}

/** Ids are pasted and dropped anywhere, except into a box that is for something else. */
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
    if (files.length === 0) openText(text);
    else if (target instanceof Element && target.closest('.routing')) openKeyFiles(files);
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

// One script is both the page and its worker: the library is then in the page once, and a single file needs no
// second one. A worker has no document.
if (typeof document === 'undefined') serve(globalThis as unknown as WorkerScope);
else {
  // The page itself decodes one id at a time; compiling WebAssembly would take longer than that.
  setBackend('bigint');
  applyKeptTheme();
  takeFromAnywhere();
  start(document.currentScript?.textContent ?? '', draw);
}
