/** How ids of a kind are written, and how their time is read. */
export interface WideIdFormat {
  /** The lengths that an id may have, in characters. */
  readonly lengths: readonly number[];
  /**
   * The Unix milliseconds of an id.
   * @param length one of `lengths`
   * @returns NaN if the characters are not an id, {@link NO_TIME} if the id has no time
   */
  timeAt(data: Uint8Array, at: number, length: number): number;
  /** What is expected instead of a text that is not an id or has no time, for an error message. */
  expected(text: string): string;
}

export const NO_TIME: number = Number.POSITIVE_INFINITY;

const LONGEST = 36;

const bytes = /* @__PURE__ */ new Uint8Array(LONGEST);

/** Like {@link WideIdFormat.timeAt}, for any text. */
export function timeOfText(text: string, { lengths, timeAt }: WideIdFormat): number {
  const { length } = text;
  if (!lengths.includes(length)) return Number.NaN;
  let codes = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    codes |= code;
    bytes[i] = code;
  }
  return codes > 127 ? Number.NaN : timeAt(bytes, 0, length);
}
