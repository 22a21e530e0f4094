import { afterEach, expect, test } from 'vitest';
import { spokenLanguage } from '../api/language';
import { headerTexts } from '../texts/shell';
import { languageOf, speak } from './language';

afterEach(() => speak('ru'));

test('the language is the one of its cookie, Russian without one', () => {
  expect(languageOf('')).toBe('ru');
  expect(languageOf('a=1; lang=kk')).toBe('kk');
  expect(languageOf('lang=kk; b=2')).toBe('kk');
  expect(languageOf('lang=en')).toBe('ru');
  expect(languageOf('slang=kk')).toBe('ru');
});

test('the texts and the document speak the language that was asked for', async () => {
  await speak('kk');
  expect([headerTexts.search, spokenLanguage(), document.documentElement.lang]).toEqual([
    'Іздеу',
    'kk',
    'kk',
  ]);
  await speak('ru');
  expect([headerTexts.search, spokenLanguage(), document.documentElement.lang]).toEqual([
    'Поиск',
    'ru',
    'ru',
  ]);
});
