// A million rows of 32 px are higher than an element may be (17.8 million px in Firefox, 33 million in Chromium).
// So the scrolled element is at most MAX_HEIGHT high, and what is seen is at a position of its own: it moves pixel by
// pixel with small steps, as of a wheel, and proportionally where the scrollbar is dragged.

export const MAX_HEIGHT = 8_000_000;

export interface Extent {
  /** Of all rows, in pixels. */
  readonly total: number;
  /** Of what is seen. */
  readonly viewport: number;
}

export interface ScrollPosition {
  readonly scrollTop: number;
  /** The pixel of all rows at the top of what is seen. */
  readonly top: number;
}

export function scrolledHeight({ total }: Extent): number {
  return Math.min(total, MAX_HEIGHT);
}

/** The position after the element has been scrolled. If `scrollTop` of the result differs, it is to be set. */
export function afterScroll(before: ScrollPosition, scrollTop: number, extent: Extent): ScrollPosition {
  const most = { top: Math.max(0, extent.total - extent.viewport), scroll: mostScroll(extent) };
  if (most.top <= most.scroll) return { scrollTop, top: clamp(scrollTop, most.top) };
  const step = scrollTop - before.scrollTop;
  // A wheel moves by less than this, a dragged scrollbar soon by more: over 4 rows of pixels each.
  const isSmall = Math.abs(step) <= extent.viewport * 1.5;
  const top = clamp(isSmall ? before.top + step : (scrollTop / most.scroll) * most.top, most.top);
  if (!isSmall) return { scrollTop, top };
  // Near an end of the element the two must meet: neither may end before the other.
  const nearEnd = scrollTop < extent.viewport * 4 || scrollTop > most.scroll - extent.viewport * 4;
  return { scrollTop: nearEnd ? scrollTopOf(top, extent) : scrollTop, top };
}

/** Where to scroll the element so that what is seen begins at `top`. */
export function atTop(top: number, extent: Extent): ScrollPosition {
  const wanted = clamp(top, Math.max(0, extent.total - extent.viewport));
  return { scrollTop: scrollTopOf(wanted, extent), top: wanted };
}

function scrollTopOf(top: number, extent: Extent): number {
  const most = extent.total - extent.viewport;
  if (most <= mostScroll(extent)) return top;
  // Whole pixels, as browsers have them; 0 and the end only where `top` is there, too.
  const scroll = Math.round((top / most) * mostScroll(extent));
  if (top <= 0 || top >= most) return scroll;
  return Math.min(mostScroll(extent) - 1, Math.max(1, scroll));
}

function mostScroll(extent: Extent): number {
  return Math.max(0, scrolledHeight(extent) - extent.viewport);
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}
