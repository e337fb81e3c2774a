import { WHOLE_LINES } from '../../decode/keys/read.js';
import {
  countOf,
  isRing,
  type KeyRouting,
  mayHaveNodes,
  nodesIn,
  type PlanSettings,
  ROUTED_BY,
  routingOf,
  type SideName,
  strategyOf,
  thenOf,
} from '../../decode/keys/routing.js';
import { DEFAULTS } from '../../decode/settings.js';
import { Alert, Button, Choice, FileButton, Panel, plural, TextBox } from '../controls.js';
import { MAX_TEXT, page } from '../state.js';
import { AnswerPanel, PlanPanel, ToldPanel } from './plan-panel.js';
import { changeRouting, hasKeys, openKeyFiles, shards, takeKeys } from './state.js';

const MAX_SEEN = 2000;

const nameOf = (by: string) => (strategyOf(by) ? `Router: ${by}` : by);
const ROUTED_BY_NAMES = ROUTED_BY.map((word) => [word, nameOf(word)] as const);

const NAMES = {
  now: { by: 'by', n: 'n', seed: 'seed', down: 'down', nodes: 'nodes' },
  next: { by: 'toBy', n: 'toN', seed: 'toSeed', down: 'toDown', nodes: 'toNodes' },
} as const satisfies { readonly [side in SideName]: Record<keyof KeyRouting, keyof PlanSettings> };

/** The argument is the library's name of the option. */
type Box = readonly [name: keyof KeyRouting, argument: string, placeholder: string, label?: string];

/** @param followed what an empty box stands for; undefined: the default */
function boxesFor(by: string, followed?: KeyRouting): Box[] {
  const { n, seed, down, nodes }: Partial<KeyRouting> = followed ?? {};
  const boxes: Box[] = [];
  const countName = countOf(by);
  if (countName !== undefined) boxes.push(['n', countName, n ?? String(routingOf({ ...DEFAULTS, by }).shards)]);
  if (strategyOf(by)) boxes.push(['seed', 'seed', seed || '0'], ['down', 'down', down || 'such as 3,7', 'shards down']);
  const example = isRing(by) ? 'db-1:11211, db-2:11211:2' : 'such as db-1, db-2:2';
  if (mayHaveNodes(by)) boxes.push(['nodes', 'nodes', nodes || example, 'Nodes']);
  return boxes;
}

/** What Then is where nothing is typed; Now is wrong if it has no shards. */
function followedIn(settings: PlanSettings): KeyRouting {
  let shards = 0;
  try {
    // To make a ring takes a while.
    shards = isRing(settings.by) ? nodesIn(settings.nodes).length : routingOf(settings).shards;
  } catch {
    // The box of Now says what is wrong.
  }
  const followed = thenOf({ ...settings, toN: '' }, shards);
  return shards === 0 ? { ...followed, n: '' } : followed;
}

function SideControls({ side }: { readonly side: SideName }) {
  const { settings } = page;
  const { problem } = shards;
  const names = NAMES[side];
  const isThen = side === 'next';
  const followed = isThen ? followedIn(settings) : undefined;
  const by = followed?.by ?? settings.by;
  const full = (label: string) => (isThen ? `${label}, then` : label);
  const boxes = boxesFor(by, followed);
  const wrong = problem?.side === side ? problem : undefined;
  return (
    <fieldset class="side">
      <legend>{isThen ? 'Then' : 'Now'}</legend>
      <div class="controls">
        <Choice
          label="Routed by"
          fullLabel={full('Routed by')}
          value={settings[names.by]}
          options={isThen ? [['', `as now (${settings.by})`], ...ROUTED_BY_NAMES] : ROUTED_BY_NAMES}
          onChange={(value) => changeRouting({ [names.by]: value })}
        />
        {boxes.map(([name, argument, placeholder, label = argument]) => (
          <TextBox
            key={argument}
            label={label}
            fullLabel={full(label)}
            grows={name === 'nodes'}
            value={settings[names[name]]}
            placeholder={placeholder}
            problem={wrong?.argument === argument ? wrong.message : ''}
            onType={(text) => changeRouting({ [names[name]]: text })}
          />
        ))}
      </div>
      {wrong && boxes.every(([, argument]) => argument !== wrong.argument) && <Alert>{wrong.message}</Alert>}
    </fieldset>
  );
}

