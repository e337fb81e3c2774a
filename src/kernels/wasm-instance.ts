import type { ColumnType } from './contract.js';
import type { Core } from './core.js';
import { WasmMemory } from './wasm-memory.js';

/** Texts encoded one by one lie this far apart. */
export const APART_BYTES = 4096;

/** A running core, with its globals read and its kernels by element type. */
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
  readonly pack: Record<ColumnType, Core['packU64']>;
  readonly unpack: Record<ColumnType, Core['unpackU64']>;
  readonly firstOutside: Record<ColumnType, Core['firstOutsideU64']>;
  #textRoom: Uint8Array | undefined;
  #textRooms: readonly Uint8Array[] = [];
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
    const { packU8, packU16, packU32, packF64, packU64 } = core;
    this.pack = { u8: packU8, u16: packU16, u32: packU32, f64: packF64, u64: packU64 };
    const { unpackU8, unpackU16, unpackU32, unpackF64, unpackU64 } = core;
    this.unpack = { u8: unpackU8, u16: unpackU16, u32: unpackU32, f64: unpackF64, u64: unpackU64 };
    const { firstOutsideU8, firstOutsideU16, firstOutsideU32, firstOutsideF64, firstOutsideU64 } = core;
    this.firstOutside = {
      u8: firstOutsideU8,
      u16: firstOutsideU16,
      u32: firstOutsideU32,
      f64: firstOutsideF64,
      u64: firstOutsideU64,
    };
  }

  /** Slot 3 as a view to encode text into. */
  textRoom(): Uint8Array {
    const { u8 } = this.memory.views;
    if (this.#textRoom?.buffer !== u8.buffer) {
      this.#textRoom = u8.subarray(this.slot3, this.slot3 + this.pieceBytes);
    }
    return this.#textRoom;
  }

  /** Slot 3 as many small views, {@link APART_BYTES} each. */
  textRooms(): readonly Uint8Array[] {
    const room = this.textRoom();
    if (this.#textRooms[0]?.buffer !== room.buffer) {
      const count = this.pieceBytes / APART_BYTES;
      this.#textRooms = Array.from({ length: count }, (_, i) => room.subarray(i * APART_BYTES, (i + 1) * APART_BYTES));
    }
    return this.#textRooms;
  }

  scratch(): BigUint64Array {
    const { u64 } = this.memory.views;
    if (this.#scratch?.buffer !== u64.buffer) {
      const from = this.core.SCRATCH.value / 8;
      this.#scratch = u64.subarray(from, from + this.pieceRows);
    }
    return this.#scratch;
  }
}
