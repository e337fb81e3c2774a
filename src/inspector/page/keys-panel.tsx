import { countOf, type KeyRouting, ROUTED_BY, routingOf } from '../decode/key-routing.js';
import { DEFAULTS, ROUTING_STRATEGIES } from '../decode/settings.js';
import { Choice, TextBox } from './controls.jsx';
import { RoutedPanel } from './routed-panel.jsx';
import { changeRouting, keys, MOST_TEXT, redraw, routed, routingProblem, settings, takeKeys } from './state.js';

const EXAMPLE = Array.from({ length: 200 }, (_, i) => `user:${i + 1}`).join('\n');
const MOST_SEEN = 2000;

const WAYS = ROUTED_BY.map((word, i): [string, string] => [
  word,
  i < ROUTING_STRATEGIES.length ? `Router: ${word}` : word,
]);

let isOpen = false;

/** Text keys, and what they are routed by. */
export function KeysPanel() {
  const { by, n, seed, down } = settings;
  const isUsed = keys + n + seed + down !== '' || by !== DEFAULTS.by;
  const isLarge = keys.length > MOST_TEXT;
  const countName = countOf(by);
  /** The library's name of each option, and its setting. */
  const boxes: [argument: string, name: keyof KeyRouting, placeholder: string][] = [];
  if (countName !== undefined) boxes.push([countName, 'n', `${routingOf({ ...DEFAULTS, by }).shards}`]);
  if (ROUTING_STRATEGIES.some((strategy) => strategy === by))
    boxes.push(['seed', 'seed', '0'], ['down', 'down', 'none']);
  const onToggle = (open: boolean) => {
    isOpen = open;
    redraw();
  };
  return (
    <details class="card routing" open={isOpen || isUsed} onToggle={(event) => onToggle(event.currentTarget.open)}>
      <summary>
        <h2>Route keys</h2> <span class="note">as Router, Kafka, Redis, PostgreSQL and others do</span>
      </summary>
      {(isOpen || isUsed) && (
        <>
          <div class="controls">
            <Choice label="Routed by" value={by} options={WAYS} onChange={(word) => changeRouting({ by: word })} />
            {boxes.map(([argument, name, placeholder]) => (
              <TextBox
                key={argument}
                label={argument}
                class="number"
                value={settings[name]}
                placeholder={placeholder}
                problem={routingProblem?.argument === argument ? routingProblem.message : ''}
                onType={(text) => changeRouting({ [name]: text })}
              />
            ))}
            <button type="button" onClick={() => takeKeys(keys === '' ? EXAMPLE : '')}>
              {keys === '' ? 'Example keys' : 'Clear keys'}
            </button>
          </div>
          {routingProblem !== undefined && boxes.every(([argument]) => argument !== routingProblem?.argument) && (
            <p class="error" role="alert">
              {routingProblem.message}
            </p>
          )}
          <textarea
            class="keys"
            aria-label="Keys, one per line"
            placeholder={'Keys, one per line:\nuser:42\norders/2024-03-01'}
            spellcheck={false}
            autocomplete="off"
            readOnly={isLarge}
            value={isLarge ? `${keys.slice(0, MOST_SEEN)}…` : keys}
            onInput={(event) => takeKeys(event.currentTarget.value)}
            onPaste={(event) => {
              // A hundred thousand lines take a text box seconds.
              const text = event.clipboardData?.getData('text/plain') ?? '';
              if (!isLarge && text.length <= MOST_TEXT) return;
              event.preventDefault();
              takeKeys(text);
            }}
          />
          <p class="note">
            {isLarge && 'Too many keys to edit: paste others, or clear them. '}
            Keys are hashed as text, digits too. Ids are routed as 64-bit numbers, which gives other shards.
          </p>
          {routed !== undefined && <RoutedPanel routed={routed} />}
        </>
      )}
    </details>
  );
}
