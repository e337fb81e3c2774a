import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { countOf, type KeyRouting, ROUTED_BY, routingOf } from '../decode/key-routing.js';
import { DEFAULTS, ROUTING_STRATEGIES } from '../decode/settings.js';
import { type Inspector, MOST_TEXT } from './inspector.js';
import { RoutedPanel } from './routed-panel.jsx';

const EXAMPLE = Array.from({ length: 200 }, (_, i) => `user:${i + 1}`).join('\n');
const MOST_SEEN = 2000;
const OPTIONS = ['n', 'seed', 'down'] as const;

/** Text keys, and what they are routed by. */
export function KeysPanel({ inspector }: { inspector: Inspector }) {
  const { settings, routed, keys, routingProblem } = inspector;
  const { by } = settings;
  const isUsed = keys !== '' || by !== DEFAULTS.by || OPTIONS.some((name) => settings[name] !== '');
  const [isOpen, setIsOpen] = useState(isUsed);
  const isLarge = keys.length > MOST_TEXT;
  const isStrategy = ROUTING_STRATEGIES.some((strategy) => strategy === by);
  const boxes: { readonly [argument: string]: readonly [keyof KeyRouting, string] } = {
    ...(countOf(by) && { [countOf(by) as string]: ['n', `${routingOf({ ...DEFAULTS, by }).shards}`] }),
    ...(isStrategy && { seed: ['seed', '0'], down: ['down', 'none'] }),
  };
  return (
    <details class="card routing" open={isUsed} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <h2>Route keys</h2> <span class="note">as Router, Kafka, Redis, PostgreSQL and others do</span>
      </summary>
      {isOpen && (
        <>
          <div class="controls">
            <label>
              <span>Routed by</span>
              <select value={by} onChange={(event) => inspector.changeRouting({ by: event.currentTarget.value })}>
                <optgroup label="Router">{names(ROUTING_STRATEGIES)}</optgroup>
                <optgroup label="As another system does">{names(ROUTED_BY.slice(ROUTING_STRATEGIES.length))}</optgroup>
              </select>
            </label>
            {Object.entries(boxes).map(([argument, [name, placeholder]]) => {
              const problem = routingProblem?.argument === argument ? routingProblem.message : '';
              return (
                <Fragment key={argument}>
                  <label>
                    <span>{argument}</span>
                    <input
                      type="text"
                      class="number"
                      value={settings[name]}
                      placeholder={placeholder}
                      spellcheck={false}
                      autocomplete="off"
                      aria-invalid={problem !== ''}
                      aria-describedby={`${name}-problem`}
                      onInput={(event) => inspector.changeRouting({ [name]: event.currentTarget.value })}
                    />
                  </label>
                  <span id={`${name}-problem`} class="error" role="alert">
                    {problem}
                  </span>
                </Fragment>
              );
            })}
            <button type="button" onClick={() => inspector.routeKeys(keys === '' ? EXAMPLE : '')}>
              {keys === '' ? 'Example keys' : 'Clear keys'}
            </button>
          </div>
          {routingProblem !== undefined && boxes[routingProblem.argument] === undefined && (
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
            onInput={(event) => inspector.routeKeys(event.currentTarget.value)}
            onPaste={(event) => {
              // A hundred thousand lines take a text box seconds.
              const text = event.clipboardData?.getData('text/plain') ?? '';
              if (!isLarge && text.length <= MOST_TEXT) return;
              event.preventDefault();
              inspector.routeKeys(text);
            }}
          />
          <p class="note">
            {isLarge && 'These keys are too many to edit here: paste others, or clear them. '}
            Keys are hashed as text, digits too. Ids are routed as 64-bit numbers instead, which gives other shards.
          </p>
          {routed !== undefined && <RoutedPanel routed={routed} />}
        </>
      )}
    </details>
  );
}

function names(words: readonly string[]) {
  return words.map((word) => (
    <option key={word} value={word}>
      {word}
    </option>
  ));
}
