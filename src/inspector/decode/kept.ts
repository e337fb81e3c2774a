/** A result that is kept until what it depends on is something else. */
export class Kept<R> {
  #last: { readonly key: readonly unknown[]; readonly result: R } | undefined;

  of(key: readonly unknown[], compute: () => R): R {
    const last = this.#last;
    if (last?.key.every((part, i) => part === key[i])) return last.result;
    this.#last = undefined; // so that the old columns can go before there are new ones
    const result = compute();
    this.#last = { key, result };
    return result;
  }
}
