import type { TimeUnit } from '../../../index.js';
import { epochText } from '../../decode/dates.js';
import type { View } from '../../decode/inspection.js';
import { layoutOf } from '../../decode/layout-choice.js';
import { Button, count } from '../controls.js';
import { change } from '../state.js';

const UNITS: Record<TimeUnit, string> = {
  s: 'seconds',
  '10ms': 'units of 10 ms',
  ms: 'milliseconds',
  '10us': 'units of 10 µs',
  us: 'microseconds',
};

/** What a column of dates says of ids of no known service. */
export function FoundLayout({ found }: Pick<View, 'found'>) {
  if (found === undefined) return null;
  const { bits, unit, agreeing, rows, name, choice } = found;
  const { time } = layoutOf(choice);
  return (
    <div class="controls found">
      <p>
        The upper {bits} bits count {UNITS[unit]} from {time && epochText(time)}:{' '}
        {name === 'text' ? 'the time in the line' : name} agrees in {count(agreeing)} of {count(rows)} rows.
      </p>
      <Button onClick={() => change({ layout: choice })}>Use this layout</Button>
    </div>
  );
}
