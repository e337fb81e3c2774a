import type { TimeUnit } from '../../index.js';
import { parseTime } from '../decode/dates.js';
import { isPreset, layoutOf, PRESETS, specOf, UNIT_NAMES, withFields, withSpec } from '../decode/layout-choice.js';
import { epochText, msOf } from '../decode/times.js';
import { BitStrip } from './bit-strip.jsx';
import { Choice, TextBox } from './controls.jsx';
import { FieldTable } from './field-table.jsx';
import type { Shown } from './shown.js';
import { change, selected, settings } from './state.js';

const UNITS = Object.entries(UNIT_NAMES) as [TimeUnit, string][];

/** The epoch, where it was typed as seconds. */
let inSeconds: number | undefined;

export function LayoutPanel({ view, layout }: Shown) {
  const { places, time } = layout;
  const chosen = settings.layout?.spec;
  const kind = chosen === undefined ? 'guess' : isPreset(chosen) ? chosen : 'own';
  const own = settings.layout ?? view.layout;
  return (
    <section class="card layout" aria-labelledby="layout">
      <div class="controls">
        <h2 id="layout">Layout</h2>
        <Choice
          label="Layout"
          isHidden
          value={kind}
          options={[['guess', `guess: ${view.readings[0]?.name ?? ''}`], ...PRESETS, ['own', 'my own']]}
          onChange={(spec) =>
            change({ layout: spec === 'guess' ? undefined : spec === 'own' ? withFields(layout, places) : { spec } })
          }
        />
      </div>
      {view.layoutError !== undefined && (
        <p class="error" role="alert">
          {view.layoutError}
        </p>
      )}
      <BitStrip
        layout={layout}
        id={selected && (selected.problem === '' || selected.id !== 0n) ? selected.id : undefined}
        onMove={(fields) => change({ layout: withFields(layout, fields) })}
      />
      <FieldTable layout={layout} />
      <details class="edit" open={kind === 'own' || view.layoutError !== undefined}>
        <summary>Edit layout</summary>
        <div class="controls">
          <TextBox
            label="Fields"
            grows
            value={view.layoutError === undefined ? specOf(places) : (chosen ?? '')}
            accept={(spec) => {
              const typed = withSpec(settings.layout, spec);
              layoutOf(typed);
              change({ layout: typed });
            }}
          />
          {time !== undefined && (
            <>
              <TextBox
                label="Epoch (UTC)"
                class="short"
                value={epochText(time)}
                note={inSeconds === time.epoch ? `read as seconds: ${epochText(time)}` : ''}
                accept={(text) => {
                  const given = parseTime(text, Date.now());
                  if (given === undefined) throw new RangeError('expected a date or Unix milliseconds');
                  const epoch = msOf(given.from);
                  inSeconds = given.readAs && epoch;
                  change({ layout: { ...own, epoch } });
                }}
              />
              <Choice
                label="Unit"
                value={time.unit}
                options={UNITS}
                onChange={(unit) => change({ layout: { ...own, unit } })}
              />
            </>
          )}
        </div>
      </details>
    </section>
  );
}
