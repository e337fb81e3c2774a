"""Checks tuned.json and held-back.json: their form, that each id is in its text, and each date by dates.py.

python3 check.py
"""
import json
import re
from collections import Counter
from datetime import datetime
from pathlib import Path

from dates import SERVICES, WITHOUT_DATE, date_of, date_of_rounded

GROUPS = {'link': 20, 'alone': 20, 'log': 40, 'table': 40, 'list': 40, 'rounded': 15, 'prefixed': 15, 'none': 10}
KINDS = {
    'dec': r'-?[0-9][0-9,_]*(\.[0-9]+)?([eE]\+?[0-9]+)?',
    'hex': r'(0x)?[0-9a-fA-F]{1,16}',
    'base62': r'[0-9A-Za-z]{11}',
    'crockford32': r'[0-9A-HJKMNP-TV-Z]{13}',
    'sortable32': r'[2-7a-z]{13}',
    'shortcode': r'[-\w]{10,11}|[-\w]{39}',
    'uuid': r'[0-9a-fA-F]{8}(-?)[0-9a-fA-F]{4}\1[0-9a-fA-F]{4}\1[0-9a-fA-F]{4}\1[0-9a-fA-F]{12}',
    'ulid': r'[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-7][0-9a-hjkmnp-tv-z]{25}',
    'objectid': r'[0-9a-fA-F]{24}',
    'ksuid': r'[0-9A-Za-z]{27}',
    'xid': r'[0-9a-v]{19}[0g]',
    'typeid': r'[a-z_]+_[0-7][0-9a-hjkmnp-tv-z]{25}',
    'slack': r'p[0-9]{16}',
}
ENTRY = {'name', 'group', 'text', 'source', 'now', 'tokens', 'not'}
TOKEN = {'text', 'kind', 'service', 'perhaps', 'date', 'fact', 'unsure', 'rounded', 'mayDate'}


def places(part, text):
    start = text.find(part)
    while start >= 0:
        yield start, start + len(part)
        start = text.find(part, start + 1)


def is_instant(text):
    return datetime.fromisoformat(text.replace('Z', '+00:00')).tzinfo is not None


def check_token(token, text, now):
    assert set(token) <= TOKEN and {'text', 'kind', 'service', 'date', 'fact'} <= set(token)
    assert token['text'] in text
    assert re.fullmatch(KINDS[token['kind']], token['text'])
    assert token['service'] in SERVICES or token['service'] in WITHOUT_DATE or token['service'] == 'slack'
    assert isinstance(token['fact'], bool) and not (token['fact'] and token.get('unsure'))
    assert token['service'] != 'unknown' or token.get('perhaps') or token.get('unsure')
    if token.get('rounded'):
        date = date_of_rounded(token['service'], token['text'])
    else:
        date = date_of(token['kind'], token['service'], token['text'])
    assert token['date'] == date, (token['date'], date)
    assert date is None or '2006' < date <= now


def check(path):
    entries = json.loads(path.read_text())
    assert len(entries) == 100 and len({entry['name'] for entry in entries}) == 100
    for entry in entries:
        try:
            assert set(entry) <= ENTRY and ENTRY - {'now'} <= set(entry)
            now = entry.get('now', '2026-11-23T00:00:00Z')
            assert is_instant(now) and entry['source'] and entry['text']
            texts = [token['text'] for token in entry['tokens']]
            assert len(set(texts)) == len(texts) and not any(a != b and a in b for a in texts for b in texts)
            assert (entry['group'] == 'none') == (not texts)
            for token in entry['tokens']:
                check_token(token, entry['text'], now)
            for text in entry['not']:
                found = list(places(text, entry['text']))
                ids = [place for token in texts for place in places(token, entry['text'])]
                assert found and not any(a < d and c < b for a, b in found for c, d in ids), text
        except Exception as error:
            raise SystemExit(f'{path.name}, "{entry["name"]}": {error!r}')
    return entries


def main():
    folder = Path(__file__).parent
    halves = {path: check(folder / path) for path in ('tuned.json', 'held-back.json')}
    tuned, held = ({token['text'] for entry in entries for token in entry['tokens']} for entries in halves.values())
    assert not tuned & held, tuned & held
    groups = {path: Counter(entry['group'] for entry in entries) for path, entries in halves.items()}
    assert sum(groups.values(), Counter()) == GROUPS
    for path, entries in halves.items():
        tokens = [token for entry in entries for token in entry['tokens']]
        print(f'{path}: {len(entries)} texts, {len(tokens)} ids, {sum(token["fact"] for token in tokens)} of them facts,',
              f'{sum(token.get("unsure", False) for token in tokens)} unsure; {sum(len(e["not"]) for e in entries)} not ids')
        print(' ', dict(groups[path]))
        print(' ', dict(Counter(token['kind'] for token in tokens)))
        print(' ', dict(Counter(token['service'] for token in tokens)))


if __name__ == '__main__':
    main()
