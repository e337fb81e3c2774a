/** A signal that Ctrl-C gives, so that what is half-written can be taken away first. A second one kills. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  process.once('SIGTERM', () => controller.abort());
  return controller.signal;
}
