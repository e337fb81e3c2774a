import type { Store } from '../../src/registry/index.js';

/** A store with some of its calls replaced. */
export function overriding(store: Store, calls: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const own = target[name];
      return calls[name] ?? (typeof own === 'function' ? own.bind(target) : own);
    },
  });
}
