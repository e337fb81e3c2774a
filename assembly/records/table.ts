// Rows of values as text: numbers, dates and hashes between fixed texts; and such dates read.

import { eightDigits, TEN_8, ZEROS } from '../digits';
import { copy, copyText, ZERO } from './bytes';

// The kinds of columns, and how they are written.
const U64: u32 = 0; // u64 in decimal
const U32: u32 = 1; // u32 in decimal
const HEX: u32 = 2; // u64 in 16 digits of hexadecimal
const MS: u32 = 3; // f64 in decimal, with up to three decimals: |ms| <= 2^53
const DATE: u32 = 4; // f64, Unix milliseconds, as an ISO 8601 date; nothing for a time that a Date cannot hold
const DATE_IF_ANY: u32 = 5; // the same, but without a date the texts around it are left out, too
const TEXT: u32 = 6; // u32, the index of a text

const COLUMN_BYTES: usize = 24;
const MAX_DATE: f64 = 8.64e15;
const DAY: f64 = 86400000;
// Days from 0000-03-01 to 1970-01-01, and in 400 years.
const DAYS_TO_1970: i32 = 719468;
const DAYS_IN_ERA: i32 = 146097;

// The day that was written last. A column usually has few days.
let lastDay: f64 = NaN;
let lastYear: i32 = 0;
let lastMonthAndDay: u64 = 0; // "-MM-DDT" and the number of its digits, as they are stored

// Writes rows of `count` columns. Each has a descriptor of six u32s: its kind, the address of its values, the address and the
// length of the text before a value, and those of the text after it. One more descriptor has the end of a row as its text
// before. A column of texts has other last four numbers: the address of all texts, 0, the address of their offsets, 0. Row i is
// text + offsets[i] .. text + offsets[i + 1]. A value other than a text takes at most 28 bytes. Reads and writes up to 15 bytes
// more.
export function tableRows(columns: usize, count: u32, rows: u32, text: usize, offsets: usize): void {
  const last = columns + (<usize>count) * COLUMN_BYTES;
  let to = text;
  store<u32>(offsets, 0);
  for (let row: usize = 0; row < rows; row++) {
    for (let column = columns; column != last; column += COLUMN_BYTES) {
      const kind = load<u32>(column);
      const values = <usize>load<u32>(column, 4);
      if (kind == DATE_IF_ANY && !isDate(load<f64>(values + (row << 3)))) continue;
      to = copy(load<u32>(column, 8), load<u32>(column, 12), to);
      if (kind == U64) to = writeU64(to, load<u64>(values + (row << 3)));
      else if (kind == U32) to = writeU64(to, load<u32>(values + (row << 2)));
      else if (kind == HEX) to = writeHex(to, load<u64>(values + (row << 3)));
      else if (kind == TEXT) to = copyText(load<u32>(column, 8), load<u32>(column, 16), load<u32>(values + (row << 2)), to);
      else if (kind == MS) to = writeMs(to, load<f64>(values + (row << 3)));
      else to = writeDate(to, load<f64>(values + (row << 3)));
      to = copy(load<u32>(column, 16), load<u32>(column, 20), to);
    }
    to = copy(load<u32>(last, 8), load<u32>(last, 12), to);
    store<u32>(offsets + (row << 2), <u32>(to - text), 4);
  }
}

// Writes a number below 10^8 without leading zeros; stores eight bytes.
@inline
function writeShort(to: usize, value: u64): usize {
  const digits = eightDigits(value);
  const zeros = value == 0 ? 7 : ctz(digits ^ ZEROS) >> 3;
  store<u64>(to, digits >> (zeros << 3));
  return to + 8 - <usize>zeros;
}

export function writeU64(to: usize, value: u64): usize {
  if (value < TEN_8) return writeShort(to, value);
  const high = value / TEN_8;
  const end = (high < TEN_8 ? writeShort(to, high) : writeU64(to, high)) + 8;
  store<u64>(end - 8, eightDigits(value - high * TEN_8));
  return end;
}

