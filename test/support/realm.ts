/** Runs a script in another realm, which has its own classes: another context of Node.js, or a frame of a page. */
export const inAnotherRealm: (script: string) => unknown =
  'document' in globalThis ? inFrame : (await import('node:vm')).runInNewContext;

function inFrame(script: string): unknown {
  const frame = document.body.appendChild(document.createElement('iframe'));
  return (frame.contentWindow as unknown as { eval(script: string): unknown }).eval(script);
}
