import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { speak } from '../../language';
import { openPage, signedIn } from '../../testing/open';
import type { Letter } from './queries';
import { wrong } from './wrong';

const me = signedIn('content', 'content.change', 'changes.see');

const text = (name: string, own: string, must: string[] = [], said = ''): Letter['texts'][number] => ({
  name,
  placeholders: [...must, '{name}', '{sum}'],
  must,
  ru: { block: `letter-order-placed.${name}`, own, text: said },
  kk: { block: `letter-order-placed.${name}-kk`, own: `${own} (kk)`, text: '' },
});

const letter: Letter = {
  kind: 'order-placed',
  changed: true,
  texts: [
    text('subject', 'Заказ № {number} принят', ['{number}']),
    text('opening', 'Спасибо!'),
    text('soon', 'Скоро', [], 'Ждите'),
  ],
};

const answers = {
  'GET /api/staff/letters/texts': { results: [letter, { kind: 'welcome', changed: false, texts: [] }] },
  'POST /api/staff/letters/texts/sample': {
    subject: 'Заказ № 1 принят',
    html: '<p>Ура</p>',
    text: 'Ура, Анна!',
  },
  'POST /api/staff/changes': { status: 201, body: { id: 'c1', status: 'applied', needs: [], results: [] } },
} as never;

test('letters are listed beside texts, with a mark where a text was changed', async () => {
  openPage(
    '/admin/content',
    { ...(answers as object), 'GET /api/staff/content': { results: [], documents: [] } } as never,
    me,
  );
  const link = await screen.findByRole('link', { name: 'Order received' });
  expect(link.getAttribute('href')).toBe('/admin/content/letters/order-placed');
  expect(within(link.closest('tr') as HTMLElement).getByText('Changed')).toBeTruthy();
  const welcome = screen.getByRole('link', { name: 'Welcome' });
  expect(within(welcome.closest('tr') as HTMLElement).getByText('As in the program')).toBeTruthy();
  await act(() => speak('ru'));
  expect(screen.getByRole('columnheader', { name: 'Письмо' })).toBeTruthy();
});

test('letters beside texts of the past are those of then', async () => {
  const { asked } = openPage(
    '/admin/content?at=1',
    { ...(answers as object), 'GET /api/staff/content': { results: [], documents: [] } } as never,
    me,
  );
  const link = await screen.findByRole('link', { name: 'Order received' });
  expect(link.getAttribute('href')).toBe('/admin/content/letters/order-placed?at=1');
  const letters = asked.filter(({ path }) => path.includes('/letters/texts'));
  expect(letters.map(({ query }) => query.get('at'))).toEqual(['1']);
});

test('a text is changed, a sample follows, and only what changed is published; the own text is kept as none', async () => {
  const { user, asked } = openPage('/admin/content/letters/order-placed', answers, me);
  const opening = (await screen.findByRole('textbox', { name: 'First words' })) as HTMLTextAreaElement;
  expect(opening.value).toBe('Спасибо!');
  expect(screen.getByRole('button', { name: 'Publish' }).hasAttribute('disabled')).toBe(true);
  expect(screen.queryByRole('button', { name: 'Look first' })).toBe(null);
  await user.clear(opening);
  await user.type(opening, 'Ура, ');
  await user.click(screen.getByRole('button', { name: 'Insert {name} (name of the shopper): First words' }));
  expect(opening.value).toBe('Ура, {name}');
  await user.click(screen.getByRole('button', { name: 'As it was: What comes next' }));
  const samples = () =>
    asked.filter(({ path }) => path.includes('/texts/sample')).map(({ body }) => body as object);
  await waitFor(() =>
    expect(samples().at(-1)).toEqual({
      kind: 'order-placed',
      language: 'ru',
      text: 'opening',
      texts: { subject: '', opening: 'Ура, {name}', soon: '' },
    }),
  );
  expect(await screen.findByText('Ура, Анна!')).toBeTruthy();
  expect(screen.getByTitle('Sample of the letter').getAttribute('sandbox')).toBe('allow-same-origin');
  await user.click(screen.getByRole('radio', { name: 'In Kazakh' }));
  await user.type(screen.getByRole('textbox', { name: 'First words' }), '!');
  await user.click(screen.getByRole('button', { name: 'Publish' }));
  await screen.findByText(/Published/);
  expect(
    asked.filter(({ method, path }) => method === 'POST' && path.endsWith('/changes/')).at(-1)?.body,
  ).toEqual({
    title: 'Letter “Order received”',
    items: [
      { thing: 'content', id: 'letter-order-placed.opening', field: 'text', was: '', now: 'Ура, {name}' },
      {
        thing: 'content',
        id: 'letter-order-placed.opening-kk',
        field: 'text',
        was: '',
        now: 'Спасибо! (kk)!',
      },
      { thing: 'content', id: 'letter-order-placed.soon', field: 'text', was: 'Ждите', now: '' },
    ],
  });
});

test('what is wrong is said beside its text, and nothing is asked for or published', async () => {
  const { asked } = openPage('/admin/content/letters/order-placed', answers, me);
  const subject = await screen.findByRole('textbox', { name: 'Subject and heading' });
  await waitFor(() => expect(asked.some(({ path }) => path.includes('/texts/sample'))).toBe(true));
  const before = asked.length;
  vi.useFakeTimers();
  try {
    fireEvent.change(subject, { target: { value: 'Заказ' } });
    await act(() => vi.advanceTimersByTimeAsync(1_000));
  } finally {
    vi.useRealTimers();
  }
  expect(screen.getByText('{number} is needed: nothing else in the letter tells it')).toBeTruthy();
  expect(subject.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('The sample comes when nothing is wrong with the texts.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Publish' }).hasAttribute('disabled')).toBe(true);
  expect(asked.slice(before).some(({ path }) => path.includes('/texts/sample'))).toBe(false);
});

test.each([
  ['subject', 'Заказ\n{number}', 'One line alone'],
  ['subject', 'Заказ {number}', ''],
  ['opening', '<b>Ура</b>', 'No HTML, and no single braces'],
  ['opening', 'Ура {name', 'No HTML, and no single braces'],
  ['opening', 'Ура {nme}', 'This text has no {nme}'],
  ['opening', 'я'.repeat(2001), 'At most 2000 characters'],
  ['opening', 'Ура:\n2 < 3 & {sum}', ''],
  ['opening', ' ', ''],
])('%s %j: %s', (name, typed, said) => {
  const sentence = letter.texts.find((one) => one.name === name) as Letter['texts'][number];
  expect(wrong(sentence, typed)).toBe(said);
});
