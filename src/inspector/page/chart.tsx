import { Component } from 'preact';
import type { Histogram } from '../decode/histogram.js';
import { barsText, type CountedValues, describe, idsIn } from './bars.js';
import { Plot } from './plot.jsx';
import { steppedBy } from './slider-keys.js';

const LEAST_DRAG = 5; // pixels: fingers and hands are not still

interface ChartProps {
  readonly histogram: Histogram;
  readonly counted: CountedValues;
  readonly isLog: boolean;
  /** A class of the style sheet. */
  readonly colour: string;
  readonly label: string;
  readonly onChoose: (first: number, last: number) => void;
  readonly onUndo: () => void;
}

interface Looked {
  /** The bar where a choice began, and the one where it is now; undefined: none is looked at. */
  readonly choice?: readonly [number, number] | undefined;
}

/** A histogram whose bars are read, and chosen, by mouse, finger and keys. */
export class Chart extends Component<ChartProps, Looked> {
  pressed: { readonly x: number; readonly bar: number } | undefined;

  /** Other bars: the one that is looked at stays at its value. */
  override componentWillReceiveProps({ histogram }: ChartProps): void {
    const before = this.props.histogram;
    const { choice } = this.state;
    if (choice === undefined || histogram === before) return;
    const value = before.from + (choice[1] + 0.5) * before.width;
    const bar = within(histogram, Math.floor((value - histogram.from) / histogram.width));
    this.setState({ choice: [bar, bar] });
  }

  override render({ histogram, counted, isLog, colour, label, onChoose, onUndo }: ChartProps, { choice }: Looked) {
    const { counts } = histogram;
    const { length } = counts;
    const [anchor, head] = choice ?? [0, 0];
    const [first, last] = [Math.min(anchor, head), Math.max(anchor, head)];
    const text = barsText(histogram, first, last, counted);
    const look = (from: number, to = from) =>
      this.setState({ choice: [within(histogram, from), within(histogram, to)] });
    const choose = () => {
      look(head);
      if (idsIn(histogram, first, last) > 0) onChoose(first, last);
    };

    const onPointerMove = (event: PointerEvent) => {
      const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
      const x = event.clientX;
      const bar = within(histogram, Math.floor(((x - left) / width) * length));
      if (event.type === 'pointerdown') this.pressed = { x, bar };
      const from = this.pressed;
      look(from?.bar ?? bar, from && Math.abs(x - from.x) < LEAST_DRAG ? from.bar : bar);
    };
    const onPointerDown = (event: PointerEvent) => {
      if (!event.isPrimary || event.button !== 0) return;
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      onPointerMove(event);
    };
    const onPointerUp = () => {
      if (this.pressed !== undefined) choose();
      this.pressed = undefined;
    };
    const onPointerLeave = (event: PointerEvent) => {
      this.pressed = undefined;
      if (!(event.currentTarget as HTMLElement).matches(':focus-visible')) this.setState({ choice: undefined });
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return; // Alt and an arrow go back in the history
      const target = steppedBy(event.key, head, Math.ceil(length / 10), 0, length - 1);
      if (target !== undefined) look(event.shiftKey ? anchor : target, target);
      else if (event.key === 'Enter') choose();
      else if (event.key === 'Escape') {
        this.pressed = undefined;
        look(head);
        if (anchor === head) onUndo();
      } else return;
      event.preventDefault();
    };

    const share = (bars: number) => `${(100 * bars) / length}%`;
    const at = share((first + last + 1) / 2);
    const id = `${counted.column}-bars`;
    return (
      <div class="chart">
        <Plot
          histogram={histogram}
          isTime={counted.time !== undefined}
          zone={counted.zone}
          isLog={isLog}
          colour={colour}
          scheme={getComputedStyle(document.body).color}
        />
        <div
          class="pointed"
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-describedby={id}
          aria-valuemin={1}
          aria-valuemax={length}
          aria-valuenow={head + 1}
          aria-valuetext={text}
          onPointerMove={onPointerMove}
          onPointerDown={onPointerDown}
          onPointerUp={onPointerUp}
          onPointerCancel={onPointerLeave}
          onPointerLeave={onPointerLeave}
          onKeyDown={onKeyDown}
          onFocus={() => this.setState((old) => ({ choice: old.choice ?? [0, 0] }))}
          onBlur={() => this.setState({ choice: undefined })}
        >
          {choice && <i style={{ left: share(first), width: share(last + 1 - first) }} />}
        </div>
        {choice && (
          <p class="tip" aria-hidden="true" style={{ left: at, transform: `translateX(-${at})` }}>
            {text}
          </p>
        )}
        <p class="hidden" id={id}>
          {describe(histogram, counted)} Arrow keys move over the bars, with Shift they select several. Enter filters by
          them, Escape takes that back.
        </p>
      </div>
    );
  }
}

function within({ counts }: Histogram, bar: number): number {
  return Math.max(0, Math.min(counts.length - 1, bar));
}
