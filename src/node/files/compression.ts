import { formatOf, isUndecided, UnsupportedFormatError } from './formats.js';

/**
 * Bytes as they are, or decompressed if they start as gzip or zstd does, and so is what comes of that.
 * @param file where they come from, for errors
 * @throws UnsupportedFormatError for a format that is not read
 */
export async function* decompressed(source: AsyncGenerator<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  try {
    let head = new Uint8Array(0);
    // Not a byte more than it takes: whoever writes may be waiting for an answer to the first line.
    while (isUndecided(head)) {
      const { value, done } = await source.next();
      if (done) break;
      head = Buffer.concat([head, value]);
    }
    const format = formatOf(head);
    if (format === undefined) {
      if (head.length > 0) yield head;
      yield* source;
      return;
    }
    if (format.decompress === undefined) throw new UnsupportedFormatError(format, file);
    yield* decompressed(each(format.decompress(chain(head, source))), file);
  } finally {
    source.return(undefined).catch(() => {}); // not awaited: it may come after a chunk that nobody sends
  }
}

async function* each(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* stream;
}

async function* chain(head: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}
