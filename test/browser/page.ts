export type Api = typeof import('../../src/index.js');

/**
 * The library, fresh, in a page of its own.
 * @param allowed what its Content-Security-Policy allows beside scripts of its origin
 * @param first a script that runs before the library is there
 */
export async function page(allowed: string, first = ''): Promise<Api> {
  const source = new URL('../../src/index.ts', import.meta.url).pathname;
  const frame = document.createElement('iframe');
  const loaded = new Promise<Api>((resolve) => Object.assign(globalThis, { shardbitsLoaded: resolve }));
  frame.srcdoc = `
    <meta http-equiv="Content-Security-Policy" content="script-src 'self' 'nonce-here' ${allowed}">
    <script nonce="here">${first}</script>
    <script type="module" nonce="here">parent.shardbitsLoaded(await import('${source}'))</script>`;
  document.body.append(frame);
  return loaded;
}
