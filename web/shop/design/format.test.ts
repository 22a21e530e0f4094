import { expect, test } from 'vitest';
import { plural } from '../../kit/texts/plural';
import { firstSentences, formatAmount, formatDate, formatMoney, formatRating, formatTime } from './format';

test('amounts have a no-break space between thousands', () => {
  expect(formatAmount(0)).toBe('0');
  expect(formatAmount(999)).toBe('999');
  expect(formatAmount(1900)).toBe('1\u00a0900');
  expect(formatAmount(1234567)).toBe('1\u00a0234\u00a0567');
  expect(formatMoney(15000)).toBe('15\u00a0000\u00a0₸');
});

test('an amount below zero has a true minus', () => {
  expect(formatAmount(-2134)).toBe('−2\u00a0134');
});

test('a date is that of the shop, five hours ahead', () => {
  expect(formatDate('2026-01-31T18:59:59Z')).toBe('31.01.2026');
  expect(formatDate('2026-01-31T19:00:00Z')).toBe('01.02.2026');
  expect(formatTime('2026-01-31T19:05:59Z')).toBe('00:05');
});

test('a rating has a decimal comma, and none without need', () => {
  expect(formatRating(4.8)).toBe('4,8');
  expect(formatRating(5)).toBe('5');
});

test.each([
  [1, 'отзыв'],
  [2, 'отзыва'],
  [5, 'отзывов'],
  [11, 'отзывов'],
  [21, 'отзыв'],
  [112, 'отзывов'],
  [104, 'отзыва'],
])('%d %s', (count, word) => {
  expect(plural(count, 'отзыв', 'отзыва', 'отзывов')).toBe(word);
});

test('the first sentences of a text', () => {
  expect(firstSentences('Один. Два! Три? Четыре.', 3)).toEqual({ head: 'Один. Два! Три?', cut: true });
  expect(firstSentences('Одно предложение без точки', 3)).toEqual({
    head: 'Одно предложение без точки',
    cut: false,
  });
  expect(firstSentences('', 3)).toEqual({ head: '', cut: false });
});
