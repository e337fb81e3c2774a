import { useState } from 'preact/hooks';
import type { Layout } from '../../index.js';
import { parseTime } from '../decode/dates.js';
import type { View } from '../decode/inspection.js';
import { isPreset, isUnit, layoutOf, PRESETS, specOf, UNIT_NAMES, withFields } from '../decode/layout-choice.js';
import { epochText, msOf } from '../decode/times.js';
import { BitStrip } from './bit-strip.jsx';
import { FieldTable } from './field-table.jsx';
import type { Inspector } from './inspector.js';

export function LayoutPanel({ inspector, view, layout }: { inspector: Inspector; view: View; layout: Layout }) {
  const { places, time } = layout;
  const { settings, selected } = inspector;
  const chosen = settings.layout?.spec;
  const kind = chosen === undefined ? 'guess' : isPreset(chosen) ? chosen : 'own';
  // What was chosen last, also if the view does not show it yet.
  const { epoch = time?.epoch, unit = time?.unit } = settings.layout ?? {};
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
        <CheckedBox
          key={specOf(places)}
          name="Fields"
          initial={view.layoutError === undefined ? specOf(places) : (chosen ?? '')}
          grows
          accept={(spec) => {
            layoutOf({ spec });
            inspector.change({ layout: { ...withFields(layout, places), spec } });
          }}
        />
        {time !== undefined && (
          <>
            <CheckedBox
              key={time.epoch}
              name="Epoch"
              initial={epochText(time)}
              accept={(text) => {
                const given = parseTime(text, Date.now());
                if (given === undefined) throw new RangeError('expected a date, or Unix milliseconds');
                inspector.change({ layout: { ...(settings.layout ?? view.layout), epoch: msOf(given.from), unit } });
              }}
            />
            <label>
              <span>Unit</span>
              <select
                value={time.unit}
                onChange={(event) => {
                  const { value } = event.currentTarget;
                  if (!isUnit(value)) return;
                  inspector.change({ layout: { ...(settings.layout ?? view.layout), epoch, unit: value } });
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
      <FieldTable layout={layout} row={selected} />
    </section>
  );
}

/** A box of text. What `accept` refuses, with a reason, stays in it, with that under it. */
function CheckedBox({
  name,
  initial,
  grows = false,
  accept,
}: {
  name: string;
  initial: string;
  grows?: boolean;
  accept: (text: string) => void;
}) {
  const [text, setText] = useState(initial);
  const [error, setError] = useState('');
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
        onInput={(event) => {
          setText(event.currentTarget.value);
          setError('');
        }}
        onChange={(event) => {
          try {
            accept(event.currentTarget.value);
            setError('');
          } catch (wrong) {
            setError((wrong as Error).message);
          }
        }}
      />
      <span id={errorId} class="error" role="alert">
        {error}
      </span>
    </label>
  );
}
