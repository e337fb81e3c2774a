import { type Layout, Router, type TextFormat } from '../../index.js';
import { dateOf, isoText, LOCAL, msText, relativeTime, UTC } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { idRangeOf, isSameChoice, microsIn } from '../decode/layout-choice.js';
import { differenceText, idFrom, instantOf, longDate, readingsBeside, shortDate } from '../decode/readings.js';
import { FORMATS, STRATEGIES } from '../decode/settings.js';
import { isIdRow } from '../decode/table.js';
import { SHORT_NAMES } from '../read/problems.js';
import { Button, Choice, CopyButton, type Fact, Facts, formatOptions, TextBox } from './controls.js';
import { type PanelProps, plural, shownId } from './format.js';
import { change, page, update } from './state.js';

/** So many other readings are shown; the rest is under "What else it could be". */
const CHIPS = 4;

/** When the ids were made, and what that depends on. The other readings are a click away. */
export function AnswerPanel({ view }: PanelProps) {
  const { wide } = view;
  const { selected, settings } = page;
  if (selected === undefined || (view.bad === view.rows && (wide === undefined || view.rows > 1))) return null;
  const current = view.readings.find(({ choice }) => isSameChoice(choice, view.layout));
  const fitting = view.readings.filter(({ fits }) => fits).length;
  const each = view.rows > 1 ? 'each' : 'it';
  const isUnknown = wide === undefined && settings.layout === undefined && !view.isKnown;
  const condition = isUnknown
    ? view.perhaps.length > 0 && `Perhaps ${view.perhaps.join(', or ')}.`
    : current === undefined
      ? 'in your own layout'
      : `${settings.layout !== undefined ? 'read as' : view.isSure ? `if ${each} is` : 'perhaps'} ${current.what}`;
  return (
    <section class="card answer" aria-label="Answer">
      <p class="main" aria-live="polite">
        {isUnknown ? (
          <strong>{view.rows > 1 ? 'Not ids of a known service' : 'Not an id of a known service'}</strong>
        ) : view.rows > 1 ? (
          <ManyDates view={view} />
        ) : (
          <OneDate view={view} />
        )}
        <span class="if">{wide === undefined ? condition : (view.rows === 1 && selected.problem) || wide}</span>
      </p>
      {view.rounded !== undefined && <p class="error">{roundedText(view)}</p>}
      {wide === undefined && (
        <ul class="chips" aria-label="Other readings">
          {readingsBeside(view, settings.layout, CHIPS)
            .filter(({ likelihood }) => likelihood !== 'impossible' && (!isUnknown || likelihood !== 'unlikely'))
            .map((reading) => {
              const date = instantOf(reading.choice, selected.id, settings.zone);
              return (
                <li key={reading.name}>
                  <Button
                    class={`chip ${reading.likelihood}`}
                    title={reading.reason}
                    aria-pressed={reading === current}
                    onClick={() => change({ layout: reading.choice })}
                  >
                    {reading.title} <span class="date">{date === undefined ? 'no date' : shortDate(date)}</span>
                  </Button>
                </li>
              );
            })}
          {!isUnknown && <li class="count">{fitting === 1 ? '1 layout fits' : `${fitting} layouts fit`}</li>}
        </ul>
      )}
    </section>
  );
}

function roundedText({ rounded, rows }: View): string {
  if (rounded === undefined) return '';
  const which = rows === 1 ? 'This id looks' : rounded.rows === 1 ? '1 id looks' : `${plural(rounded.rows, 'id')} look`;
  return `${which} rounded: ${rounded.why}. What is below the time is lost.`;
}

function OneDate({ view }: { view: View }) {
  const { selected, settings } = page;
  const isDated = selected !== undefined && (view.wide === undefined || selected.problem === '');
  const instant = isDated ? instantOf(view.layout, selected.id, settings.zone) : undefined;
  if (instant === undefined) return <strong>No date</strong>;
  return (
    <>
      <strong>{longDate(instant)}</strong>
      <CopyButton text={() => instant} label="Copy the date" />
      <span class="ago">{relativeTime(new Date(instant), Date.now())}</span>
    </>
  );
}

/** The dates of those of many ids that are shown. */
function ManyDates({ view: { span, shown } }: { view: View }) {
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

/** The selected id: when it was made, how else it is written, and where it is routed. */
export function IdPanel({ view, layout }: PanelProps) {
  const { selected, settings } = page;
  if (selected === undefined || !isIdRow(selected)) return null;
  const { id } = selected;
  const { wide } = view;
  const { time } = layout;
  const { shards, strategy } = settings;
  const micros = microsIn(layout, id);
  const date = micros === undefined ? undefined : dateOf(micros);
  const router = new Router({ shards, strategy });
  const facts: Fact[] = [];
  if (micros !== undefined) facts.push(['Unix ms', msText(micros), 'copies']);
  if (time !== undefined && micros !== undefined && date !== undefined) {
    const zones = new Set([settings.zone, UTC, LOCAL]);
    for (const zone of zones) facts.push([zone, isoText(time, micros, zone) ?? '', 'copies']);
    facts.push(['Relative', relativeTime(date, Date.now())]);
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
              options={STRATEGIES}
              onChange={(strategy) => change({ strategy })}
            />
          </div>
          <Compare layout={layout} id={id} format={FORMATS.find((format) => format === view.read) ?? 'dec'} />
        </>
      )}
    </section>
  );
}

/** How the selected id differs from another one. */
function Compare({ layout, id, format }: { layout: Layout; id: bigint; format: TextFormat }) {
  const { compared, settings } = page;
  const other = idFrom(compared, format);
  const isEmpty = compared.trim() === '';
  return (
    <div class="compare controls">
      <TextBox
        label="Compare with"
        value={compared}
        placeholder="another id"
        problem={isEmpty || other !== undefined ? '' : 'This is not an id.'}
        onType={(text) => update({ compared: text })}
      />
      <p class="note" aria-live="polite">
        {!isEmpty && other !== undefined && differenceText(layout, id, other, settings.zone)}
      </p>
    </div>
  );
}

/** From a date back to ids. */
export function DatePanel({ layout }: PanelProps) {
  const { as, date, zone } = page.settings;
  const { time } = layout;
  const range = time && date !== '' ? idRangeOf(layout, time, date, Date.now(), zone) : undefined;
  const ids = typeof range === 'string' ? undefined : range;
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
            problem={typeof range === 'string' ? range : ''}
            onType={(typed) => change({ date: typed })}
          />
        )}
        {ids && (
          <Facts
            of={[
              ['Smallest id', shownId(ids.least, as), 'copies'],
              ['Largest id', shownId(ids.most, as), 'copies'],
            ]}
          />
        )}
        <Choice label="Show ids as" value={as} options={formatOptions(FORMATS)} onChange={(as) => change({ as })} />
      </div>
      <p class="note" aria-live="polite">
        {time === undefined
          ? 'This layout has no timestamp.'
          : ids
            ? `From ${ids.from} to ${ids.to}. ${ids.note}`
            : 'Type a date to get its smallest and largest id.'}
      </p>
    </section>
  );
}
