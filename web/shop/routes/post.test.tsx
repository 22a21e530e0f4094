import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import PostPage from './post';

const { post } = recorded;

test('a post shows its picture, title, date and what the editor wrote', async () => {
  serve({ [`GET /api/blog/posts/${post.link}/`]: post });
  renderAt(`/news/${post.link}`, '/news/:id', <PostPage />);
  expect(await screen.findByRole('heading', { level: 1, name: post.title })).toBeTruthy();
  expect(screen.getByText(/^Опубликовано/).textContent).toBe('Опубликовано 18.02.2026');
  expect(screen.getByRole('img', { name: post.alt }).getAttribute('src')).toBe(post.image);
  expect(screen.getByRole('heading', { level: 2, name: 'О главном' })).toBeTruthy();
  expect(screen.getByText('по убыванию').tagName).toBe('EM');
});

test('a post that is not there is the not-found page', async () => {
  serve({});
  renderAt('/news/nowhere', '/news/:id', <PostPage />);
  expect(await screen.findByRole('heading', { name: 'Упс. Мы не нашли такую страницу' })).toBeTruthy();
});

test('a post that did not load is asked for again', async () => {
  let answers = 0;
  serve({
    [`GET /api/blog/posts/${post.link}/`]: () => (answers++ === 0 ? { status: 500, body: {} } : post),
  });
  const { user } = renderAt(`/news/${post.link}`, '/news/:id', <PostPage />);
  await user.click(await screen.findByRole('button', { name: 'Повторить' }));
  expect(await screen.findByRole('heading', { level: 1, name: post.title })).toBeTruthy();
});
