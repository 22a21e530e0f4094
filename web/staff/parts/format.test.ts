import { afterEach, beforeEach, expect, test } from 'vitest';
import { speak } from '../language';
import { countTexts } from '../texts/ru';
import { bytes, count, duration, exact, moment, money, monthOf, percent, rate, short } from './format';

beforeEach(() => speak('en'));
afterEach(() => speak('ru'));

test('numbers are grouped and have their units', () => {
  expect(count(1_234_567)).toBe('1,234,567');
  expect([countTexts.events(1), countTexts.events(1_000)]).toEqual(['1 event', '1,000 events']);
  expect([rate(0.42), rate(12), rate(91_240)]).toEqual(['0.4', '12', '91,240']);
  expect([percent(0.634), percent(0.9973, 1)]).toEqual(['63 %', '99.7 %']);
  expect([bytes(812), bytes(4_300), bytes(812_345_678)]).toEqual(['812 B', '4.2 KB', '775 MB']);
});

test('durations say two units at most', () => {
  expect([0, 0.0042, 1.23, 59.4, 185, 3_600, 7_800, 270_000].map(duration)).toEqual([
    '0 s',
    '4.2 ms',
    '1.2 s',
    '59 s',
    '3 min 5 s',
    '1 h',
    '2 h 10 min',
    '3 d 3 h',
  ]);
});

test('a moment names its day unless that is today, and its exact value keeps what the server said', () => {
  const now = new Date(2026, 10, 21, 21, 30);
  const at = (...parts: [number, number, number, number, number, number]) =>
    moment(new Date(...parts).toISOString(), now);
  expect(at(2026, 10, 21, 9, 5, 7)).toBe('09:05:07');
  expect(at(2026, 10, 20, 9, 5, 7)).toBe('20 Nov 09:05:07');
  expect(at(2025, 10, 20, 9, 5, 7)).toBe('20 Nov 2025 09:05:07');
  expect(moment('nonsense', now)).toBe('—');
  expect(exact('2026-11-21T10:00:00.123456Z')).toContain('(2026-11-21T10:00:00.123456Z)');
});

test('numbers, units and dates follow the language', async () => {
  const now = new Date(2026, 10, 21, 21, 30);
  const said = () => [
    count(1_234_567),
    money(15_000),
    countTexts.events(1_002),
    percent(0.9973, 1),
    duration(7_800),
    bytes(4_300),
    moment(new Date(2026, 10, 20, 9, 5, 7).toISOString(), now),
  ];
  await speak('ru');
  expect(said().map((one) => one.replaceAll('\u00a0', ' '))).toEqual([
    '1 234 567',
    '15 000 ₸',
    '1 002 события',
    '99,7 %',
    '2 ч 10 мин',
    '4,2 КБ',
    '20 нояб. 09:05:07',
  ]);
  await speak('kk');
  expect(said().map((one) => one.replaceAll('\u00a0', ' '))).toEqual([
    '1 234 567',
    '15 000 ₸',
    '1 002 оқиға',
    '99,7 %',
    '2 сағ 10 мин',
    '4,2 КБ',
    '20 қар. 09:05:07',
  ]);
  expect([monthOf(Date.UTC(2026, 0)), short(120_000)].map((one) => one.replaceAll('\u00a0', ' '))).toEqual([
    'қаң. 2026',
    '120 мың',
  ]);
});
