import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { type Asked, serve, to } from '../../kit/testing/server';
import { cardWith, recorded } from '../testing/answers';
import { renderAt } from '../testing/render';
import CategoryPage from './category';

const isList = to('GET', '/api/products/');
const brands = [
  {
    id: 'b1',
    link: 'ostara',
    name: 'Ostara',
    image: null,
    main_image: null,
    picture: null,
    description: '',
    products_count: 1,
    popular_place: 1,
  },
  {
    id: 'b2',
    link: 'tilia',
    name: 'Tilia',
    image: null,
    main_image: null,
    picture: null,
    description: '',
    products_count: 1,
    popular_place: 1,
  },
];

/** Thirty products, a page at a time. */
const list = ({ query }: Asked) => {
  const offset = Number(query.get('offset'));
  const all = Array.from({ length: 30 }, (_, at) =>
    cardWith({ id: `p${at}`, link: `p${at}`, name: `Товар ${at}` }),
  );
  const results = all.slice(offset, offset + 24);
  return { count: 30, next: offset + 24 < 30 ? '/more' : null, previous: null, results };
};

const routes = {
  'GET /api/categories/': recorded.categories,
  'GET /api/brands/': brands,
  'GET /api/products/': list,
};
const open = (address = '/category/telo') => renderAt(address, '/category/:id', <CategoryPage />);
const asked = (log: Asked[]) => Object.fromEntries(log.findLast(isList)?.query ?? []);

test('the filters of the address are those of the question', async () => {
  const log = serve(routes);
  open('/category/telo?brand=ostara,tilia&ordering=-price&page=2');
  await screen.findByText('Товар 24');
  expect(asked(log)).toEqual({
    category_id: 'telo',
    brand_id: 'ostara,tilia',
    ordering: '-price',
    limit: '24',
    brief: 'true',
    offset: '24',
  });
});

test('an odd address asks for the first page in the default order', async () => {
  const log = serve(routes);
  open('/category/telo?ordering=rating&page=-5&brand=,,');
  await screen.findByText('Товар 0');
  expect(asked(log)).toEqual({ category_id: 'telo', limit: '24', brief: 'true', offset: '0' });
});

test('choosing narrows the list, and reset widens it', async () => {
  const log = serve(routes);
  const { user } = open();
  await screen.findByText('Товар 0');
  await user.click(screen.getByText('Бренд'));
  await user.click(await screen.findByLabelText('Tilia'));
  expect(log.find(to('GET', '/api/brands/'))?.query.get('category_id')).toBe('telo');
  await waitFor(() => expect(asked(log)).toMatchObject({ brand_id: 'tilia' }));
  await user.selectOptions(screen.getByLabelText('Порядок'), 'price');
  await waitFor(() => expect(asked(log)).toMatchObject({ brand_id: 'tilia', ordering: 'price' }));
  await user.click(screen.getByRole('button', { name: 'Сбросить фильтр' }));
  expect(screen.queryByRole('button', { name: 'Сбросить фильтр' })).toBeNull();
  expect(screen.getByLabelText<HTMLInputElement>('Tilia').checked).toBe(false);
});

test('more products come below those already there', async () => {
  serve(routes);
  const { user } = open();
  await screen.findByText('Товар 23');
  expect(screen.getByText('Показано 24 из 30')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Показать ещё' }));
  await screen.findByText('Товар 29');
  expect(screen.getByText('Товар 0')).toBeTruthy();
  expect(screen.getByText('Показано 30 из 30')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Показать ещё' })).toBeNull();
});

test('the trail leads through the parent', async () => {
  serve(routes);
  open('/category/uhod-za-litsom');
  await screen.findByRole('heading', { level: 1, name: 'Уход за лицом' });
  const trail = screen.getByRole('navigation', { name: 'Хлебные крошки' });
  const steps = within(trail).getAllByRole('listitem');
  expect(steps.map((step) => step.textContent)).toEqual(['Главная', 'Категории', 'Лицо', 'Уход за лицом']);
  // On phones one link stands for them all.
  expect(
    within(trail)
      .getByRole('link', { name: /^Назад/ })
      .getAttribute('href'),
  ).toBe('/categories/litso');
});

test('a category with children leads to them', async () => {
  serve(routes);
  open('/category/litso');
  expect(await screen.findByText('at /categories/litso')).toBeTruthy();
});

test('a category that is not there is the not-found page', async () => {
  serve(routes);
  open('/category/nope');
  expect(await screen.findByRole('heading', { name: 'Упс. Мы не нашли такую страницу' })).toBeTruthy();
});

test('a list that failed can be asked for again', async () => {
  let broken = true;
  serve({
    ...routes,
    'GET /api/products/': (request: Asked) => (broken ? { status: 500, body: {} } : list(request)),
  });
  const { user } = open();
  const retry = await screen.findByRole('button', { name: 'Повторить' });
  broken = false;
  await user.click(retry);
  expect(await screen.findByText('Товар 0')).toBeTruthy();
});
