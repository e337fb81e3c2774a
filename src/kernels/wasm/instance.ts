import { type Core, startCore } from './exports.js';
import { WasmMemory } from './memory.js';

/** The part of a Node.js Buffer that is used here. */
interface UnitWriter {
  readonly buffer: ArrayBufferLike;
  write(text: string, offset: number, encoding: 'utf16le'): number;
}

/** A running core, with its globals read. */
export class WasmInstance {
  readonly memory: WasmMemory;
  readonly encoder = new TextEncoder();
  readonly pieceRows: number;
  readonly pieceBytes: number;
  readonly slot0: number;
  readonly slot1: number;
  readonly slot2: number;
  readonly slot3: number;
  readonly streamState: number;
  readonly digits: number;
  #textRoom: Uint8Array | undefined;
  #unitWriter: UnitWriter | undefined;
  #scratch: BigUint64Array | undefined;

  constructor(readonly core: Core) {
    this.memory = new WasmMemory(core.memory, core.HEAP.value);
    this.pieceRows = core.PIECE_ROWS.value;
    this.pieceBytes = core.PIECE_BYTES.value;
    this.slot0 = core.SLOT_0.value;
    this.slot1 = core.SLOT_1.value;
    this.slot2 = core.SLOT_2.value;
    this.slot3 = core.SLOT_3.value;
    this.streamState = core.STREAM_STATE.value;
    this.digits = core.DIGITS.value;
  }

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
export function running(core: () => Core = startCore): WasmInstance {
  instance ??= new WasmInstance(core());
  return instance;
}