// Turns sixteen half-bytes into bytes, and those into digits or letters.
function writeHex(to: usize, value: u64): usize {
  const bytes = i64x2.splat(bswap(value));
  const low = v128.and(bytes, i8x16.splat(15));
  const high = v128.and(i16x8.shr_u(bytes, 4), i8x16.splat(15));
  const digits = v128.shuffle<u8>(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const letters = v128.and(i8x16.gt_s(digits, i8x16.splat(9)), i8x16.splat(39)); // 'a' - '9' - 1
  v128.store(to, i8x16.add(i8x16.add(digits, i8x16.splat(ZERO)), letters));
  return to + 16;
}

function writeMs(to: usize, value: f64): usize {
  if (value < 0) store<u8>(to++, 0x2d);
  const ms = Math.abs(value);
  const whole = Math.floor(ms);
  to = writeU64(to, <u64>whole);
  if (ms != whole) {
    const thousandths = <u32>Math.floor((ms - whole) * 1000 + 0.5);
    store<u8>(to++, 0x2e);
    store<u64>(to, eightDigits(thousandths) >> 40);
    to += 3;
    while (load<u8>(to - 1) == ZERO) to--;
  }
  return to;
}

@inline
function isDate(ms: f64): bool {
  return ms >= -MAX_DATE && ms <= MAX_DATE;
}

function writeDate(to: usize, ms: f64): usize {
  if (!isDate(ms)) return to;
  const whole = Math.floor(ms);
  const day = Math.floor(whole / DAY); // exact for all times that a Date can hold
  if (day != lastDay) setDay(day);
  const year = lastYear;
  if (year >= 0 && year < 10000) {
    store<u32>(to, <u32>(eightDigits(<u64>year) >> 32));
    to += 4;
  } else {
    store<u8>(to, year < 0 ? 0x2d : 0x2b);
    store<u64>(to, eightDigits(<u64>(year < 0 ? -year : year)) >> 16, 1);
    to += 7;
  }
  store<u64>(to, lastMonthAndDay);
  // HH:MM:SS.mmmZ
  const time = <u32>(whole - day * DAY);
  const seconds = time / 1000;
  const minutes = seconds / 60;
  const hours = minutes / 60;
  const digits = eightDigits(<u64>hours * 1000000 + <u64>(minutes - hours * 60) * 10000 + <u64>(seconds - minutes * 60) * 100);
  store<u16>(to, <u16>digits, 7);
  store<u8>(to, 0x3a, 9);
  store<u16>(to, <u16>(digits >> 16), 10);
  store<u8>(to, 0x3a, 12);
  store<u16>(to, <u16>(digits >> 32), 13);
  store<u8>(to, 0x2e, 15);
  store<u32>(to, <u32>(eightDigits(<u64>(time - seconds * 1000)) >> 40) | 0x5a000000, 16);
  return to + 20;
}

// Works with eras of 400 years, which begin in March, so that a leap day is the last of its year.
function setDay(day: f64): void {
  lastDay = day;
  const days = <i32>day + DAYS_TO_1970;
  const era = (days >= 0 ? days : days - DAYS_IN_ERA + 1) / DAYS_IN_ERA;
  const ofEra = days - era * DAYS_IN_ERA;
  const yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365;
  const ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const month = (5 * ofYear + 2) / 153; // from March
  const dayOfMonth = ofYear - (153 * month + 2) / 5 + 1;
  lastYear = yearOfEra + era * 400 + i32(month >= 10);
  const digits = eightDigits(<u64>((month < 10 ? month + 3 : month - 9) * 100 + dayOfMonth)) >> 32;
  lastMonthAndDay =
    0x2d | ((digits & 0xffff) << 8) | 0x2d000000 | ((digits >> 16) << 32) | ((<u64>0x54) << 48); // "-MM-DDT"
}

const WITH_SECONDS: u32 = 20; // YYYY-MM-DDTHH:MM:SSZ
const WITH_MS: u32 = 24; // YYYY-MM-DDTHH:MM:SS.mmmZ

// Returns the first row that is not an existing date in one of these two forms, or `rows`.
export function parseDates(data: usize, starts: usize, ends: usize, values: usize, rows: u32): u32 {
  for (let row: u32 = 0; row < rows; row++) {
    const place = (<usize>row) << 2;
    const start = load<u32>(starts + place);
    const byteLength = load<u32>(ends + place) - start;
    const at = data + start;
    if (byteLength != WITH_SECONDS && byteLength != WITH_MS) return row;
    if (load<u8>(at, 4) != 0x2d || load<u8>(at, 7) != 0x2d || load<u8>(at, 10) != 0x54) return row;
    if (load<u8>(at, 13) != 0x3a || load<u8>(at, 16) != 0x3a || load<u8>(at + byteLength - 1) != 0x5a) return row;
    if (byteLength == WITH_MS && load<u8>(at, 19) != 0x2e) return row;
    const year = twoDigits(at) * 100 + twoDigits(at + 2);
    const month = twoDigits(at + 5);
    const day = twoDigits(at + 8);
    const hour = twoDigits(at + 11);
    const minute = twoDigits(at + 14);
    const second = twoDigits(at + 17);
    const ms = byteLength == WITH_MS ? digit(at + 20) * 100 + twoDigits(at + 21) : 0;
    if (year >= 10000 || month - 1 >= 12 || day - 1 >= daysIn(month, year)) return row;
    if (hour >= 24 || minute >= 60 || second >= 60 || ms >= 1000) return row;
    const days = daysBefore(year, month) + <i32>day - 1;
    store<f64>(values + (place << 1), <f64>days * DAY + <f64>(((hour * 60 + minute) * 60 + second) * 1000 + ms));
  }
  return rows;
}

// Reads digits. If a byte is not a digit, the result is larger than any allowed value.
@inline
function twoDigits(at: usize): u32 {
  return digit(at) * 10 + digit(at + 1);
}

@inline
function digit(at: usize): u32 {
  const value = <u32>(load<u8>(at) - ZERO);
  return value < 10 ? value : 100000;
}

function daysIn(month: u32, year: u32): u32 {
  if (month == 2) return 28 + u32(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
  return 30 + ((month + (month >> 3)) & 1);
}

// Days from 1970-01-01 to the first of a month: by eras of 400 years, which begin in March.
function daysBefore(year: u32, month: u32): i32 {
  const years = <i32>year - i32(month <= 2);
  const era = (years >= 0 ? years : years - 399) / 400;
  const ofEra = years - era * 400;
  const ofYear = (153 * (<i32>month + (month > 2 ? -3 : 9)) + 2) / 5;
  return era * DAYS_IN_ERA + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - DAYS_TO_1970;
}
