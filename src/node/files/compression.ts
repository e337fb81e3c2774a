import { formatOf, isUndecided, UnsupportedFormatError } from './formats.js';

/**
 * Decompresses bytes that start like gzip or zstd, also if they are compressed several times. Other bytes stay as they are.
 * @param file the name of the file, for errors
 * @throws UnsupportedFormatError for a format that cannot be read
 */
export async function* decompressed(source: AsyncGenerator<Uint8Array>, file: string): AsyncGenerator<Uint8Array> {
  try {
    let head = new Uint8Array(0);
    // Read no more bytes than necessary, because the writer may be waiting for an answer to the first line.
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
    source.return(undefined).catch(() => {}); // not awaited: it would wait for the next chunk, which may never come
  }
}

async function* each(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* stream;
}

async function* chain(head: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}
