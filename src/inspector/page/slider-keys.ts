/** Where a key moves a slider to, which may be beyond its ends; undefined: it is another key. */
export function steppedBy(key: string, at: number, page: number, first: number, last: number): number | undefined {
  const targets: { [key: string]: number } = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - page,
    PageUp: at + page,
    Home: first,
    End: last,
  };
  return targets[key];
}
