import { Fragment, render } from 'preact';
import { layoutOf } from '../decode/layout-choice.js';
import { AnswerPanel } from './answer-panel.jsx';
import { ChartsPanel } from './charts-panel.jsx';
import { DatePanel } from './date-panel.jsx';
import { EmptyState } from './empty-state.jsx';
import { Header } from './header.jsx';
import { IdPanel } from './id-panel.jsx';
import { InputPanel } from './input-panel.jsx';
import { KeysPanel } from './keys-panel.jsx';
import { LayoutPanel } from './layout-panel.jsx';
import { LayoutsPanel } from './layouts-panel.jsx';
import { SnippetsPanel } from './snippets-panel.jsx';
import { given, isReading, openFiles, openText, view } from './state.js';
import { StatisticsPanel } from './statistics-panel.jsx';
import { StatusBar } from './status-bar.jsx';
import { TablePanel } from './table-panel.jsx';

let keysKey = '';

function App() {
  const shown = view && { view, layout: layoutOf(view.layout) };
  const many = view !== undefined && view.rows > 1;
  const isWide = view?.wide !== undefined;
  const key = view === undefined ? `empty ${isReading}` : `${many} ${isWide}`;
  if (!document.activeElement?.closest('.routing')) keysKey = key; // somebody who types there stays there
  return (
    <>
      <Header />
      <main>
        <InputPanel />
        {shown === undefined ? (
          <EmptyState />
        ) : (
          // Anew where rows come or go above the rest: what is new does not jump, and what moved down would.
          <Fragment key={key}>
            <AnswerPanel {...shown} />
            {!isWide && <LayoutPanel {...shown} />}
            {many && <ChartsPanel {...shown} />}
            <div class={many ? 'panels right' : 'panels'}>
              {many && <TablePanel {...shown} />}
              <IdPanel {...shown} />
              {many && <StatisticsPanel {...shown} />}
              {!isWide && <LayoutsPanel {...shown} />}
              {!isWide && <SnippetsPanel {...shown} />}
            </div>
            {!isWide && <DatePanel {...shown} />}
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
export function draw(): void {
  const focused = document.activeElement;
  render(<App />, document.getElementById('app') as HTMLElement);
  if (focused?.isConnected === false)
    document.querySelector<HTMLElement>(given === undefined ? '.input textarea' : '.input')?.focus();
}

/** Ids are pasted and dropped anywhere, except into a box that is for something else. */
export function takeFromAnywhere(): void {
  const take = (event: Event, data: DataTransfer | null) => {
    const text = data?.getData('text/plain') ?? '';
    const isPaste = event.type === 'paste';
    const files = Array.from((!(isPaste && text) && data?.files) || []); // cells of a spreadsheet come with a picture
    const { target } = event;
    // A short text goes where the cursor is, among what is there already.
    const isInPlace = isPaste && target instanceof HTMLTextAreaElement && text.length <= 2000;
    if (files.length === 0 && (text === '' || isInPlace || isElsewhere(target))) return;
    event.preventDefault();
    if (files.length > 0) openFiles(files);
    else openText(text);
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

/** Whether it is a box for something else than ids. */
function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, .keys');
}
