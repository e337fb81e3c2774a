import { Fragment } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { layoutOf } from '../decode/layout-choice.js';
import { AnswerPanel } from './answer-panel.jsx';
import { ChartsPanel } from './charts-panel.jsx';
import { DatePanel } from './date-panel.jsx';
import { EmptyState } from './empty-state.jsx';
import { Header } from './header.jsx';
import { IdPanel } from './id-panel.jsx';
import { InputPanel } from './input-panel.jsx';
import { Inspector } from './inspector.js';
import { KeysPanel } from './keys-panel.jsx';
import { LayoutPanel } from './layout-panel.jsx';
import { LayoutsPanel } from './layouts-panel.jsx';
import { SnippetsPanel } from './snippets-panel.jsx';
import { StatisticsPanel } from './statistics-panel.jsx';
import { StatusBar } from './status-bar.jsx';
import { TablePanel } from './table-panel.jsx';

export function App({ script }: { script: string }) {
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const [inspector] = useState(() => new Inspector(script, () => redraw(undefined)));
  useLayoutEffect(() => takeFromAnywhere(inspector), [inspector]); // not an effect after the first paint: one may paste before
  const { view } = inspector;
  const layout = view && layoutOf(view.layout);
  const many = view !== undefined && view.rows > 1;
  const isWide = view?.wide !== undefined;
  const focused = document.activeElement;
  useLayoutEffect(() => {
    if (focused?.isConnected === false) focusIds(inspector);
  });
  const key = view === undefined ? `empty ${inspector.busy}` : `${many} ${isWide}`;
  const keysKey = useRef(key);
  if (!focused?.closest('.routing')) keysKey.current = key; // somebody who types there stays there
  return (
    <>
      <Header inspector={inspector} />
      <main>
        <InputPanel inspector={inspector} />
        {view === undefined || layout === undefined ? (
          <EmptyState inspector={inspector} />
        ) : (
          // Anew where rows come or go above the rest: what is new does not jump, and what moved down would.
          <Fragment key={key}>
            <AnswerPanel inspector={inspector} view={view} />
            {!isWide && <LayoutPanel inspector={inspector} view={view} layout={layout} />}
            {many && <ChartsPanel inspector={inspector} view={view} layout={layout} />}
            <div class={many ? 'panels right' : 'panels'}>
              {many && <TablePanel inspector={inspector} view={view} layout={layout} />}
              <IdPanel inspector={inspector} layout={layout} />
              {many && <StatisticsPanel inspector={inspector} view={view} layout={layout} />}
              {!isWide && <LayoutsPanel inspector={inspector} view={view} />}
              {!isWide && <SnippetsPanel view={view} layout={layout} />}
            </div>
            {!isWide && <DatePanel inspector={inspector} layout={layout} />}
          </Fragment>
        )}
        {/* As above: the end of the page moves with what is before it. */}
        <KeysPanel key={keysKey.current} inspector={inspector} />
      </main>
      <StatusBar key={key} inspector={inspector} />
    </>
  );
}

/** Where the focus goes when what had it is gone: to the text box if it is empty, or else to what is around it. */
function focusIds({ given }: Inspector): void {
  document.querySelector<HTMLElement>(given === undefined ? '.input textarea' : '.input')?.focus();
}

/** Ids are pasted and dropped anywhere, except into a box that is for something else. */
function takeFromAnywhere(inspector: Inspector): () => void {
  const onPaste = (event: ClipboardEvent) => {
    const { target } = event;
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const files = Array.from(event.clipboardData?.files ?? []);
    if (isElsewhere(target) || (text === '' && files.length === 0)) return;
    // A short text goes where the cursor is, among what is there already.
    if (target instanceof HTMLTextAreaElement && text.length <= 2000 && files.length === 0) return;
    event.preventDefault();
    if (text === '') inspector.openFiles(files);
    else inspector.openText(text);
  };
  const onDragOver = (event: DragEvent) => {
    if (isElsewhere(event.target) && !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    document.body.classList.add('dropping');
  };
  const onDragLeave = (event: DragEvent) => {
    if (event.relatedTarget === null) document.body.classList.remove('dropping');
  };
  const onDrop = (event: DragEvent) => {
    document.body.classList.remove('dropping');
    const files = Array.from(event.dataTransfer?.files ?? []);
    if (isElsewhere(event.target) && files.length === 0) return;
    event.preventDefault();
    if (files.length > 0) inspector.openFiles(files);
    else inspector.openText(event.dataTransfer?.getData('text/plain') ?? '');
  };
  document.addEventListener('paste', onPaste);
  document.addEventListener('dragover', onDragOver);
  document.addEventListener('dragleave', onDragLeave);
  document.addEventListener('drop', onDrop);
  return () => {
    document.removeEventListener('paste', onPaste);
    document.removeEventListener('dragover', onDragOver);
    document.removeEventListener('dragleave', onDragLeave);
    document.removeEventListener('drop', onDrop);
  };
}

/** Whether it is a box for something else than ids. */
function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input, select, .keys');
}
