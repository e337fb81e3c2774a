import { Router } from '../../index.js';
import { relativeTime } from '../decode/dates.js';
import { fieldValue, timePlaceOf } from '../decode/layout-choice.js';
import { FORMATS, ROUTING_STRATEGIES } from '../decode/settings.js';
import { dateOf, isoText, microsOf, msText } from '../decode/times.js';
import { LOCAL, UTC } from '../decode/zones.js';
import { SHORT_NAMES } from '../read/problems.js';
import { Compare } from './compare.jsx';
import { Choice, TextBox } from './controls.jsx';
import { type Fact, Facts } from './facts.jsx';
import { shownId } from './numbers.js';
import type { Shown } from './shown.js';
import { change, selected, settings } from './state.js';

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
