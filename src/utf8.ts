let made: TextEncoder | undefined;

/** The encoder, made when it is first needed: pages of jsdom, as in Jest, have none, and get that of Node. */
export function encoder(): TextEncoder {
  made ??= new (globalThis.TextEncoder ?? globalThis.process.getBuiltinModule('util').TextEncoder)();
  return made;
}
