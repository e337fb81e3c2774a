// Reads the dates that table.ts writes as Unix milliseconds.

import { ZERO } from './bytes';

export const DAY: f64 = 86400000;
// Days from 0000-03-01 to 1970-01-01, and in 400 years.
export const DAYS_TO_1970: i32 = 719468;
export const DAYS_IN_ERA: i32 = 146097;

const WITH_SECONDS: u32 = 20; // YYYY-MM-DDTHH:MM:SSZ
const WITH_MS: u32 = 24; // YYYY-MM-DDTHH:MM:SS.mmmZ

// Reads rows of dates in UTC as f64s. Returns the first row that is not an existing date in one of these two forms, or `rows`.
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
