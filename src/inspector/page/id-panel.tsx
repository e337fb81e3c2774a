import { type Layout, Router, type TextFormat } from '../../index.js';
import { dateOf, isoText, LOCAL, msText, relativeTime, UTC } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { idRangeOf, isSameChoice, microsIn } from '../decode/layout-choice.js';
import { differenceText, idFrom, instantOf, longDate, readingsBeside, shortDate } from '../decode/readings.js';
import { FORMATS, STRATEGIES } from '../decode/settings.js';
import { isIdRow } from '../decode/table.js';
import { FORMAT_NAMES, SHORT_NAMES } from '../read/problems.js';
import { Button, Choice, CopyButton, type Fact, Facts, formatOptions, TextBox } from './controls.js';
import { count, type PanelProps, plural, shownId } from './format.js';
import { change, page, update } from './state.js';

/** So many other readings are shown; the rest is under "What else it could be". */
const CHIPS = 4;

/** When the ids were made, and what that depends on. The other readings are a click away. */
export function AnswerPanel({ view }: PanelProps) {
  const { wide, rows, services } = view;
  const { selected, settings } = page;
  if ((rows === 1 && selected === undefined) || (view.bad === rows && (wide === undefined || rows > 1))) return null;
  const current = currentIn(view);
  const fitting = view.readings.filter(({ fits }) => fits).length;
  return (
    <section class="card answer" aria-label="Answer">
      <div class="main" aria-live="polite">
        {isUnknown(view) ? (
          <h2>{rows > 1 ? 'Not ids of a known service' : 'Not an id of a known service'}</h2>
        ) : rows > 1 ? (
          <ManyDates view={view} />
        ) : (
          <OneDate view={view} />
        )}
        <span class="if">{wide === undefined ? conditionOf(view) : (rows === 1 && selected?.problem) || wide}</span>
      </div>
      {view.rounded !== undefined && <p class="error">{roundedText(view)}</p>}
      {(wide === undefined || services.length > 0) && (
        <ul class="chips" aria-label="Other readings">
          {(wide === undefined ? readingsBeside(view, settings.layout, CHIPS) : readingsOf(view))
            .filter(({ likelihood }) => likelihood !== 'impossible' && (!isUnknown(view) || likelihood !== 'unlikely'))
            .map((reading) => {
              // Of several services, rows have times in place of ids.
              const date = wide === undefined && selected && instantOf(reading.choice, selected.id, settings.zone);
              return (
                <li key={reading.name}>
                  <Button
                    class={`chip ${reading.likelihood}`}
                    title={reading.reason}
                    aria-pressed={reading === current}
                    onClick={() => change({ layout: reading.choice })}
                  >
                    {reading.title} <span class="date">{date ? shortDate(date) : wide === undefined && 'no date'}</span>
                  </Button>
                </li>
              );
            })}
          {wide === undefined && !isUnknown(view) && <li class="count">{plural(fitting, 'service')} possible</li>}
        </ul>
      )}
    </section>
  );
}

/** Those of the services that the text names. */
function readingsOf({ readings, services }: View) {
  return readings.filter((reading) => services.some(({ name }) => name === reading.name));
}

/** The reading that is shown; undefined for a layout of one's own. */
function currentIn({ readings, layout }: View) {
  return readings.find(({ choice }) => isSameChoice(choice, layout));
}

function isUnknown({ wide, isKnown }: View): boolean {
  return wide === undefined && page.settings.layout === undefined && !isKnown;
}

/** What the date depends on. */
function conditionOf(view: View) {
  const { rows, readings, perhaps, isSure } = view;
  if (isUnknown(view)) return perhaps.length > 0 && `Perhaps ${perhaps.join(', or ')}.`;
  const current = currentIn(view);
  if (current === undefined) return 'in your own layout';
  const { name, what, isGeneral } = current;
  if (name === 'snowflake') return `if ${rows > 1 ? 'their' : 'its'} epoch is 1 Jan 2023`;
  if (page.settings.layout !== undefined) return `read as ${what}`;
  if (isGeneral) {
    const fitting = readings.filter((each) => each.isGeneral && each.likelihood !== 'impossible');
    return `no known service; fits ${fitting.map((each) => each.name).join(', ')}`;
  }
  return `${isSure ? `if ${rows > 1 ? 'each' : 'it'} is` : 'perhaps'} ${what}`;
}

/** The answer in a few words, for the tab. */
export function tabTitle(view: View): string {
  const { selected, settings } = page;
  const { rows, bad, shown } = view;
  if (rows > 1) return plural(rows - bad, 'id');
  const date = selected && isIdRow(selected) && instantOf(view.layout, selected.id, settings.zone);
  const what = view.wide === undefined ? currentIn(view)?.title : FORMAT_NAMES[view.read];
  return shown === 0 || isUnknown(view) ? '' : [date && shortDate(date), what].filter(Boolean).join(', ');
}

function roundedText({ rounded, rows }: View): string {
  if (rounded === undefined) return '';
  const which = rows === 1 ? 'This id looks' : rounded.rows === 1 ? '1 id looks' : `${plural(rounded.rows, 'id')} look`;
  return `${which} rounded: ${rounded.why}. The bits below the time are lost.`;
}

function OneDate({ view }: { view: View }) {
  const { selected, settings } = page;
  const isDated = selected !== undefined && (view.wide === undefined || selected.problem === '');
  const instant = isDated ? instantOf(view.layout, selected.id, settings.zone) : undefined;
  if (instant === undefined) return <h2>No date</h2>;
  return (
    <>
      <h2>{longDate(instant)}</h2>
      <CopyButton text={() => instant} label="Copy the date" />
      <span class="ago">{relativeTime(new Date(instant), Date.now())}</span>
    </>
  );
}

/** The dates of those of many ids that are shown. */
function ManyDates({ view: { span, shown, shownIds } }: { view: View }) {
  if (shown === 0) return <h2>No rows match</h2>;
  if (span === undefined) {
    const others = shown - shownIds;
    const counts = [
      shownIds > 0 && `${plural(shownIds, 'id')} without a date`,
      others > 0 && plural(others, 'unreadable row'),
    ];
    return <h2>{counts.filter(Boolean).join(', ')}</h2>;
  }
  const [first, last] = [shortDate(span.first), shortDate(span.last)];
  return (
    <>
      <h2>{first === last ? first : `${first} to ${last}`}</h2>
      <CopyButton text={() => `${span.first}/${span.last}`} label="Copy the first and the last date" />
    </>
  );
}

/** The selected id: when it was made, how else it is written, and where it is routed. Without one it keeps its place. */
export function IdPanel({ view, layout }: PanelProps) {
  const { selected, settings } = page;
  if (selected !== undefined && !isIdRow(selected)) return null;
  const id = selected?.id ?? 0n;
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
  if (wide !== undefined) facts.push(['id', selected?.cells[1] ?? '', 'copies']);
  else {
    for (const format of FORMATS) facts.push([SHORT_NAMES[format], shownId(id, format), 'copies']);
    const asText = `${router.route(String(id))} if hashed as text`;
    facts.push(['Shard', `${router.route(id)} of ${count(shards)} (${asText})`]);
  }
  return (
    <section class="card this" aria-labelledby="this-id">
      <h2 id="this-id">This id</h2>
      <Facts of={selected === undefined ? facts.map(([name]) => [name, '–']) : facts} />
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
        <h2 id="reverse">Date → id range</h2>
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
