import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderPart } from '../testing/render';
import { homeTexts } from '../texts/home';
import Home from './home';

const nothing = { ...recorded.products, count: 0, results: [] };
const routes = {
  'GET /api/products/popular/': recorded.products,
  'GET /api/products/': recorded.products,
  'GET /api/categories/': recorded.categories,
  'GET /api/brands/': recorded.brands,
  'GET /api/content/home/': recorded.home,
};
const headings = () => screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent);

test('the sections come in their order', async () => {
  serve(routes);
  renderPart(<Home />);
  await screen.findByRole('heading', { name: 'Новинки' });
  expect(headings()).toEqual([
    'Три вещи, которые мы проверяем',
    'Популярное',
    'Категории',
    'Бренды',
    'Новинки',
    'Органика, доступная так же, как в Европе',
  ]);
  const brands = within(screen.getByRole('list', { name: 'Бренды' }));
  expect(brands.getByRole('link', { name: 'Kalm' }).getAttribute('href')).toBe('/brands/kalm');
  expect(document.getElementById('advantages')).toBeTruthy();
});

test('the points are what staff wrote: the text before the first heading is their title', async () => {
  const advantages = {
    name: 'advantages',
    text: ['<p>Почему <em>мы</em> &amp; сад</p>', '<h2>Чай</h2>\n<p>Даром</p>'],
    text_kk: [],
  };
  serve({ ...routes, 'GET /api/content/home/': { ...recorded.home, advantages } });
  renderPart(<Home />);
  const part = within(await screen.findByRole('region', { name: 'Почему мы & сад' }));
  expect(part.getByRole('heading', { level: 3, name: 'Чай' })).toBeTruthy();
  expect(part.getAllByRole('listitem')).toHaveLength(1);
  expect(part.getByText('Даром')).toBeTruthy();
});

test('without new arrivals there is no row of them', async () => {
  serve({ ...routes, 'GET /api/products/': nothing });
  renderPart(<Home />);
  await screen.findByRole('link', { name: 'Kalm' });
  expect(headings()).not.toContain('Новинки');
});

test('a row that did not load is asked for again, the others stay', async () => {
  let answers = 0;
  serve({
    ...routes,
    'GET /api/brands/': () => (answers++ === 0 ? { status: 500, body: {} } : recorded.brands),
  });
  const { user } = renderPart(<Home />);
  await user.click(await screen.findByRole('button', { name: 'Повторить' }));
  expect(await screen.findByRole('link', { name: 'Kalm' })).toBeTruthy();
});

test('the subtitle is typed with 10 ms for the width of a character, and all of it is there in the end', () => {
  const css = readFileSync(join(import.meta.dirname, 'home.module.css'), 'utf8');
  const [, seconds, steps] = /animation: type (\d+)s steps\((\d+)\) forwards/.exec(css) ?? [];
  const [, percent, wide] =
    /@keyframes type {\s*(\d+)% {\s*background-size: calc\(var\(--characters, (\d+)\) \* 1ch\) 100%;\s*}\s*to {\s*background-size: 100% 100%;/.exec(
      css,
    ) ?? [];
  expect([(Number(seconds) * Number(percent)) / 100 / Number(wide), steps]).toEqual([0.01, wide]);
  const [, each, share] =
    /animation-duration: calc\(var\(--characters\) \* (\d+)ms \/ ([\d.]+)\)/.exec(css) ?? [];
  expect([each, Number(share)]).toEqual(['10', Number(percent) / 100]);
});

const written = (text: object) => ({
  text: { before: '', title: '', text: [], link: null, ...text },
  text_kk: null,
});

test('the first screen is what staff wrote of it', async () => {
  const hero = written({
    before: 'Над',
    title: 'Соль &amp; <em>вода</em>',
    text: ['Раз', 'Два'],
    link: { url: '/news', text: 'В <em>блог</em>' },
  });
  serve({ ...routes, 'GET /api/content/home/': { ...recorded.home, hero } });
  const { user } = renderPart(<Home />);
  const heading = await screen.findByRole('heading', { level: 1, name: 'Соль & вода' });
  expect(heading.previousElementSibling?.textContent).toBe('Над');
  expect(
    [...(heading.parentElement?.querySelectorAll('p > span') ?? [])].map((one) => [
      one.textContent,
      one.parentElement?.dataset.characters,
    ]),
  ).toEqual([
    ['Раз', '3'],
    ['Два', '3'],
  ]);
  await user.click(screen.getByRole('link', { name: 'В блог' }));
  expect(screen.getByText('at /news')).toBeTruthy();
});

test('a first screen without a text keeps a heading, and has no button', async () => {
  serve({ ...routes, 'GET /api/content/home/': { ...recorded.home, hero: written({}), about: written({}) } });
  renderPart(<Home />);
  const heading = await screen.findByRole('heading', { level: 1, name: homeTexts.title });
  expect(heading.parentElement?.querySelector('a')).toBeNull();
  expect(screen.getByRole('region', { name: homeTexts.about })).toBeTruthy();
});