/** Keys to type or paste; what was opened from files is named instead. */
function KeysBox() {
  const { keys, routed, isReading } = shards;
  if ('files' in keys) {
    const names = keys.files.map(({ name }) => name).join(', ');
    return (
      <p class="keys files" aria-busy={isReading}>
        <strong>{isReading ? 'Reading…' : routed ? plural(routed.keys, 'key') : 'Nothing to read'}</strong> {names}
      </p>
    );
  }
  const { text } = keys;
  const isLarge = text.length > MAX_TEXT;
  return (
    <textarea
      class="keys"
      aria-label="Keys, one per line"
      placeholder={
        'Keys, one per line:\nuser:42\norders/2024-03-01\nor with their shards, to see who placed them:\n5\tuser:42'
      }
      spellcheck={false}
      autocomplete="off"
      readOnly={isLarge}
      value={isLarge ? `${text.slice(0, MAX_SEEN)}…` : text}
      onInput={(event) => takeKeys({ text: event.currentTarget.value })}
      onPaste={(event) => {
        // A hundred thousand lines take a text box seconds.
        const pasted = event.clipboardData?.getData('text/plain') ?? '';
        if (!isLarge && pasted.length <= MAX_TEXT) return;
        event.preventDefault();
        takeKeys({ text: pasted });
      }}
    />
  );
}

function ColumnChoices() {
  const { keys, routed } = shards;
  if (!('files' in keys) || !routed?.files || routed.files.columns.length < 2) return null;
  const { columns, key, shard } = routed.files;
  const shardColumns = key === WHOLE_LINES ? [] : columns.filter((name) => name !== key && name !== WHOLE_LINES);
  return (
    <>
      <Choice
        label="Key column"
        value={key}
        options={columns}
        onChange={(chosen) => takeKeys({ ...keys, key: chosen, shard: chosen === shard ? '' : shard })}
      />
      {shardColumns.length > 0 && (
        <Choice
          label="Shard column"
          value={shard}
          options={[['', 'none'], ...shardColumns]}
          onChange={(chosen) => takeKeys({ ...keys, key, shard: chosen })}
        />
      )}
    </>
  );
}

export function KeysPanel() {
  const { keys, routed, problem } = shards;
  const text = 'text' in keys ? keys.text : '';
  const missing = routed?.files?.missing ?? 0;
  return (
    <>
      <Panel title="What moves when the shards change?">
        <div class="sides">
          <SideControls side="now" />
          <SideControls side="next" />
        </div>
        {problem && routed && <p class="note">The results below are from before the error.</p>}
        {routed && <AnswerPanel routed={routed} />}
      </Panel>
      <Panel title="Your keys">
        <KeysBox />
        <div class="controls">
          <FileButton label="Files of keys" onOpen={openKeyFiles} />
          {hasKeys() && <Button onClick={() => takeKeys({ text: '' })}>Clear keys</Button>}
          <ColumnChoices />
        </div>
        {problem && problem.side === undefined && <Alert>{problem.message}</Alert>}
        <p class="note">
          {text.length > MAX_TEXT && 'Too many keys to edit: paste others, or clear them. '}
          {missing > 0 && `${plural(missing, 'row')} ${missing === 1 ? 'has' : 'have'} no key. `}
          {!hasKeys() && 'Until you paste keys, the answer is for 20,000 that are made up. '}
          If each line has a shard, a tab and a key, the page tells who placed the keys. Keys are hashed as text, even
          if they are numbers.
        </p>
        {routed?.told && <ToldPanel told={routed.told} />}
      </Panel>
      {routed && <PlanPanel routed={routed} />}
    </>
  );
}
