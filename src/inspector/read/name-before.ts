const MOST_NAME = 64;
const MOST_BETWEEN = 8;

/** Between a name and its value: `user_id=`, `"user_id": "`, `user <@`, `status/`, `msg_`. */
const BETWEEN = classOf(' \t"\'`\\<@!#&([{=:>/_-');
const IN_NAMES = classOf('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-');
const EQUALS = 0x3d;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;

function classOf(characters: string): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const character of characters) bytes[character.charCodeAt(0)] = 1;
  return bytes;
}

/** Where a name lies, and whether `=` or `:` follows it. */
export interface Name {
  readonly start: number;
  readonly end: number;
  readonly isAssigned: boolean;
}

/** The name before a value that begins at `start`, in a line that begins at `lineStart`. */
export function nameBefore(data: Uint8Array, lineStart: number, start: number): Name | undefined {
  const end = endOfName(data, lineStart, start);
  const isAssigned = hasAssignment(data, end, start);
  const first = Math.max(lineStart, end - MOST_NAME);
  let at = end;
  let hasLetter = false;
  for (; at > first && IN_NAMES[data[at - 1] as number] === 1; at--) hasLetter ||= (data[at - 1] as number) > NINE;
  while (at < end && (data[at] as number) < ZERO) at++; // the dashes of --user-id=
  return hasLetter && end < start ? { start: at, end, isAssigned } : undefined;
}

function endOfName(data: Uint8Array, lineStart: number, start: number): number {
  const least = Math.max(lineStart, start - MOST_BETWEEN);
  let end = start;
  while (end > least && BETWEEN[data[end - 1] as number] === 1) end--;
  return end;
}

function hasAssignment(data: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (data[at] === EQUALS || data[at] === COLON) return true;
  return false;
}

const NAMES_OF_IDS = /(?:^|[_.-])ids?$|I[dD]s?$|[Ss]nowflake$/;
const D = 0x64;
const S = 0x73;
const E = 0x65;

/** Whether what begins at `start` is said to be an id: `id=5`, `"userId": 5`. */
export function isNamedId(data: Uint8Array, lineStart: number, start: number): boolean {
  const end = endOfName(data, lineStart, start);
  if (end === lineStart || !hasAssignment(data, end, start)) return false;
  const last = (data[end - 1] as number) | 0x20;
  if (last !== D && last !== S && last !== E) return false; // most names, without making a text of them
  const name = nameBefore(data, lineStart, start);
  return name !== undefined && NAMES_OF_IDS.test(String.fromCharCode(...data.subarray(name.start, name.end)));
}

export function sameBytes(data: Uint8Array, start: number, end: number, other: Uint8Array): boolean {
  if (end - start !== other.length) return false;
  for (let i = 0; i < other.length; i++) if (data[start + i] !== other[i]) return false;
  return true;
}
