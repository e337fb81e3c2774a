import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * What is typed over a value, until another value comes.
 * @param shown what is there before anything is typed
 */
export function useTyped<T>(shown: T, value: string): [T, (typed: T) => void] {
  const [typed, setTyped] = useState<{ readonly shown: T }>();
  useLayoutEffect(() => setTyped(undefined), [value]);
  return [typed === undefined ? shown : typed.shown, (next) => setTyped({ shown: next })];
}
