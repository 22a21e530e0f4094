import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';

const me = signedIn('content', 'content.change', 'changes.see');
const page = (name: string, text = '', fallback = '') => ({
  name,
  kind: 'page',
  text,
  slides: [],
  default: fallback,
});
const slides = [
  { url: '/a', file: '/media/a.jpg', alt: 'Весна' },
  { url: '', file: '/media/b.jpg', alt: '' },
];
const made = { status: 201, body: { id: 'c1', status: 'applied', needs: [], results: [] } };
const shop = {
  'GET /api/staff/content': {
    results: [
      { name: 'main-slider', kind: 'slides', text: '', slides, default: '' },
      page('about', '', '<p>О магазине</p>'),
      page('about-kk', 'Біз'),
    ],
    documents: [
      {
        name: 'privacy',
        version: '',
        text: null,
        default: { title: 'Политика', source: '<p>Данные</p>' },
        default_kk: { title: 'Саясат', source: '<p>Деректер</p>' },
      },
      {
        name: 'offer',
        version: '2026-12-01',
        text: { ru: { title: 'Оферта', source: 'Первая' }, kk: { title: '', source: '' } },
        default: { title: 'Публичная оферта', source: '<p>Предложение</p>' },
        default_kk: { title: 'Жария оферта', source: '<p>Ұсыныс</p>' },
      },
    ],
  },
  'POST /api/staff/content/preview': { html: '<p>Мы <strong>новые</strong></p>' },
  'POST /api/staff/changes': made,
} as never;
const proposed = (asked: { method: string; path: string; body: unknown }[]) =>
  asked.filter(({ method, path }) => method === 'POST' && path.includes('/changes')).at(-1)?.body;

test('the list says in which language a page has a text of its own', async () => {
  openPage('/admin/content', shop, me);
  const row = (await screen.findByRole('link', { name: 'About' })).closest('tr') as HTMLElement;
  expect(within(row).getByText("The shop's text")).toBeTruthy();
  expect(within(row).getByText('A text of its own')).toBeTruthy();
});

