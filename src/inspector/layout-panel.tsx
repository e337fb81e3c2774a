import { useState } from 'preact/hooks';
import type { Layout, TimeUnit } from '../index.js';
import { BitStrip } from './bit-strip.jsx';
import { parseInstant } from './dates.js';
import { FieldTable } from './field-table.jsx';
import type { View } from './inspection.js';
import type { Inspector } from './inspector.js';
import { isPreset, makeLayout, PRESETS, placesOf, specOf, timePlace, UNIT_MS, withFields } from './layout-choice.js';

export function LayoutPanel({ inspector, view, layout }: { inspector: Inspector; view: View; layout: Layout }) {
  const places = placesOf(layout);
  const time = timePlace(places);
  const { settings, selected } = inspector;
  const chosen = settings.layout?.spec;
  const kind = chosen === undefined ? 'guess' : isPreset(chosen) ? chosen : 'own';
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
            <option value="guess">{`guess: ${view.verdicts[0]?.spec ?? ''}`}</option>
            {PRESETS.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
            <option value="own">my own</option>
          </select>
        </label>
        <SpecBox
          key={specOf(places)}
          spec={view.layoutError === undefined ? specOf(places) : (chosen ?? '')}
          onChange={(spec) => inspector.change({ layout: { ...withFields(layout, places), spec } })}
        />
        {time !== undefined && (
          <>
            <EpochBox
              key={time.epoch}
              epoch={time.epoch as number}
              onChange={(epoch) =>
                inspector.change({ layout: { ...(settings.layout ?? view.layout), epoch, unit: time.unit } })
              }
            />
            <label>
              <span>Unit</span>
              <select
                value={time.unit}
                onChange={(event) => {
                  const unit = event.currentTarget.value as TimeUnit;
                  inspector.change({ layout: { ...(settings.layout ?? view.layout), epoch: time.epoch, unit } });
                }}
              >
                {Object.keys(UNIT_MS).map((unit) => (
                  <option key={unit} value={unit}>
                    {unit}
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
        places={places}
        id={hasId ? selected.id : undefined}
        onMove={(fields) => inspector.change({ layout: withFields(layout, fields) })}
      />
      <FieldTable places={places} row={selected} />
    </section>
  );
}

/** Fields as text. What is no layout stays in the box, with the reason under it. */
function SpecBox({ spec, onChange }: { spec: string; onChange: (spec: string) => void }) {
  const [text, setText] = useState(spec);
  const [error, setError] = useState('');
  return (
    <label class="grow">
      <span>Fields</span>
      <input
        type="text"
        value={text}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={error !== ''}
        aria-describedby="spec-error"
        onInput={(event) => {
          setText(event.currentTarget.value);
          setError('');
        }}
        onChange={(event) => {
          const { value } = event.currentTarget;
          try {
            makeLayout({ spec: value });
            setError('');
            onChange(value);
          } catch (wrong) {
            setError((wrong as Error).message);
          }
        }}
      />
      <span id="spec-error" class="error" role="alert">
        {error}
      </span>
    </label>
  );
}

function EpochBox({ epoch, onChange }: { epoch: number; onChange: (epoch: number) => void }) {
  const [text, setText] = useState(new Date(epoch).toISOString().replace('T00:00:00.000Z', ''));
  const [error, setError] = useState('');
  return (
    <label>
      <span>Epoch</span>
      <input
        type="text"
        class="epoch"
        value={text}
        spellcheck={false}
        autocomplete="off"
        aria-invalid={error !== ''}
        aria-describedby="epoch-error"
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => {
          const instant = parseInstant(event.currentTarget.value, Date.now());
          setError(instant === undefined ? 'a date, or Unix milliseconds' : '');
          if (instant !== undefined) onChange(instant);
        }}
      />
      <span id="epoch-error" class="error" role="alert">
        {error}
      </span>
    </label>
  );
}
