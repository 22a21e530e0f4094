import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve } from '../../kit/testing/server';
import { recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import DocumentPage from './document';

test('a document has its version, its file and all that were before', async () => {
  serve({ 'GET /api/documents/offer/': recorded.documentOffer });
  renderAt('/documents/offer', '/documents/:id', <DocumentPage />);
  await screen.findByRole('heading', { name: 'Публичная оферта', level: 1 });
  expect(screen.getByText('Вторая редакция.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Открыть в PDF' }).getAttribute('href')).toBe(
    '/documents/offer.pdf',
  );
  const all = screen.getByRole('heading', { name: 'Все редакции' }).closest('section') as HTMLElement;
  expect(
    within(all)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href')),
  ).toEqual(['/documents/offer?version=2026-03-01-2', '/documents/offer?version=2026-03-01']);
});

test('a former version says so, leads to the one in force and has its own file', async () => {
  serve({ 'GET /api/documents/offer/': recorded.documentFirst });
  renderAt('/documents/offer?version=2026-03-01', '/documents/:id', <DocumentPage />);
  expect(await screen.findByText(/Это прежняя редакция/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Открыть действующую' }).getAttribute('href')).toBe(
    '/documents/offer',
  );
  expect(screen.getByRole('link', { name: 'Открыть в PDF' }).getAttribute('href')).toBe(
    '/documents/offer/2026-03-01.pdf',
  );
});

test('a version that there is not is not found', async () => {
  serve({ 'GET /api/documents/offer/': { status: 404, body: { detail: 'Не найдено' } } });
  renderAt('/documents/offer?version=2020-01-01', '/documents/:id', <DocumentPage />);
  await screen.findByRole('heading', { name: 'Упс. Мы не нашли такую страницу' });
});
