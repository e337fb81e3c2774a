import { type Layout, Router, type TextFormat } from '../../index.js';
import { dateOf, isoText, LOCAL, microsOf, msText, relativeTime, UTC } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { fieldValue, idRangeOf, isSameChoice, timePlaceOf } from '../decode/layout-choice.js';
import {
  type Comparison,
  comparisonOf,
  durationText,
  idFrom,
  instantOf,
  longDate,
  type ReadingView,
  readingsBeside,
  shortDate,
} from '../decode/readings.js';
import { FORMATS, ROUTING_STRATEGIES } from '../decode/settings.js';
import type { TableRow } from '../decode/table.js';
import { SHORT_NAMES } from '../read/problems.js';
import { Choice, CopyButton, type Fact, Facts, formatOptions, TextBox } from './controls.js';
import { plural, type Shown, shownId } from './format.js';
import { change, compare, compared, selected, settings } from './state.js';

/** How the chosen id differs from another one. */
export function Compare({ layout, id, format }: { layout: Layout; id: bigint; format: TextFormat }) {
  const isEmpty = compared.trim() === '';
  const other = isEmpty ? undefined : idFrom(compared, format);
  return (
    <div class="compare controls">
      <TextBox
        label="Compare with"
        value={compared}
        placeholder="another id"
        problem={isEmpty || other !== undefined ? '' : 'This is not an id.'}
        onType={compare}
      />
      <p class="note" aria-live="polite">
        {other !== undefined && wordsFor(comparisonOf(layout, id, other), layout)}
      </p>
    </div>
  );
}

function wordsFor({ micros, at, fields }: Comparison, { time: counts }: Layout): string {
  const date = counts && at !== undefined && isoText(counts, at, settings.zone);
  const words = fields.map(({ name, first, second }) => `${name} ${second} instead of ${first}`);
  if (micros !== undefined)
    words.unshift(micros === 0n ? 'at the same time' : `${durationText(micros)} ${micros > 0n ? 'later' : 'earlier'}`);
  return words.length === 0
    ? 'The fields are the same.'
    : `The other id${date ? `, of ${date}` : ''}: ${words.join('; ')}.`;
}

/** The chosen id: when it was made, how else it is written, and where it is routed. */
export function IdPanel({ view, layout }: Shown) {
  if (selected === undefined || (selected.problem !== '' && selected.id === 0n)) return null;
  const { id } = selected;
  const { wide } = view;
  const { time } = layout;
  const timePlace = timePlaceOf(layout);
  const micros = time && timePlace && microsOf(time, fieldValue(timePlace, id));
  const date = micros === undefined ? undefined : dateOf(micros);
  const { shards, strategy } = settings;
  const router = new Router({ shards, strategy });
  const facts: Fact[] = [];
  if (time !== undefined && micros !== undefined) {
    facts.push(['Unix ms', msText(micros), 'copies']);
    if (date !== undefined) {
      const zones = new Set([settings.zone, UTC, LOCAL]);
      for (const zone of zones) facts.push([zone, isoText(time, micros, zone) ?? '', 'copies']);
      facts.push(['Relative', relativeTime(date, Date.now())]);
    }
  }
  if (wide !== undefined) facts.push(['id', selected.cells[1] ?? '', 'copies']);
  else {
    for (const format of FORMATS) facts.push([SHORT_NAMES[format], shownId(id, format), 'copies']);
    const shard = `${router.route(id)} as a 64-bit number; ${router.route(String(id))} as the text ${id}`;
    facts.push(['Routed to shard', shard]);
  }
  return (
    <section class="card this" aria-labelledby="this-id">
      <h2 id="this-id">This id</h2>
      <Facts of={facts} />
      {wide === undefined && (
        <>
          <div class="controls">
            <TextBox
              label="Shards"
              type="number"
              value={`${shards}`}
              accept={(text) => change({ shards: new Router({ shards: Number(text), strategy }).shards })}
            />
            <Choice
              label="Strategy"
              value={strategy}
              options={ROUTING_STRATEGIES}
              onChange={(name) => change({ strategy: name })}
            />
          </div>
          <Compare layout={layout} id={id} format={FORMATS.find((format) => format === view.read) ?? 'dec'} />
        </>
      )}
    </section>
  );
}

