import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { dataWords } from './analytics/texts/data-ru';
import { reportWords } from './analytics/texts/reports-ru';
import { languageKey, rememberedLanguage, speak } from './language';
import { open } from './operations/testing/open';
import { english } from './texts/en';
import { kazakh } from './texts/kk';

beforeEach(async () => {
  localStorage.clear();
  await speak('ru');
});

test('a browser that chose no language is spoken to in Russian', async () => {
  open('/ops/projections', {});
  expect(await screen.findByRole('heading', { name: 'Проекции' })).toBeDefined();
  expect(document.documentElement.lang).toBe('ru');
  await waitFor(() => expect(document.title).toBe('Проекции — Система'));
  expect(rememberedLanguage()).toBe('ru');
});

test('the switch changes every text at once, and is remembered', async () => {
  const { user } = open('/ops/projections', {});
  await user.click(await screen.findByRole('button', { name: 'Қаз' }));
  expect(await screen.findByRole('heading', { name: 'Проекциялар' })).toBeDefined();
  expect(screen.getByRole('button', { name: 'Шығу' })).toBeDefined();
  expect(document.documentElement.lang).toBe('kk');
  await user.click(screen.getByRole('button', { name: 'Eng' }));
  expect(await screen.findByRole('heading', { name: 'Projections' })).toBeDefined();
  await waitFor(() => expect(document.title).toBe('Projections — Operations'));
  expect(document.documentElement.lang).toBe('en');
  expect(localStorage.getItem(languageKey)).toBe('en');
  expect(rememberedLanguage()).toBe('en');
});

test('the strip of a test bank is in the language of the app, behind the sign-in and before it', async () => {
  document.body.insertAdjacentHTML(
    'afterbegin',
    '<aside class="test-bank" lang="ru" aria-label="Тестовый банк">Тестовый банк</aside>',
  );
  const strip = document.querySelector('.test-bank');
  const { user, unmount } = open('/ops/projections', {});
  await user.click(await screen.findByRole('button', { name: 'Eng' }));
  expect(await screen.findByText(/^Test bank: no money is taken/)).toBe(strip);
  expect(strip?.getAttribute('lang')).toBe('en');
  expect(strip?.getAttribute('aria-label')).toBe('Test bank');
  unmount();
  open('/ops/projections', {}, null);
  await user.click(await screen.findByRole('button', { name: 'Қаз' }));
  expect(await screen.findByText(/^Сынақ банкі: ақша алынбайды/)).toBe(strip);
  strip?.remove();
});

test('what reports and data sets say is there in Russian and in Kazakh alike', () => {
  const names = (words: unknown) => flat(words).map(([path]) => path);
  expect(names(kazakh.reportWords)).toEqual(names(reportWords));
  expect(names(kazakh.dataWords)).toEqual(names(dataWords));
});

test('a language that nobody speaks is Russian', () => {
  localStorage.setItem(languageKey, 'de');
  expect(rememberedLanguage()).toBe('ru');
});

/** Every text by its path. */
const flat = (value: unknown, path = ''): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, one]) => flat(one, path ? `${path}.${key}` : key))
    : [[path, value]];

test('Kazakh and English have the same texts, of the same kinds', () => {
  // What reports and data sets say comes from the server in English.
  const kinds = ({ reportWords: _, dataWords: __, ...catalogue }: Record<string, unknown>) =>
    flat(catalogue)
      .map(([path, value]) => `${path}: ${typeof value}`)
      .sort();
  expect(kinds(kazakh)).toEqual(kinds(english));
});
