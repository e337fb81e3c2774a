import { FORMAT_NAMES, isWideKind } from '../../../tokens/formats.js';
import { conditionOf } from '../../decode/comparison.js';
import { isoIn, relativeTime } from '../../decode/dates.js';
import type { View } from '../../decode/inspection.js';
import { fieldValue, type LayoutChoice, layoutOf } from '../../decode/layout-choice.js';
import {
  instantOf,
  isPossible,
  longDate,
  type ReadingView,
  readingsBeside,
  shortDate,
  unknownText,
} from '../../decode/readings.js';
import type { TableRow } from '../../decode/table.js';
import { Button, CopyButton, count, joined, Panel, type PanelProps, plural } from '../controls.js';
import { change, page } from '../state.js';
import { FoundLayout } from './dates-panel.js';

/** So many other readings are shown; the rest is under "What else it could be". */
const CHIPS = 4;

/** When the ids were made, and what that depends on. The other kinds in the text, and other readings, are a click away. */
export function AnswerPanel({ view }: PanelProps) {
  const { wide, rows, current, isUnknown, isMixed } = view;
  const { selected, settings } = page;
  if ((rows === 1 && !selected) || (view.bad === rows && (!wide || rows > 1))) return null;
  const isOne = rows === 1;
  /** Whether a reading is worth a click: its dates fit, and where no service is known, it is likely enough. */
  const isOffered = (each: ReadingView) => each === current || isPossible(each) || (each.fits && !isUnknown);
  const isOfBits = !wide && !isMixed;
  const chips = isOfBits && !view.isFact ? readingsBeside(view, settings.layout, CHIPS).filter(isOffered) : [];
  return (
    <section class="card answer" aria-label="Answer">
      <div class="main" aria-live="polite">
        {isUnknown && !isMixed ? (
          <h2>{unknownText(view, view.rows)}</h2>
        ) : isOne ? (
          <OneDate view={view} />
        ) : (
          <ManyDates view={view} />
        )}
        <span class="if">
          {isMixed
            ? `${count(view.groups.length)} kinds of ids`
            : (wide && isOne && selected?.problem) || conditionOf(view, settings.layout)}
        </span>
      </div>
      <FoundLayout found={view.found} />
      {view.rounded && <p class="error">{roundedText(view.rounded, rows)}</p>}
      <GroupChips view={view} />
      {chips.length > 0 && (
        <ul class="chips" aria-label="Other readings">
          {chips.map((reading) => {
            const date = selected && instantOf(reading.choice, selected.id, settings.zone);
            return (
              <li key={reading.name}>
                <Button
                  class={`chip ${reading.likelihood}`}
                  title={reading.reason}
                  aria-pressed={reading === current}
                  onClick={() => change({ layout: reading.choice })}
                >
                  {reading.title}{' '}
                  <span class="date">
                    {joined([
                      date ? shortDate(date) : 'no date',
                      isPossible(reading) && !view.found?.isTaken && reading.likelihood,
                    ])}
                  </span>
                </Button>
              </li>
            );
          })}
        </ul>
      )}
      {isOfBits && current && !isUnknown && (
        <details class="why">
          <summary>Why {current.title}?</summary>
          <ul>
            {view.isFact && <li>The link, or the way the id is written, says so.</li>}
            {current.evidence.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** The kinds of ids in the text: one of them is shown, or all. */
function GroupChips({ view: { groups, group } }: { view: View }) {
  const { zone } = page.settings;
  if (groups.length < 2) return null;
  const rows = groups.reduce((sum, each) => sum + each.rows, 0);
  const chips = [
    { title: 'All', name: 'all', rows, date: undefined },
    ...groups.map((each) => ({ ...each, name: each.title })),
  ];
  return (
    <ul class="chips" aria-label="Kinds of ids">
      {chips.map(({ title, name, rows, date }) => (
        <li key={name}>
          <Button class="chip" aria-pressed={(group ?? 'all') === name} onClick={() => change({ group: name })}>
            {title}{' '}
            <span class="date">{date === undefined ? count(rows) : shortDate(isoIn(zone, new Date(date)))}</span>
          </Button>
        </li>
      ))}
    </ul>
  );
}

export function tabTitle(view: View): string {
  const { selected, settings } = page;
  const { rows, bad, shown } = view;
  if (rows > 1) return plural(rows - bad, 'id');
  const date = selected?.isId && instantOf(view.layout, selected.id, settings.zone);
  const what = view.wide ? FORMAT_NAMES[view.read] : view.current?.title;
  return shown === 0 || view.isUnknown ? '' : joined([date && shortDate(date), what]);
}

function roundedText(rounded: NonNullable<View['rounded']>, rows: number): string {
  const which = rows === 1 ? 'This id looks' : rounded.rows === 1 ? '1 id looks' : `${plural(rounded.rows, 'id')} look`;
  return `${which} rounded: ${rounded.why}. The bits below the time are lost.`;
}

function OneDate({ view }: { view: View }) {
  const { selected, settings } = page;
  const isDated = selected && (!view.wide || selected.problem === '');
  const instant = isDated ? instantOf(view.layout, selected.id, settings.zone) : undefined;
  if (!instant || !selected) return <h2>No date</h2>;
  return (
    <>
      <h2>{longDate(instant)}</h2>
      <CopyButton text={() => instant} label="Copy the date" />
      <CopyButton text={() => answerText(view, selected, instant)} label="Copy the id with its date and fields">
        Copy answer
      </CopyButton>
      <span class="ago">{relativeTime(new Date(instant), Date.now())}</span>
    </>
  );
}

function answerText(view: View, { id, cells }: TableRow, instant: string): string {
  const { places, time } = layoutOf(view.layout);
  const { layout, zone } = page.settings;
  const others = view.groups.filter(({ title, id: other }) => other && title !== view.group);
  const fields = places.filter(({ name }) => !view.wide && name !== time?.name);
  return [
    `id: ${cells[1]}`,
    `date: ${instant} (${conditionOf(view, layout)})`,
    ...fields.map((place) => `${place.name}: ${fieldValue(place, id)}`),
    ...others.map(({ title, id: other, date }) => {
      return `${title}: ${joined([other, date !== undefined && isoIn(zone, new Date(date))])}`;
    }),
  ].join('\n');
}

function ManyDates({ view: { span, shown, shownIds } }: { view: View }) {
  if (shown === 0) return <h2>No rows match</h2>;
  if (!span) {
    const others = shown - shownIds;
    const ids = shownIds > 0 && `${plural(shownIds, 'id')} without a date`;
    return <h2>{joined([ids, others > 0 && plural(others, 'unreadable row')])}</h2>;
  }
  const [first, last] = [shortDate(span.first), shortDate(span.last)];
  return (
    <>
      <h2>{first === last ? first : `${first} to ${last}`}</h2>
      <CopyButton text={() => `${span.first}/${span.last}`} label="Copy the first and the last date" />
    </>
  );
}

const SHOWN = 3;

/** What stands in place of everything about ids if nothing is one: what is wrong, and what else it may be read as. */
export function UnreadablePanel({ view }: PanelProps) {
  const { unreadable, read } = view;
  if (!unreadable) return null;
  const { rounded, samples, alternatives } = unreadable;
  const isMarked = samples.some(({ length }) => length > 1);
  return (
    <Panel
      class="unreadable"
      title={rounded > 0 ? `${plural(rounded, 'rounded number')}: the last digits are lost` : 'No ids found'}
    >
      <p class="note">
        {rounded > 0
          ? `${rounded > 1 ? '' : `${view.firstRows[0].problem}. `}Get the ids as text to have all digits.`
          : isMarked
            ? `Read as ${FORMAT_NAMES[read]}. The characters that are marked are not of this format.`
            : [...new Set(view.firstRows.map(({ problem }) => `${problem}. `))].slice(0, SHOWN)}
      </p>
      <ul>
        {(rounded > 0 ? [] : samples).map((pieces, row) => (
          <li key={row}>
            <code>{pieces.map((piece, i) => (i % 2 === 0 ? piece : <mark key={i}>{piece}</mark>))}</code>
          </li>
        ))}
      </ul>
      {alternatives.length > 0 && (
        <div class="controls">
          {alternatives.map(({ format, ids }) => (
            <Button key={format} onClick={() => change({ read: format })}>
              Read as {FORMAT_NAMES[format]}: {plural(ids, 'id')}
              {isWideKind(format) && ', only their time'}
            </Button>
          ))}
        </div>
      )}
    </Panel>
  );
}

/** One of each kind to try. A million ids are made up when they are asked for, and have no text here. */
export const EXAMPLES: readonly (readonly [label: string, text?: string, layout?: LayoutChoice])[] = [
  ['Discord message link', 'https://discord.com/channels/81384788765712384/381887113391505410/937847820382261308'],
  ['Tweet', '1541815603606036480'],
  ['Instagram link', 'https://www.instagram.com/p/CEWsh68Kc5C/'],
  ['TikTok link', 'https://www.tiktok.com/@scout2015/video/6718335390845095173'],
  ['UUIDv7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
  ['ULID', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['ObjectId', '507f1f77bcf86cd799439011'],
  [
    'Log',
    `2022-02-22T19:22:22Z user_id=81384788765712384 request_id=017f22e2-79b0-7cc3-98c4-dc0c0c07398f
2022-02-22T19:22:22Z channel_id=381887113391505410 message_id=937847820382261308`,
  ],
  [
    'CSV',
    `user,order_id
ada,154173452582932603
brian,286435872092454913
grace,28643587209245491E
linus,312873611796054016`,
  ],
  ['Date', '2024-03-01'],
  ['Own layout', '7169277754867732603', { spec: 'timestamp:41,node:10,count:12' }],
  ['A million ids'],
];
