/** Whole lines of text, parted by `\n`. */
export interface TextLines {
  readonly text: string;
  /** The number of the first one, from 1. */
  readonly firstLine: number;
}

const NEWLINE = 0x0a;
const LONGEST_ROW = 1 << 24; // characters, far more than ids and their fields take

/**
 * The lines of a stream of UTF-8, some at a time. `\r\n` is taken as `\n`, a byte order mark at the start
 * and empty lines at the end are left out.
 * @throws RangeError for an empty line among others, or a line that has no end
 */
export async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<TextLines> {
  const decoder = new TextDecoder();
  let rest = '';
  let firstLine = 1; // of what has not been handed out
  let emptyLine: number | undefined; // which may be one at the end

  function* take(ended: string): Generator<TextLines> {
    const text = ended.includes('\r') ? ended.replaceAll('\r\n', '\n') : ended;
    let end = text.length;
    while (end > 0 && text.charCodeAt(end - 1) === NEWLINE) end--;
    if (end > 0) {
      if (emptyLine !== undefined) throw new RangeError(`-:${emptyLine}: expected a row, got an empty line`);
      yield { text: text.slice(0, end), firstLine };
      firstLine += newlinesIn(text, end) + 1;
    }
    const empty = text.length - end - (end > 0 ? 1 : 0);
    if (empty > 0) emptyLine ??= firstLine;
    firstLine += empty;
  }

  for await (const chunk of input) {
    const more = decoder.decode(chunk, { stream: true });
    const end = more.lastIndexOf('\n') + 1;
    if (end > 0) yield* take(rest + more.slice(0, end));
    rest = end > 0 ? more.slice(end) : rest + more;
    if (rest.length > LONGEST_ROW) {
      throw new RangeError(`-:${firstLine}: expected a row of at most ${LONGEST_ROW} characters, got ${rest.length}`);
    }
  }
  rest += decoder.decode();
  if (rest !== '') yield* take(rest);
}

function newlinesIn(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
