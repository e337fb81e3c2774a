import type { RoutedKeys } from '../../decode/keys/plan.js';
import type { Told } from '../../decode/keys/read.js';
import { isRing } from '../../decode/keys/routing.js';
import { percent } from '../../decode/keys/ways.js';
import { Alert, Button, CopyButton, count, Facts, Panel, plural } from '../controls.js';
import { changeRouting, shards, writeMoves } from './state.js';

type SideView = RoutedKeys['now'];
type Moves = NonNullable<RoutedKeys['moves']>;

export function ToldPanel({ told }: { told: Told }) {
  const { sentence, candidates, foreign, foreignCount, routing } = told;
  return (
    <section class="told" aria-labelledby="told">
      <h3 id="told">Who placed them</h3>
      <p role="status">
        {sentence} {routing && <Button onClick={() => changeRouting(routing)}>Route keys like this</Button>}
      </p>
      {candidates.length > 0 && (
        <Table
          head={['mapping', 'agree', 'by chance']}
          rows={candidates.map(({ name, agree, byChance, also }) => [
            [name, ...also].join(' or '),
            count(agree),
            whole(byChance),
          ])}
        />
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

const whole = (value: number) => count(Math.round(value));

/** The answer in words: what moves, what that means, and what would move in other ways. */
export function AnswerPanel({ routed }: { routed: RoutedKeys }) {
  const { next, moves, moving, ways } = routed;
  const after = typeof next === 'string' ? undefined : next;
  return (
    <div class="answered">
      <p class="headline" role="status">
        {`${changeOf(routed, after)}: `}
        <b>{movedText(routed)}</b>
        {moves && moves.moved > 0 && leastText(routed, moves)}.
      </p>
      {!after && <p class="note">{String(next)}</p>}
      <p>{moving}</p>
      {ways.length > 0 && (
        <>
          <h3>Other ways</h3>
          <ul class="ways">
            {ways.map((way) => (
              <li key={way}>{way}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function changeOf({ now, names, nodes }: RoutedKeys, next: SideView | undefined): string {
  const of = ({ shards, noun, by }: SideView, on: number) => {
    if (!names || isRing(by)) return `${shards === 0 ? `${noun}s` : plural(shards, noun)} by ${by}`;
    return `${plural(shards, noun)} by ${by} on ${plural(on, 'node')}`;
  };
  const [on, onThen] = nodes;
  if (next === undefined) return `With ${of(now, on)}`;
  const isAlike = next.by === now.by && next.noun === now.noun;
  if (isAlike && !names) return `From ${count(now.shards)} to ${of(next, onThen)}`;
  return `From ${of(now, on)} to ${of(next, onThen)}`;
}

/** Of keys that are made up, only the share says something. */
function movedText({ keys, moves, areMadeUp }: RoutedKeys): string {
  if (!moves) return `${plural(keys, 'key')}${areMadeUp ? ' that are made up' : ''}`;
  const share = percent(moves.moved / Math.max(1, keys));
  if (areMadeUp) return moves.moved === 0 ? 'no key moves' : `${share} of the keys move`;
  return `${count(moves.moved)} of ${plural(keys, 'key')} move (${share})`;
}

const leastText = ({ keys }: RoutedKeys, { isLeast, ideal }: Moves) =>
  isLeast ? '; that is the least possible' : `; the least possible is ${percent(ideal / keys)}`;

export function PlanPanel({ routed }: { routed: RoutedKeys }) {
  const { keys, repeated, now, next, names, moves, barWidth, perNode, command } = routed;
  const after = typeof next === 'string' ? undefined : next;
  const title = `Keys per ${names ? 'node' : now.noun}`;
  const per = barWidth === 1 ? title : `Keys per ${barWidth} ${names ? 'node' : now.noun}s`;
  const side = { names, per };
  return (
    <Panel class="plan" title="Figures">
      {repeated && <p class="note">{repeatedText(repeated)}</p>}
      {moves && keys > 0 && <MovesPanel moves={moves} keys={keys} names={names} />}
      {now.balance && (
        <>
          <Evenness routed={routed} after={after} />
          <div class="pair">
            <SidePanel title={after ? 'Now' : 'Balance'} view={now} {...side} />
            {after && <SidePanel title="Then" view={after} {...side} isThen />}
          </div>
        </>
      )}
      {perNode && <NodesTable of={perNode} isPlanned={after !== undefined} />}
      <KeysTable routed={routed} after={after} />
      {command !== undefined && (
        <div class="shell">
          <h3 id="shell">On the command line</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to reach it */}
          <section tabIndex={0} aria-labelledby="shell">
            <code>{command}</code>
          </section>
          <CopyButton text={() => command} label="Copy the command" />
        </div>
      )}
    </Panel>
  );
}

function repeatedText({ duplicates, key, count: times }: NonNullable<RoutedKeys['repeated']>): string {
  const are = `${plural(duplicates, 'key')} ${duplicates === 1 ? 'is a duplicate' : 'are duplicates'} of other keys`;
  return `${are}. The most frequent key is ${key}: ${plural(times, 'row')}.`;
}

/** One verdict on all counts: of what is farther from its share than by chance, the farthest. */
function Evenness({ routed: { now, names }, after }: { routed: RoutedKeys; after: SideView | undefined }) {
  const uneven = [now, after].flatMap((view) => (view?.balance?.uneven ? [{ view, ...view.balance.uneven }] : []));
  if (uneven.length === 0) return <p class="verdict">The keys are as even as chance allows.</p>;
  const { view, place, keys, limit, isFewer } = uneven.reduce((a, b) => (b.distance > a.distance ? b : a));
  const where = names?.[place] ?? `${view.noun} ${place}`;
  return (
    <p class="verdict">
      <b>{`${view === now ? 'Now' : 'Then'} less even than chance:`}</b>
      {` ${where} has ${plural(keys, 'key')}, chance gives at ${isFewer ? 'least' : 'most'} ${count(limit)}. `}
      {isRing(view.by)
        ? 'The points on a ring are uneven by themselves.'
        : 'Keys repeat, some of them are alike, or the hash does not spread them evenly.'}
    </p>
  );
}

function MovesPanel({ moves, keys, names }: { moves: Moves } & Pick<RoutedKeys, 'keys' | 'names'>) {
  const { moves: written } = shards;
  const isWriting = typeof written === 'number';
  const { moved, ideal, flows, otherShard, shardsMoved, csv } = moves;
  const share = (of: number) => `${((100 * of) / keys).toFixed(2)} %`;
  const nameOf = (place: number) => names?.[place] ?? place;
  const lines = flows.map(({ from, to, count }) => `${nameOf(from)} → ${nameOf(to)}: ${plural(count, 'key')}`);
  return (
    <>
      <Facts
        of={[
          ['Moved', `${plural(moved, 'key')}, ${share(moved)}`],
          ['Ideal', `${plural(Math.round(ideal), 'key')}, ${share(ideal)}`],
          shardsMoved !== undefined && ['Shards that move', whole(shardsMoved)],
          otherShard !== undefined && otherShard > 0 && ['Get another shard', plural(otherShard, 'key')],
          lines.length > 0 && ['Largest moves', lines],
        ]}
      />
      {moved > 0 && (
        <div class="controls">
          <Button aria-disabled={isWriting} onClick={() => !isWriting && writeMoves()}>
            {isWriting ? `Writing… ${percent(written)}` : 'Download moves'}
          </Button>
          {csv !== undefined && (
            <CopyButton text={() => csv} label="Copy the moves">
              Copy
            </CopyButton>
          )}
          {typeof written === 'string' && <Alert>{written}</Alert>}
        </div>
      )}
    </>
  );
}

interface SideProps extends Pick<RoutedKeys, 'names'> {
  readonly title: string;
  readonly view: SideView;
  readonly per: string;
  readonly isThen?: boolean;
}

function SidePanel({ title, view, names, per, isThen = false }: SideProps) {
  const { balance, bars, noun, shards } = view;
  if (!balance) return null;
  const what = names ? 'node' : noun;
  const nameOf = (place: number) => names?.[place] ?? `${noun} ${place}`;
  const { most, least, ratio, empty, isWeighted } = balance;
  const forWeight = isWeighted ? ' for its weight' : '';
  const lineOf = (place: number, keys: number) => `${nameOf(place)}: ${plural(keys, 'key')}`;
  const hasMoves = bars.slice(1).some((counts) => counts.some((keys) => keys > 0));
  const kinds = isThen
    ? ['stay', `arrive at a new ${what}`, `arrive from another ${what}`]
    : ['stay', `leave for a new ${what}`, `leave for another ${what}`];
  return (
    <div>
      <h3>{title}</h3>
      <Picture bars={bars} label={isThen ? `${per}, then` : per} />
      <p class="note ends" aria-hidden="true">
        <span>{names?.[0] ?? 0}</span>
        <span>{per}</span>
        <span>{names?.at(-1) ?? count(shards - 1)}</span>
      </p>
      {hasMoves && (
        <p class="legend" aria-hidden="true">
          {kinds.map(
            (kind, i) =>
              bars[i].some((keys) => keys > 0) && (
                <span key={kind} class={`c${i}`}>
                  <i class="swatch" /> {kind}
                </span>
              ),
          )}
        </p>
      )}
      <Facts
        of={[
          [`Fullest${forWeight}`, lineOf(balance.fullest, most)],
          [`Emptiest${forWeight}`, lineOf(balance.emptiest, least)],
          ['Fullest ÷ average', ratio.toFixed(2)],
          [`Empty ${what}s`, count(empty)],
        ]}
      />
    </div>
  );
}

/** Bars of keys: those that stay below, those that move above. */
function Picture({ bars, label }: Pick<SideView, 'bars'> & { readonly label: string }) {
  const heights = bars[0].map((_, bar) => bars.reduce((sum, counts) => sum + counts[bar], 0));
  const most = Math.max(...heights);
  const gap = 0.1;
  const from = heights.map(() => most);
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${heights.length} ${most}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
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
  );
}

function NodesTable({ of, isPlanned }: { of: NonNullable<RoutedKeys['perNode']>; isPlanned: boolean }) {
  const figures = isPlanned ? ['keys now', 'keys then', 'change'] : ['keys now'];
  const rows = of.map(({ name, keys: [before, after] }) => {
    const change = (after ?? 0) - (before ?? 0);
    return [
      name,
      before === undefined ? 'new' : count(before),
      after === undefined ? 'gone' : count(after),
      change > 0 ? `+${count(change)}` : count(change),
    ].slice(0, 1 + figures.length);
  });
  return <Table label="Keys of each node" head={['node', ...figures]} rows={rows} />;
}

function KeysTable({ routed, after }: { routed: RoutedKeys; after: SideView | undefined }) {
  const { keys, some, now, names } = routed;
  const columns = (noun: string, then = noun) => (after ? [`${noun} now`, `${then} then`] : [noun]);
  return (
    <>
      {some.length < keys && <p class="note">{`The first ${some.length} keys:`}</p>}
      <Table
        label={`Keys and their ${now.noun}s`}
        class="some"
        head={['key', ...(names ? columns('node') : []), ...columns(now.noun, after?.noun)]}
        rows={some.map((row) => [row.key, ...(row.nodes ?? []), row.now, row.next])}
        moved={some.map(({ isMoved }) => isMoved)}
      />
    </>
  );
}

interface TableProps {
  /** undefined: it never scrolls. */
  readonly label?: string;
  readonly class?: string;
  readonly head: readonly string[];
  /** Cells that are undefined are left out. */
  readonly rows: readonly (readonly (string | undefined)[])[];
  /** Whether the place in the third cell of a row is a new one. */
  readonly moved?: readonly boolean[];
}

function Table({ label, class: more = '', head, rows, moved = [] }: TableProps) {
  return (
    <section class={`scrolls ${more}`} tabIndex={label === undefined ? undefined : 0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map(
                (cell, i) =>
                  cell !== undefined && (
                    <td key={i} class={moved[row] && i === 2 ? 'moved c1' : ''}>
                      {cell}
                    </td>
                  ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
