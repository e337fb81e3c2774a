/** What the page depends on besides what is done in it. It is drawn again when one of them changes. */
export const MEDIA = {
  dark: '(prefers-color-scheme: dark)',
  forcedColours: '(forced-colors: active)',
  /** A phone: the table comes before the layout, and has its date first. */
  narrow: '(max-width: 45rem)',
  /** Fingers need targets of 44 px. */
  touch: '(pointer: coarse)',
} as const;

export function matches(medium: keyof typeof MEDIA): boolean {
  return matchMedia(MEDIA[medium]).matches;
}
