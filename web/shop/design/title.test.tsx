import { beforeEach, expect, test } from 'vitest';
import { renderAt } from '../testing/render';
import { Title } from './title';

const head = () => ({
  title: document.title,
  description: document.querySelector<HTMLMetaElement>('meta[name="description"]')?.content,
  canonical: document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.getAttribute('href'),
});

beforeEach(() => {
  document.head.innerHTML = '<title>Дала</title><link rel="canonical" href="https://shop.example/">';
});

test('the head follows the shopper from page to page', () => {
  const about = renderAt(
    '/about/',
    '/about',
    <Title text="О нас — Дала" description="Зачем мы это делаем." />,
  );
  expect(head()).toEqual({
    title: 'О нас — Дала',
    description: 'Зачем мы это делаем.',
    canonical: 'https://shop.example/about',
  });
  about.unmount();
  renderAt('/news?page=2&from=mail', '/news', <Title text="Блог — Дала" />);
  expect(head()).toEqual({
    title: 'Блог — Дала',
    description: '',
    canonical: 'https://shop.example/news?page=2',
  });
});

test('a long description is cut at a word, as the server cuts it', () => {
  renderAt('/about', '/about', <Title text="О нас" description={'Питает кожу. '.repeat(40)} />);
  expect(head().description).toBe(`${'Питает кожу. '.repeat(12).trim()}…`);
  expect(head().description?.length).toBeLessThanOrEqual(160);
});
