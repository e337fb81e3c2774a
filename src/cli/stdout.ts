/** Writes to standard output and waits until it is taken: a failure is not lost, and bytes may change then. */
export function print(text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