test('a page is written beside its preview, and only the language that was written is changed', async () => {
  const { user, asked } = openPage('/admin/content/about', shop, me);
  const russian = await screen.findByRole('textbox', { name: 'In Russian' });
  expect(screen.getByText('О магазине')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Publish' }).hasAttribute('disabled')).toBe(true);
  await user.type(russian, 'Мы **новые**');
  const shown = screen.getByRole('region', { name: 'Preview: In Russian' });
  await waitFor(() => expect(within(shown).getByText('новые').tagName).toBe('STRONG'));
  fireEvent.change(screen.getByLabelText(/^When/), { target: { value: '2026-12-01T09:00' } });
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await waitFor(() =>
    expect(proposed(asked)).toEqual({
      title: 'Text: About',
      items: [{ thing: 'content', id: 'about', field: 'source', was: '', now: 'Мы **новые**' }],
      starts_at: '2026-12-01T09:00:00+05:00',
    }),
  );
});

test('a text is looked at on the page of the shop before it is published', async () => {
  const { user, asked } = openPage('/admin/content/about', shop, me);
  await user.type(await screen.findByRole('textbox', { name: 'In Russian' }), 'Новое');
  await user.click(screen.getByRole('button', { name: 'Look first' }));
  await waitFor(() =>
    expect(screen.getByTestId('address').textContent).toMatch(/^\/admin\/changes\/[^/]+\/preview$/),
  );
  expect(proposed(asked)).toMatchObject({
    draft: true,
    items: [{ id: 'about', field: 'source', now: 'Новое' }],
  });
});

test('slides change their order by keys, and lose what is removed', async () => {
  const { user, asked } = openPage('/admin/content/main-slider', shop, me);
  (await screen.findByRole('button', { name: 'Slide 2 earlier' })).focus();
  await user.keyboard('{Enter}');
  await user.click(screen.getByRole('button', { name: 'Remove slide 2' }));
  await user.type(screen.getByRole('textbox', { name: 'Slide 1: what it shows' }), 'Лето');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await waitFor(() =>
    expect(proposed(asked)).toMatchObject({
      items: [{ field: 'slides', was: slides, now: [{ url: '', file: '/media/b.jpg', alt: 'Лето' }] }],
    }),
  );
});

test('a post needs a link of its own', async () => {
  const { user, asked } = openPage(
    '/admin/blog/new',
    {
      'GET /api/staff/posts': {
        results: [
          {
            id: 'p1',
            link: 'inci',
            title: 'INCI',
            published: true,
            created_at: '2026-03-01T00:00:00Z',
            updated_at: '2026-03-01T00:00:00Z',
          },
        ],
      },
      'POST /api/staff/content/preview': { html: '<p>Текст</p>' },
      'POST /api/staff/changes': made,
    } as never,
    me,
  );
  await user.type(await screen.findByRole('textbox', { name: 'Title' }), 'Состав');
  const link = screen.getByRole('textbox', { name: 'Link' });
  await user.type(link, 'inci');
  await user.type(screen.getByRole('textbox', { name: 'Text of the post' }), 'Текст');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  expect(await screen.findByText('Another post has this link')).toBeTruthy();
  expect(proposed(asked)).toBe(undefined);
  await user.type(link, '-2');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await waitFor(() =>
    expect(proposed(asked)).toMatchObject({
      items: [
        {
          thing: 'post',
          field: 'article',
          now: { title: 'Состав', link: 'inci-2', source: 'Текст', photo: null },
        },
      ],
    }),
  );
});

test('a document is published as a version of its own, and its Kazakh text is whole or not there', async () => {
  const { user, asked } = openPage('/admin/content/offer', shop, me);
  const russian = await screen.findByRole('textbox', { name: 'In Russian' });
  expect(screen.getByText(/Version 2026-12-01 is on the site/)).toBeTruthy();
  const publish = screen.getByRole('button', { name: 'Publish a version' });
  expect(publish.hasAttribute('disabled')).toBe(true);
  await user.clear(russian);
  await user.type(russian, 'Вторая');
  await user.type(screen.getByRole('textbox', { name: 'Title, in kazakh' }), 'Оферта');
  expect(screen.getByText(/A Kazakh text needs a title and a text/)).toBeTruthy();
  expect(publish.hasAttribute('disabled')).toBe(true);
  await user.type(screen.getByRole('textbox', { name: 'In Kazakh' }), 'Мәтін');
  await user.click(publish);
  await waitFor(() =>
    expect(proposed(asked)).toEqual({
      title: 'Document: Public offer',
      items: [
        {
          thing: 'document',
          id: 'offer',
          field: 'text',
          was: { ru: { title: 'Оферта', source: 'Первая' }, kk: { title: '', source: '' } },
          now: { ru: { title: 'Оферта', source: 'Вторая' }, kk: { title: 'Оферта', source: 'Мәтін' } },
        },
      ],
    }),
  );
});

test('a document without a text of its own begins with that of the program, and cannot be withdrawn', async () => {
  const { user } = openPage('/admin/content/privacy', shop, me);
  for (const button of await screen.findAllByRole('button', { name: "Begin with the shop's text" }))
    await user.click(button);
  expect(screen.getByRole('textbox', { name: 'In Russian' })).toHaveProperty('value', '<p>Данные</p>');
  expect(screen.getByRole('textbox', { name: 'Title, in russian' })).toHaveProperty('value', 'Политика');
  expect(screen.getByRole('textbox', { name: 'In Kazakh' })).toHaveProperty('value', '<p>Деректер</p>');
  expect(screen.getByRole('textbox', { name: 'Title, in kazakh' })).toHaveProperty('value', 'Саясат');
  expect(screen.queryByRole('button', { name: 'Back to the built-in text' })).toBeNull();
});
