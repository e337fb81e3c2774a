import { CompileBlockedError } from '../../errors.js';
import { CORE_VERSION, CORE_WASM, type CoreExports } from './core.generated.js';
import { WasmMemory } from './memory.js';

/**
 * The code of an embedded module. It is in hexadecimal, because compressors then see whole bytes: the core takes 5.4 KB of
 * gzip, and 7.0 in base64.
 * @param wasm the text; in workerd, which compiles modules only before a program runs, the compiled module
 */
export function embedded(wasm: string | WebAssembly.Module): Uint8Array<ArrayBuffer> | WebAssembly.Module {
  if (typeof wasm !== 'string') return wasm;
  const { Buffer } = globalThis as { Buffer?: { from(text: string, encoding: 'hex'): Uint8Array<ArrayBuffer> } };
  if (Buffer !== undefined) return Buffer.from(wasm, 'hex'); // in Node, Bun and Deno; saves 1 ms
  return Uint8Array.from(wasm.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** Compiles an embedded module, which takes a millisecond or two. */
export function compiled(wasm: string | WebAssembly.Module): WebAssembly.Module {
  const code = embedded(wasm);
  return code instanceof Uint8Array ? new WebAssembly.Module(code) : code;
}

/** The embedded core. */
export const coreCode = () => embedded(CORE_WASM);

/**
 * Starts a core.
 * @param module a compiled core; by default the embedded one
 * @throws CompileBlockedError if WebAssembly is missing or forbidden, or cannot get memory
 */
export function startCore(module?: WebAssembly.Module): CoreExports {
  try {
    return coreOf(new WebAssembly.Instance(module ?? compiled(CORE_WASM)));
  } catch (cause) {
    throw new CompileBlockedError(cause);
  }
}

/** Like {@link startCore}, but never compiles on the calling thread: Chromium did not allow that to pages until 2023. */
export async function loadCore(module: WebAssembly.Module): Promise<CoreExports> {
  try {
    return coreOf(await WebAssembly.instantiate(module));
  } catch (cause) {
    throw new CompileBlockedError(cause);
  }
}

/** Uses the exports directly: the loader's wrappers take 4 ns a call, and 0.3 of the 3 ms of a first hash. */
function coreOf({ exports }: WebAssembly.Instance): CoreExports {
  return exports as CoreExports;
}

/** Whether a module is the core of this version of the package: assembly/build.mjs adds a section that says so. */
export function isCore(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.customSections(module, CORE_VERSION).length > 0;
}

/** The part of a Node.js Buffer that is used here. */
interface UnitWriter {
  readonly buffer: ArrayBufferLike;
  write(text: string, offset: number, encoding: 'utf16le'): number;
}

/** A running core, with its globals read. */
class WasmInstance {
  readonly memory = new WasmMemory(this.core.memory, this.core.HEAP.value);
  readonly encoder = new TextEncoder();
  readonly pieceRows = this.core.PIECE_ROWS.value;
  readonly pieceBytes = this.core.PIECE_BYTES.value;
  readonly slot0 = this.core.SLOT_0.value;
  readonly slot1 = this.core.SLOT_1.value;
  readonly slot2 = this.core.SLOT_2.value;
  readonly slot3 = this.core.SLOT_3.value;
  readonly streamState = this.core.STREAM_STATE.value;
  readonly digits = this.core.DIGITS.value;
  #textRoom: Uint8Array | undefined;
  #unitWriter: UnitWriter | undefined;
  #scratch: BigUint64Array | undefined;

  constructor(readonly core: CoreExports) {}

  /** A view of slot 3, for encoded text. */
  textRoom(): Uint8Array {
    // The view has a length of 0 after memory has grown.
    if (!this.#textRoom?.length) this.#textRoom = new Uint8Array(this.memory.buffer, this.slot3, this.pieceBytes);
    return this.#textRoom;
  }

  /** Writes a text as UTF-16, in bulk if there is a Buffer (in Node, Bun and Deno). */
  writeUnits(text: string, address: number): void {
    const { buffer, views } = this.memory;
    if (this.#unitWriter?.buffer !== buffer) {
      const { Buffer } = globalThis as { Buffer?: { from(memory: ArrayBufferLike): UnitWriter } };
      this.#unitWriter = Buffer?.from(buffer);
    }
    if (this.#unitWriter) this.#unitWriter.write(text, address, 'utf16le');
    else for (let i = 0; i < text.length; i++) views.u16[address / 2 + i] = text.charCodeAt(i);
  }

  scratch(): BigUint64Array {
    if (!this.#scratch?.length) {
      this.#scratch = new BigUint64Array(this.memory.buffer, this.core.SCRATCH.value, this.pieceRows);
    }
    return this.#scratch;
  }
}

let instance: WasmInstance | undefined;

/**
 * The running core. The first call starts it and keeps it running, because resident columns live in its memory.
 * @param core starts the core; by default the embedded one is compiled
 * @throws CompileBlockedError if WebAssembly is missing or forbidden
 */
export function wasmInstance(core: () => CoreExports = startCore): WasmInstance {
  instance ??= new WasmInstance(core());
  return instance;
}
