import { countOf, type KeyRouting, nounOf, ROUTED_BY, routingOf } from '../decode/key-routing.js';
import type { RoutedKeys, Told } from '../decode/placed-keys.js';
import { DEFAULTS, STRATEGIES } from '../decode/settings.js';
import { Alert, Button, Choice, type Fact, Facts, TextBox } from './controls.js';
import { count, plural } from './format.js';
import { changeRouting, MAX_TEXT, page, takeKeys, update } from './state.js';

/** Who placed keys that came with their shards. */
function ToldPanel({ told }: { told: Told }) {
  const { sentence, candidates, foreign, foreignCount, routing } = told;
  return (
    <section class="told" aria-labelledby="told">
      <h3 id="told">Who placed them</h3>
      <p role="status">
        {sentence}{' '}
        {routing !== undefined && <Button onClick={() => changeRouting(routing)}>Route keys like this</Button>}
      </p>
      {candidates.length > 0 && (
        <div class="scrolls">
          <table>
            <thead>
              <tr>
                <th>mapping</th>
                <th>agree</th>
                <th>by chance</th>
              </tr>
            </thead>
            <tbody>
              {candidates.map(({ name, agree, byChance, also }) => (
                <tr key={name}>
                  <td>{[name, ...also].join(' or ')}</td>
                  <td>{count(agree)}</td>
                  <td>{count(Math.round(byChance))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {foreignCount > 0 && (
        <p class="note">
          {`In another shard${foreign.length < foreignCount ? `, the first ${foreign.length} of ${count(foreignCount)}` : ''}: `}
          {foreign.map(({ key, is, belongs }) => `${key} (in ${is}, not ${belongs})`).join(', ')}
        </p>
      )}
    </section>
  );
}

/** The shard of each key, how evenly keys lie, and what one shard more moves. */
function RoutedPanel({ routed }: { routed: RoutedKeys }) {
  const { keys, shards, some, balance, bars, barWidth, moves, routing } = routed;
  const noun = nounOf(routing.by);
  const planned = typeof moves === 'string' ? undefined : moves;
  const per = `Keys per ${barWidth === 1 ? noun : `${barWidth} ${noun}s`}`;
  return (
    <div class="pair routed">
      <div>
        <p role="status">
          <b>{plural(keys, 'key')}</b>{' '}
          {shards === 0 ? `with ${noun}s of ${routing.by}` : `over ${plural(shards, noun)} by ${routing.by}`}
          {some.length < keys && `; the first ${some.length}:`}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it */}
        <section class="scrolls" tabIndex={0} aria-label={`Keys and their ${noun}s`}>
          <table>
            <thead>
              <tr>
                <th>key</th>
                <th>{noun}</th>
                {planned && <th>{`of ${count(shards + 1)}`}</th>}
              </tr>
            </thead>
            <tbody>
              {some.map(([key, shard, next], row) => (
                <tr key={row}>
                  <td>{key}</td>
                  <td>{shard}</td>
                  {planned && <td class={next === shard ? '' : 'moved c1'}>{next}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
      <div>
        {balance !== undefined && (
          <>
            <h3>Balance</h3>
            <Picture bars={bars} shards={shards} title={per} />
            {planned && (
              <p class="legend" aria-hidden="true">
                {['stay', `move to ${noun} ${shards}`, 'move elsewhere'].map((what, kind) => (
                  <span key={what} class={`c${kind}`}>
                    <i class="swatch" /> {what}
                  </span>
                ))}
              </p>
            )}
            <Facts
              of={[
                ['Fullest', `${noun} ${balance.fullest}: ${plural(balance.most, 'key')}`],
                ['Emptiest', `${noun} ${balance.emptiest}: ${plural(balance.least, 'key')}`],
                ['Fullest ÷ average', balance.maxToMean.toFixed(2)],
                [`Empty ${noun}s`, count(balance.empty)],
              ]}
            />
          </>
        )}
        {!planned && <p class="note">{moves}</p>}
        {planned && balance !== undefined && (
          <>
            <h3>{`From ${count(shards)} to ${plural(shards + 1, noun)}`}</h3>
            <Picture bars={planned.bars} shards={shards + 1} title={`${per} afterwards`} />
            <Facts of={movesFacts(planned, keys)} />
          </>
        )}
      </div>
    </div>
  );
}

function movesFacts({ moved, ideal, flows }: Exclude<RoutedKeys['moves'], string>, keys: number): Fact[] {
  const share = (part: number) => `${((100 * part) / keys).toFixed(2)} %`;
  const lines = flows.map(({ from, to, count }) => `${from} → ${to}: ${plural(count, 'key')}`);
  const facts: Fact[] = [
    ['Moved', `${plural(moved, 'key')}, ${share(moved)}`],
    ['Ideal', share(ideal)],
  ];
  return lines.length === 0 ? facts : [...facts, ['Largest moves', lines]];
}

/** Bars of keys: those that stay below, those that move above. */
function Picture({ bars, shards, title }: { bars: RoutedKeys['bars']; shards: number; title: string }) {
  const heights = bars[0].map((_, bar) => bars.reduce((sum, counts) => sum + counts[bar], 0));
  const most = Math.max(...heights);
  const gap = bars[0].length > 64 ? 0 : 0.1;
  const from = heights.map(() => most);
  return (
    <>
      <svg
        class="bars"
        viewBox={`0 0 ${heights.length} ${most}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={title}
      >
        {bars.map((counts, kind) => (
          <path
            key={kind}
            class={`c${kind}`}
            d={counts
              .map((count, bar) => {
                if (count === 0) return '';
                from[bar] = from[bar] - count;
                return `M${bar + gap} ${from[bar]}h${1 - 2 * gap}v${count}h${2 * gap - 1}z`;
              })
              .join('')}
          />
        ))}
      </svg>
      <p class="note ends" aria-hidden="true">
        <span>0</span>
        <span>{title}</span>
        <span>{count(shards - 1)}</span>
      </p>
    </>
  );
}

const EXAMPLE = Array.from({ length: 200 }, (_, i) => `user:${i + 1}`).join('\n');
const MAX_SEEN = 2000;

const ROUTED_BY_NAMES = ROUTED_BY.map((word, i) => [word, i < STRATEGIES.length ? `Router: ${word}` : word] as const);

/** Text keys, and what they are routed by. */
export function KeysPanel() {
  const { keys, routed, routingProblem, settings } = page;
  const { by, n, seed, down } = settings;
  const isOpen = page.showsKeys || keys + n + seed + down !== '' || by !== DEFAULTS.by;
  const isLarge = keys.length > MAX_TEXT;
  const countName = countOf(by);
  /** The library's name of each option, and its setting. */
  const boxes: [argument: string, name: keyof KeyRouting, placeholder: string][] = [];
  if (countName !== undefined) boxes.push([countName, 'n', `${routingOf({ ...DEFAULTS, by }).shards}`]);
  if (STRATEGIES.some((strategy) => strategy === by)) {
    boxes.push(['seed', 'seed', '0'], ['down', 'down', 'such as 3,7']);
  }
  return (
    <details class="card routing" open={isOpen} onToggle={(event) => update({ showsKeys: event.currentTarget.open })}>
      <summary>
        <h2>Plan shards: where do keys go?</h2> <span class="note">by Router, Kafka, Redis, PostgreSQL and others</span>
      </summary>
      {isOpen && (
        <>
          <div class="controls">
            <Choice label="Routed by" value={by} options={ROUTED_BY_NAMES} onChange={(by) => changeRouting({ by })} />
            {boxes.map(([argument, name, placeholder]) => (
              <TextBox
                key={argument}
                label={name === 'down' ? 'shards down' : argument}
                class="number"
                value={settings[name]}
                placeholder={placeholder}
                problem={routingProblem?.argument === argument ? routingProblem.message : ''}
                onType={(text) => changeRouting({ [name]: text })}
              />
            ))}
            <Button onClick={() => takeKeys(keys === '' ? EXAMPLE : '')}>
              {keys === '' ? 'Example keys' : 'Clear keys'}
            </Button>
          </div>
          {routingProblem !== undefined && boxes.every(([argument]) => argument !== routingProblem?.argument) && (
            <Alert>{routingProblem.message}</Alert>
          )}
          <textarea
            class="keys"
            aria-label="Keys, one per line"
            placeholder={
              'Keys, one per line:\nuser:42\norders/2024-03-01\nor with their shards, to see who placed them:\n5\tuser:42'
            }
            spellcheck={false}
            autocomplete="off"
            readOnly={isLarge}
            value={isLarge ? `${keys.slice(0, MAX_SEEN)}…` : keys}
            onInput={(event) => takeKeys(event.currentTarget.value)}
            onPaste={(event) => {
              // A hundred thousand lines take a text box seconds.
              const text = event.clipboardData?.getData('text/plain') ?? '';
              if (!isLarge && text.length <= MAX_TEXT) return;
              event.preventDefault();
              takeKeys(text);
            }}
          />
          <p class="note">
            {isLarge && 'Too many keys to edit: paste others, or clear them. '}
            If each line has a shard, a tab and a key, the page tells who placed the keys. Keys are hashed as text, even
            if they are numbers. Ids are routed as 64-bit numbers, which have other shards.
          </p>
          {routed?.told !== undefined && <ToldPanel told={routed.told} />}
          {routed !== undefined && <RoutedPanel routed={routed} />}
        </>
      )}
    </details>
  );
}
