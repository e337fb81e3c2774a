import { useState } from 'preact/hooks';
import { formatId, type Layout, Router } from '../../index.js';
import { relativeTime } from '../decode/dates.js';
import { fieldValue, timePlaceOf } from '../decode/layout-choice.js';
import { FORMATS, ROUTING_STRATEGIES, type Settings } from '../decode/settings.js';
import { dateOf, isoText, microsOf, msText } from '../decode/times.js';
import { LOCAL, UTC } from '../decode/zones.js';
import { SHORT_NAMES } from '../read/problems.js';
import { Compare } from './compare.jsx';
import { CopyButton } from './copy-button.jsx';
import type { Inspector } from './inspector.js';

/** The chosen id: when it was made, how else it is written, and where it is routed. */
export function IdPanel({ inspector, layout }: { inspector: Inspector; layout: Layout }) {
  const { selected, settings } = inspector;
  if (selected === undefined || (selected.problem !== '' && selected.id === 0n)) return null;
  const { id } = selected;
  const wide = inspector.view?.wide;
  const { time } = layout;
  const timePlace = timePlaceOf(layout);
  const micros = time && timePlace && microsOf(time, fieldValue(timePlace, id));
  const date = micros === undefined ? undefined : dateOf(micros);
  const { shards, strategy } = settings;
  const router = new Router({ shards, strategy });
  return (
    <section class="card this" aria-labelledby="this-id">
      <h2 id="this-id">This id</h2>
      <dl class="facts">
        {time !== undefined && micros !== undefined && <Fact name="Unix ms" value={msText(micros)} copies />}
        {time !== undefined && micros !== undefined && date !== undefined && (
          <>
            {[...new Set([settings.zone, UTC, LOCAL])].map((zone) => (
              <Fact key={zone} name={zone} value={isoText(time, micros, zone) ?? ''} copies />
            ))}
            <Fact name="Relative" value={relativeTime(date, Date.now())} />
          </>
        )}
        {wide !== undefined && <Fact name="id" value={selected.cells[1] ?? ''} copies />}
        {(wide === undefined ? FORMATS : []).map((format) => (
          <Fact
            key={format}
            name={SHORT_NAMES[format]}
            value={format === 'dec' ? String(id) : formatId(id, format)}
            copies
          />
        ))}
        {wide === undefined && (
          <Fact
            name="Routed to shard"
            value={`${router.route(id)} as a 64-bit number; ${router.route(String(id))} as the text ${id}`}
          />
        )}
      </dl>
      <div class="controls" hidden={wide !== undefined}>
        <ShardsBox shards={shards} onChange={(value) => inspector.change({ shards: value })} />
        <label>
          <span>Strategy</span>
          <select
            value={strategy}
            onChange={(event) => inspector.change({ strategy: event.currentTarget.value as Settings['strategy'] })}
          >
            {ROUTING_STRATEGIES.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {wide === undefined && (
        <Compare
          layout={layout}
          id={id}
          format={FORMATS.find((format) => format === inspector.view?.read) ?? 'dec'}
          zone={settings.zone}
        />
      )}
    </section>
  );
}

function ShardsBox({ shards, onChange }: { shards: number; onChange: (shards: number) => void }) {
  // While somebody types, the page may be drawn again, which would put the setting back into the box.
  const [typed, setTyped] = useState<string>();
  return (
    <label>
      <span>Shards</span>
      <input
        type="number"
        min={1}
        max={2147483647}
        value={typed ?? shards}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          setTyped(undefined);
          if (Number.isInteger(value) && value >= 1 && value <= 2147483647) onChange(value);
        }}
      />
    </label>
  );
}

export function Fact({ name, value, copies = false }: { name: string; value: string; copies?: boolean }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{value}</dd>
      {copies && (
        <dd class="action">
          <CopyButton text={() => value} label={`Copy ${name}`} />
        </dd>
      )}
    </div>
  );
}
