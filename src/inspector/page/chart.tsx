import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Histogram } from '../decode/histogram.js';
import { barsText, type CountedValues, describe, idsIn } from './bars.js';
import { keepDrawn } from './plot.js';

const LEAST_DRAG = 5; // pixels: fingers and hands are not still

/** A histogram whose bars are read, and chosen, by mouse, finger and keys. */
export function Chart({
  histogram,
  counted,
  isLog,
  colour,
  label,
  onChoose,
  onUndo,
}: {
  histogram: Histogram;
  counted: CountedValues;
  isLog: boolean;
  /** A custom property of the style sheet. */
  colour: string;
  label: string;
  onChoose: (first: number, last: number) => void;
  onUndo: () => void;
}) {
  const { counts } = histogram;
  const plotBox = useRef<HTMLDivElement>(null);
  const slider = useRef<HTMLDivElement>(null);
  /** The bar where a choice began, and the one where it is now; undefined: none is looked at. */
  const [choice, setChoice] = useState<readonly [number, number]>();
  const pressed = useRef<{ readonly x: number; readonly bar: number } | undefined>(undefined);
  const { zone } = counted;
  const isTime = counted.time !== undefined;

  useEffect(() => {
    const bars = slider.current as HTMLElement; // uPlot may tell of it when the chart is gone
    return keepDrawn(plotBox.current as HTMLElement, { histogram, isTime, zone, isLog, colour }, (style) => {
      bars.style.cssText = style;
    });
  }, [histogram, isTime, zone, isLog, colour]);

  const within = (bar: number) => Math.max(0, Math.min(counts.length - 1, bar));
  // Other bars: the one that is looked at stays at its value.
  const before = useRef(histogram);
  useLayoutEffect(() => {
    const { from, width } = before.current;
    before.current = histogram;
    setChoice((old) => {
      const bar = old && within(Math.floor((from + (old[1] + 0.5) * width - histogram.from) / histogram.width));
      return bar === undefined ? undefined : [bar, bar];
    });
  }, [histogram]);

  const [anchor, head] = (choice ?? [0, 0]).map(within) as [number, number];
  const [first, last] = [Math.min(anchor, head), Math.max(anchor, head)];
  const text = barsText(histogram, first, last, counted);
  const choose = () => {
    setChoice([head, head]);
    if (idsIn(histogram, first, last) > 0) onChoose(first, last);
  };

  const onPointerMove = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const bar = within(Math.floor(((event.clientX - left) / width) * counts.length));
    if (event.type === 'pointerdown') pressed.current = { x: event.clientX, bar };
    const from = pressed.current;
    setChoice([from?.bar ?? bar, from && Math.abs(event.clientX - from.x) < LEAST_DRAG ? from.bar : bar]);
  };
  const onPointerDown = (event: PointerEvent) => {
    if (!event.isPrimary || event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    onPointerMove(event);
  };
  const onPointerUp = () => {
    if (pressed.current !== undefined) choose();
    pressed.current = undefined;
  };
  const onPointerLeave = (event: PointerEvent) => {
    pressed.current = undefined;
    if (!(event.currentTarget as HTMLElement).matches(':focus-visible')) setChoice(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // Alt and an arrow go back in the history
    const page = Math.ceil(counts.length / 10);
    const targets: { [key: string]: number } = {
      ArrowLeft: head - 1,
      ArrowDown: head - 1,
      ArrowRight: head + 1,
      ArrowUp: head + 1,
      PageDown: head - page,
      PageUp: head + page,
      Home: 0,
      End: counts.length - 1,
    };
    const target = targets[event.key];
    if (target !== undefined) setChoice([event.shiftKey ? anchor : within(target), within(target)]);
    else if (event.key === 'Enter') choose();
    else if (event.key === 'Escape') {
      pressed.current = undefined;
      setChoice([head, head]);
      if (anchor === head) onUndo();
    } else return;
    event.preventDefault();
  };

  const share = (bars: number) => `${(100 * bars) / counts.length}%`;
  const at = share((first + last + 1) / 2);
  const id = `${counted.column}-bars`;
  return (
    <div class="chart">
      <div class="plot" ref={plotBox} />
      <div
        class="pointed"
        ref={slider}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={id}
        aria-valuemin={1}
        aria-valuemax={counts.length}
        aria-valuenow={head + 1}
        aria-valuetext={text}
        onPointerMove={onPointerMove}
        onPointerDown={onPointerDown}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerLeave}
        onPointerLeave={onPointerLeave}
        onKeyDown={onKeyDown}
        onFocus={() => setChoice((old) => old ?? [0, 0])}
        onBlur={() => setChoice(undefined)}
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
