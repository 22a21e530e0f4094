import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve, to } from '../../kit/testing/server';
import type { PostCard } from '../api/types';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import NewsPage from './news';

const isList = to('GET', '/api/blog/posts/');
const first = recorded.posts.results[0] as PostCard;
const long = { ...first, description: 'Раз. Два! Три? Четыре.' };

test('a page of the blog is asked for by its number and names its neighbours', async () => {
  const log = serve({
    'GET /api/blog/posts/': { ...recorded.posts, count: 8 },
    'GET /api/shop/': recorded.shop,
  });
  renderAt('/news?page=2', '/news', <NewsPage />);
  const link = await screen.findByRole('link', { name: first.title });
  expect(link.getAttribute('href')).toBe(`/news/${first.link}`);
  const asked = log.find(isList)?.query;
  expect([asked?.get('limit'), asked?.get('offset')]).toEqual(['3', '3']);
  expect(screen.getAllByText(/^Опубликовано/).map((line) => line.textContent)).toEqual([
    'Опубликовано 20.02.2026',
    'Опубликовано 19.02.2026',
  ]);
  const way = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
  expect(way('Предыдущая страница')).toBe('/news');
  expect(way('Следующая страница')).toBe('/news?page=3');
  expect(way('Страница 3')).toBe('/news?page=3');
  expect(screen.getByRole('link', { name: 'Страница 2' }).getAttribute('aria-current')).toBe('page');
  expect((await screen.findByRole('link', { name: /^Мы в/ })).getAttribute('href')).toBe(
    recorded.shop.social_url,
  );
});

test('three sentences stand on a card, and the rest on request', async () => {
  serve({ 'GET /api/blog/posts/': { ...recorded.posts, count: 1, results: [long] } });
  const { user } = renderAt('/news', '/news', <NewsPage />);
  expect(await screen.findByText('Раз. Два! Три?')).toBeTruthy();
  const more = screen.getByRole('button', { name: /^Читать далее/ });
  expect(more.getAttribute('aria-expanded')).toBe('false');
  await user.click(more);
  expect(screen.getByText('Раз. Два! Три? Четыре.')).toBeTruthy();
  expect(screen.queryByRole('navigation', { name: 'Страницы' })).toBeNull();
});

test('a blog without posts says so', async () => {
  serve({ 'GET /api/blog/posts/': { count: 0, next: null, previous: null, results: [] } });
  renderAt('/news', '/news', <NewsPage />);
  expect(await screen.findByText('Записей пока нет')).toBeTruthy();
});

test('a blog that did not load is asked for again', async () => {
  let answers = 0;
  serve({ 'GET /api/blog/posts/': () => (answers++ === 0 ? { status: 500, body: {} } : recorded.posts) });
  const { user } = renderAt('/news', '/news', <NewsPage />);
  await user.click(await screen.findByRole('button', { name: 'Повторить' }));
  expect(await screen.findByRole('link', { name: first.title })).toBeTruthy();
});
