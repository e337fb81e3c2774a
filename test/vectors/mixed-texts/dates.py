"""The dates in ids, from public descriptions of their formats. Independent of shardbits: nothing of it was read or run.

python3 dates.py KIND SERVICE ID  writes the date of one id.
"""
import sys
from datetime import datetime, timedelta, timezone

CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'  # crockford.com/base32; ulid/spec; TypeID
SORTABLE = '234567abcdefghijklmnopqrstuvwxyz'  # atproto.com/specs/tid
BASE32HEX = '0123456789abcdefghijklmnopqrstuv'  # rs/xid
BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'  # segmentio/ksuid
BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'  # Instagram's shortcodes

# For each service: bits below the time, units of the time in a second, the epoch in these units, digits after the second.
SERVICES = {
    'twitter': (22, 1000, 1288834974657, 3),
    'discord': (22, 1000, 1420070400000, 3),
    'instagram': (23, 1000, 1314220021721, 3),
    'threads': (23, 1000, 1314220021721, 3),
    'mastodon': (16, 1000, 0, 3),
    'tiktok': (32, 1, 0, 0),
    'linkedin': (22, 1000, 0, 3),
    'atproto': (10, 1000000, 0, 6),
    'tidb': (18, 1000, 0, 3),
    'cockroachdb': (15, 100000, 1420070400 * 100000, 5),
    'tsid': (22, 1000, 1577836800000, 3),
    'hazelcast': (22, 1000, 1514764800000, 3),
    'sonyflake': (24, 100, 1409529600 * 100, 2),
}
WITHOUT_DATE = {'unknown', 'pinterest', 'weibo', 'facebook', 'steam'}
# Twitter counted up before 2010-11-04, and still does for the ids of old users and lists.
FIRST_SNOWFLAKE = {'twitter': 1 << 33}


def digits(text, alphabet):
    value = 0
    for character in text:
        value = value * len(alphabet) + alphabet.index(character)
    return value


def iso(seconds, fraction=0, places=0):
    text = (datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)).strftime('%Y-%m-%dT%H:%M:%S')
    return f'{text}.{fraction:0{places}d}Z' if places else f'{text}Z'


def date_of_number(value, service):
    """The date of a 64-bit id, or None if it has none."""
    if service in WITHOUT_DATE or value < FIRST_SNOWFLAKE.get(service, 0):
        return None
    shift, units, epoch, places = SERVICES[service]
    seconds, fraction = divmod((value >> shift) + epoch, units)
    return iso(seconds, fraction, places)


def number_of(kind, text):
    if kind == 'dec':
        return int(text.strip('"\'').replace(',', '').replace('_', '').replace(' ', ''))
    if kind == 'hex':
        return int(text, 16)
    if kind == 'base62':
        return digits(text, BASE62)
    if kind == 'crockford32':
        return digits(text.lower(), CROCKFORD)
    if kind == 'sortable32':
        return digits(text.lower(), SORTABLE)
    if kind == 'shortcode':  # of private posts the first 11 characters are the id
        return digits(text[:11], BASE64URL)
    raise ValueError(kind)


def date_of_uuid(value):
    if value >> 62 & 3 != 2:  # nil, max and UUIDs of other variants
        return None
    version = value >> 76 & 15
    if version == 7:
        seconds, fraction = divmod(value >> 80, 1000)
        return iso(seconds, fraction, 3)
    if version == 1:
        ticks = (value >> 64 & 0xFFF) << 48 | (value >> 80 & 0xFFFF) << 32 | value >> 96
    elif version == 6:
        ticks = value >> 80 << 12 | value >> 64 & 0xFFF
    else:
        return None
    seconds, fraction = divmod(ticks - 0x01B21DD213814000, 10000000)
    return iso(seconds, fraction, 7)


def date_of(kind, service, text):
    """The date of an id in ISO 8601, to the precision that the id has, or None."""
    if kind == 'uuid':
        return date_of_uuid(int(text.replace('-', ''), 16))
    if kind == 'typeid':
        return date_of_uuid(digits(text.rsplit('_', 1)[1], CROCKFORD))
    if kind == 'ulid':
        seconds, fraction = divmod(digits(text.lower(), CROCKFORD) >> 80, 1000)
        return iso(seconds, fraction, 3)
    if kind == 'objectid':
        return iso(int(text[:8], 16))
    if kind == 'ksuid':
        return iso((digits(text, BASE62) >> 128) + 1400000000)
    if kind == 'xid':
        return iso(digits(text[:7], BASE32HEX) >> 3)
    if kind == 'slack':
        return iso(int(text[1:-6]), int(text[-6:]), 6)
    return date_of_number(number_of(kind, text), service)


def date_of_rounded(service, text):
    """The part of the date that is the same for all numbers that may have been rounded to this one, or None."""
    mantissa, _, exponent = text.lower().replace(',', '').partition('e')
    whole, _, decimals = mantissa.partition('.')
    if exponent:
        power = int(exponent) - len(decimals)
        value, half = int(whole + decimals) * 10 ** power, 10 ** power // 2
    else:
        value = int(whole)
        zeros = len(whole) - len(whole.rstrip('0'))
        half = max(10 ** zeros // 2 if zeros > 1 else 0, 1 << max(value.bit_length() - 54, 0))
    first, last = date_of_number(value - half, service), date_of_number(value + half, service)
    if not first or not last:
        return None
    for end in (len(first), 19, 16, 13, 10, 7, 4):
        if first[:end] == last[:end]:
            return first if end == len(first) else f'{first[:end]}Z' if end == 19 else first[:end]
    return None


if __name__ == '__main__':
    print(date_of(*sys.argv[1:4]))
