import type { BytesColumn } from '../../src/index.js';

/** A stream of bytes in chunks of these lengths, which repeat. */
export function chunked(bytes: Uint8Array, ...byteLengths: number[]): ReadableStream<Uint8Array> {
  let at = 0;
  let i = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const end = at + byteLengths[i++ % byteLengths.length];
      controller.enqueue(bytes.subarray(at, end));
      at = end;
    },
  });
}

export async function all<T>(stream: ReadableStream<T> | AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream as AsyncIterable<T>) chunks.push(chunk);
  return chunks;
}

/** The rows of columns as texts. */
export function rowsIn(columns: readonly BytesColumn[]): string[] {
  return columns.flatMap(({ data, offsets }) =>
    Array.from({ length: offsets.length - 1 }, (_, i) =>
      Buffer.from(data.subarray(offsets[i], offsets[i + 1])).toString(),
    ),
  );
}
