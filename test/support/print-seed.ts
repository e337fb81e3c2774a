/** Prints the seed of all random data, once for each run. */
export default function setup(): void {
  console.log(`seed of all random data: ${process.env.SEED ?? '20231101'} (SEED=… for another)`);
}
