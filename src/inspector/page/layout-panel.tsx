import { useState } from 'preact/hooks';
import type { Layout } from '../../index.js';
import { parseTime } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import {
  isPreset,
  isUnit,
  layoutOf,
  PRESETS,
  specOf,
  UNIT_NAMES,
  withFields,
  withSpec,
} from '../decode/layout-choice.js';
import { epochText, msOf } from '../decode/times.js';
import { BitStrip } from './bit-strip.jsx';
import { FieldTable } from './field-table.jsx';
import type { Inspector } from './inspector.js';
import { useTyped } from './use-typed.js';

export function LayoutPanel({ inspector, view, layout }: { inspector: Inspector; view: View; layout: Layout }) {
  const { places, time } = layout;
  const { settings, selected } = inspector;
  const chosen = settings.layout?.spec;
  const kind = chosen === undefined ? 'guess' : isPreset(chosen) ? chosen : 'own';
  const [inSeconds, setInSeconds] = useState<number>(); // the epoch, where it was typed as seconds
  const hasId = selected !== undefined && (selected.problem === '' || selected.id !== 0n);
  return (
    <section class="card layout" aria-labelledby="layout">
      <div class="controls">
        <h2 id="layout">Layout</h2>
        <label>
          <span class="hidden">Layout</span>
          <select
            value={kind}
            onChange={(event) => {
              const { value } = event.currentTarget;
              if (value === 'guess') inspector.change({ layout: undefined });
              else if (value === 'own') inspector.change({ layout: withFields(layout, places) });
              else inspector.change({ layout: { spec: value } });
            }}
          >
            <option value="guess">{`guess: ${view.readings[0]?.name ?? ''}`}</option>
            {PRESETS.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
            <option value="own">my own</option>
          </select>
        </label>
      </div>
      {view.layoutError !== undefined && (
        <p class="error" role="alert">
          {view.layoutError}
        </p>
      )}
      <BitStrip
        layout={layout}
        id={hasId ? selected.id : undefined}
        onMove={(fields) => inspector.change({ layout: withFields(layout, fields) })}
      />
      <FieldTable layout={layout} row={selected} zone={settings.zone} />
      <details class="edit" open={kind === 'own' || view.layoutError !== undefined}>
        <summary>Edit layout</summary>
        <div class="controls">
          <CheckedBox
            name="Fields"
            initial={view.layoutError === undefined ? specOf(places) : (chosen ?? '')}
            grows
            accept={(spec) => {
              const typed = withSpec(settings.layout, spec);
              layoutOf(typed);
              inspector.change({ layout: typed });
            }}
          />
          {time !== undefined && (
            <>
              <CheckedBox
                name="Epoch (UTC)"
                initial={epochText(time)}
                note={inSeconds === time.epoch ? `read as seconds: ${epochText(time)}` : ''}
                accept={(text) => {
                  const given = parseTime(text, Date.now());
                  if (given === undefined) throw new RangeError('expected a date or Unix milliseconds');
                  const epoch = msOf(given.from);
                  setInSeconds(given.readAs === 'seconds' ? epoch : undefined);
                  inspector.change({ layout: { ...(settings.layout ?? view.layout), epoch } });
                }}
              />
              <label>
                <span>Unit</span>
                <select
                  value={time.unit}
                  onChange={(event) => {
                    const unit = event.currentTarget.value;
                    if (!isUnit(unit)) return;
                    inspector.change({ layout: { ...(settings.layout ?? view.layout), unit } });
                  }}
                >
                  {Object.entries(UNIT_NAMES).map(([value, name]) => (
                    <option key={value} value={value}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
            </>
          )}
        </div>
      </details>
    </section>
  );
}

/**
 * A box of text. What `accept` refuses, with a reason, stays in it, with that under it. What is typed goes when another
 * value comes; the box itself stays, and with it the focus.
 */
function CheckedBox({
  name,
  initial,
  note = '',
  grows = false,
  accept,
}: {
  name: string;
  initial: string;
  note?: string;
  grows?: boolean;
  accept: (text: string) => void;
}) {
  const [{ text, error }, setTyped] = useTyped({ text: initial, error: '' }, initial);
  const errorId = `${name}-error`;
  return (
    <label class={grows ? 'grow' : ''}>
      <span>{name}</span>
      <input
        type="text"
        class={grows ? '' : 'short'}
        value={text}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={error !== ''}
        aria-describedby={errorId}
        onInput={(event) => setTyped({ text: event.currentTarget.value, error: '' })}
        onChange={(event) => {
          const { value } = event.currentTarget;
          try {
            accept(value);
          } catch (wrong) {
            setTyped({ text: value, error: (wrong as Error).message });
          }
        }}
      />
      {note !== '' && (
        <span class="note" role="status">
          {note}
        </span>
      )}
      <span id={errorId} class="error" role="alert">
        {error}
      </span>
    </label>
  );
}
