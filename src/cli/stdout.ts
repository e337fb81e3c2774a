/** Writes to standard output. Resolves when all is written. Then the bytes may change. Rejects if the write fails. */
export function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