/** From a date back to ids. */
export function DatePanel({ layout }: Shown) {
  const { as, date, zone } = settings;
  const { time } = layout;
  const found = time && date !== '' ? idRangeOf(layout, time, date, Date.now(), zone) : undefined;
  const [problem, range] = typeof found === 'string' ? [found] : ['', found];
  return (
    <section class="card reverse" aria-labelledby="reverse">
      <div class="controls">
        <h2 id="reverse">From a date to ids</h2>
        {time && (
          <TextBox
            grows
            label={`Date (${zone})`}
            value={date}
            placeholder="2024-03-01T10:30, 2024-03, now"
            problem={problem}
            onType={(typed) => change({ date: typed })}
          />
        )}
        {range && (
          <Facts
            of={[
              ['Smallest id', shownId(range.least, as), 'copies'],
              ['Largest id', shownId(range.most, as), 'copies'],
            ]}
          />
        )}
        <Choice
          label="Show ids as"
          value={as}
          options={formatOptions(FORMATS)}
          onChange={(format) => change({ as: format })}
        />
      </div>
      <p class="note" aria-live="polite">
        {time === undefined
          ? 'This layout has no timestamp.'
          : range
            ? `From ${range.from} to ${range.to}. ${range.note}`
            : 'Type a date to get its smallest and largest id.'}
      </p>
    </section>
  );
}

/** So many other readings are shown; the rest is under "What else it could be". */
const CHIPS = 4;

/** When the ids were made, and what that depends on. The other readings are a click away. */
export function AnswerPanel({ view }: Shown) {
  const { wide } = view;
  const row = selected;
  if (row === undefined || (view.bad === view.rows && (wide === undefined || view.rows > 1))) return null;
  const current = view.readings.find(({ choice }) => isSameChoice(choice, view.layout));
  const fitting = view.readings.filter(({ fits }) => fits).length;
  return (
    <section class="card answer" aria-label="Answer">
      <p class="main" aria-live="polite">
        {view.rows > 1 ? <Span view={view} /> : <Instant view={view} row={row} zone={settings.zone} />}
        <span class="if">
          {wide === undefined ? conditionOf(view, current) : (view.rows === 1 && row.problem) || wide}
        </span>
      </p>
      {wide === undefined && (
        <ul class="chips" aria-label="Other readings">
          {readingsBeside(view, settings, CHIPS)
            .filter(({ likelihood }) => likelihood !== 'impossible')
            .map((reading) => {
              const date = instantOf(reading.choice, row.id, settings.zone);
              return (
                <li key={reading.name}>
                  <button
                    type="button"
                    class={`chip ${reading.likelihood}`}
                    title={reading.reason}
                    aria-pressed={reading === current}
                    onClick={() => change({ layout: reading.choice })}
                  >
                    {reading.title} <span class="date">{date === undefined ? 'no date' : shortDate(date)}</span>
                  </button>
                </li>
              );
            })}
          <li class="count">{fitting === 1 ? '1 layout fits' : `${fitting} layouts fit`}</li>
        </ul>
      )}
    </section>
  );
}

function Instant({ view, row, zone }: { view: View; row: TableRow; zone: string }) {
  const isDated = view.wide === undefined || row.problem === '';
  const instant = isDated ? instantOf(view.layout, row.id, zone) : undefined;
  if (instant === undefined) return <strong>No date</strong>;
  return (
    <>
      <strong>{longDate(instant)}</strong>
      <CopyButton text={() => instant} label="Copy the date" />
      <span class="ago">{relativeTime(new Date(instant), Date.now())}</span>
    </>
  );
}

/** Of many ids, those that are shown. */
function Span({ view: { span, shown } }: { view: View }) {
  if (shown === 0) return <strong>No rows match</strong>;
  if (span === undefined) return <strong>{`${plural(shown, 'id')} without a date`}</strong>;
  const [first, last] = [shortDate(span.first), shortDate(span.last)];
  return (
    <>
      <strong>{first === last ? first : `${first} to ${last}`}</strong>
      <CopyButton text={() => `${span.first}/${span.last}`} label="Copy the first and the last date" />
    </>
  );
}

/** What the answer depends on. */
function conditionOf({ rows }: View, current: ReadingView | undefined): string {
  if (current === undefined) return 'in your own layout';
  const each = rows > 1 ? 'each' : 'it';
  return settings.layout === undefined ? `if ${each} is ${current.what}` : `read as ${current.what}`;
}
