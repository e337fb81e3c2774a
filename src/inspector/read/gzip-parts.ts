const HEADER = [0x1f, 0x8b, 0x08] as const;
/** Flags that a header may have; the others are not used. */
const FLAGS = 0x1f;

/** How often the data may be read in vain, for headers that are inside of a part: compressed files in an archive. */
const MOST_FAILED = 4;

/**
 * All parts, of which a browser unpacks only one, without saying where it ends: a part is whole up to the next header,
 * and to no other place. Appended files, bgzip and rotated logs have several.
 * @throws TypeError for what is not whole
 */
export async function unpackGzip(data: Uint8Array): Promise<Uint8Array> {
  const parts: BlobPart[] = [];
  let only: unknown;
  try {
    return await bytesOf(await unpackPart(data));
  } catch (error) {
    only = error;
  }
  for (let start = 0, end = 0, failed = 0; start < data.length; ) {
    end = nextHeader(data, end + 1);
    if (end - start === data.length) throw only;
    try {
      parts.push(...(await unpackPart(data.subarray(start, end))));
      start = end;
    } catch (error) {
      if (end === data.length) throw error;
      failed += end - start;
      if (failed > MOST_FAILED * data.length) throw only;
    }
  }
  return bytesOf(parts);
}

/** Where the next header is, or the end. */
function nextHeader(data: Uint8Array, from: number): number {
  for (let at = data.indexOf(HEADER[0], from); at >= 0; at = data.indexOf(HEADER[0], at + 1)) {
    if (data[at + 1] === HEADER[1] && data[at + 2] === HEADER[2] && (data[at + 3] as number) <= FLAGS) return at;
  }
  return data.length;
}

/** Chunk by chunk: a Response of the stream would hide why it fails. */
async function unpackPart(part: Uint8Array): Promise<BlobPart[]> {
  const stream = new Blob([part as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'));
  const reader = stream.getReader();
  const chunks: BlobPart[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    chunks.push(value);
  }
}

async function bytesOf(chunks: BlobPart[]): Promise<Uint8Array> {
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
