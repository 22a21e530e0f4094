import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { to } from '../../../kit/testing/server';
import { analyst, build, open, operator, projection, projections, Stream } from '../testing/open';

const path = '/ops/projections';
const row = async (name: string) => {
  const header = await screen.findByRole('rowheader', { name: new RegExp(`^${name}`) });
  return within(header.closest('tr') as HTMLElement);
};

test('a row says state, place, lag, rate, leases and dead letters in words', async () => {
  open(path, {
    'GET /api/ops/projections': projections(
      projection({ state: 'catching-up', position: 46_973, lag: 1_240, lag_seconds: 3.4, dead_letters: 2 }),
      projection({ name: 'stock', state: 'paused' }),
      projection({
        name: 'rules',
        state: 'stalled',
        ranges: [{ range: 0, position: 1, holder: null, term: 1 }],
      }),
    ),
  });
  const catalog = await row('catalog');
  expect(catalog.getByText('Catching up')).toBeDefined();
  expect(catalog.getByText('46,973')).toBeDefined();
  expect(catalog.getByText('1,240 events')).toBeDefined();
  expect(catalog.getByText('3.4 s')).toBeDefined();
  expect(catalog.getByText('shop-a', { selector: 'summary *' })).toBeDefined();
  expect(await catalog.findByRole('img', { name: /12 events a second, at most 12/ })).toBeDefined();
  expect(catalog.getByRole('link', { name: '2 dead letters of catalog' }).getAttribute('href')).toBe(
    '/ops/dead-letters?projection=catalog',
  );
  expect((await row('stock')).getByText('Paused')).toBeDefined();
  expect((await row('rules')).getByText('Stalled')).toBeDefined();
  expect((await row('rules')).getByText('nobody', { selector: 'summary *' })).toBeDefined();
});

const choices: [string, string, string, object | undefined][] = [
  ['Pause', 'Pause', `${path}/catalog/pause`, undefined],
  ['Rebuild', 'Rebuild', `${path}/catalog/builds`, { kind: 'rebuild', auto_swap: false }],
  ['Verify', 'Verify', `${path}/catalog/builds`, { kind: 'verify' }],
  ['Roll back', 'Roll back', `${path}/catalog/rollback`, undefined],
];

for (const [offer, button, end, body] of choices) {
  test(`${offer} asks first and then sends the call with the session's token`, async () => {
    const url = `/api${end}`;
    const { user, asked } = open(path, {
      'GET /api/ops/projections': projections(
        projection({ previous: { version: 2, replaced_at: '2026-11-20T10:00:00Z' } }),
      ),
      [`POST ${url}`]: {},
    });
    await user.click(await screen.findByRole('button', { name: 'Act on catalog' }));
    await user.click(await screen.findByRole('button', { name: offer }));
    const dialog = await screen.findByRole('dialog', {
      name: `${offer === 'Roll back' ? 'Roll catalog back' : `${offer} catalog`}?`,
    });
    expect(asked.some(to('POST', url))).toBe(false);
    await user.click(within(dialog).getByRole('button', { name: button }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const sent = asked.find(to('POST', url));
    expect(sent?.body).toEqual(body);
    expect(sent?.headers.get('X-CSRF-Token')).toBe(operator.csrf);
  });
}

test('who leaves the dialog has changed nothing', async () => {
  const { user, asked } = open(path, {});
  await user.click(await screen.findByRole('button', { name: 'Act on catalog' }));
  await user.click(await screen.findByRole('button', { name: 'Pause' }));
  await user.click(screen.getByRole('button', { name: 'Leave it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(asked.some(({ method }) => method === 'POST')).toBe(false);
});

test('a refused action stays open with the reason', async () => {
  const { user } = open(path, {
    'POST /api/ops/projections/catalog/pause': { status: 409, body: { detail: 'It is being swapped.' } },
  });
  await user.click(await screen.findByRole('button', { name: 'Act on catalog' }));
  await user.click(await screen.findByRole('button', { name: 'Pause' }));
  await user.click(screen.getByRole('button', { name: 'Pause' }));
  expect(await screen.findByText('It is being swapped.')).toBeDefined();
  expect(screen.getByRole('dialog')).toBeDefined();
});

test('a past model is built at a position or a time', async () => {
  const { user, asked } = open(path, { 'POST /api/ops/projections/catalog/builds': {} });
  await user.click(await screen.findByRole('button', { name: 'Act on catalog' }));
  await user.click(await screen.findByRole('button', { name: 'Build as of…' }));
  expect(screen.getByRole('button', { name: 'Build' })).toHaveProperty('disabled', true);
  await user.click(screen.getByRole('radio', { name: 'At a position of the log' }));
  await user.type(screen.getByLabelText('Position'), '1200');
  await user.type(screen.getByLabelText('Schema'), 'catalog_friday');
  await user.click(screen.getByRole('button', { name: 'Build' }));
  await waitFor(() =>
    expect(asked.find(to('POST', '/api/ops/projections/catalog/builds/'))?.body).toEqual({
      kind: 'as-of',
      position: 1200,
      schema: 'catalog_friday',
    }),
  );
});

test('what is not possible now says why and does nothing', async () => {
  const { user } = open(path, {
    'GET /api/ops/projections': projections(projection({ build: build() })),
  });
  await user.click(await screen.findByRole('button', { name: 'Act on catalog' }));
  const rebuild = screen.getByRole('button', { name: 'Rebuild' });
  expect(rebuild.getAttribute('aria-disabled')).toBe('true');
  await user.click(rebuild);
  expect(screen.getByRole('dialog', { name: 'Act on catalog' })).toBeDefined();
  expect(screen.getAllByText(/a build of it is not finished/)).toHaveLength(3);
  expect(screen.getByText(/no earlier model is kept/)).toBeDefined();
});

test('a policy can be paused and not be built, and says that it is one', async () => {
  const { user } = open(path, {
    'GET /api/ops/projections': projections(projection({ name: 'mails', kind: 'policy' })),
  });
  await screen.findByText('policy');
  await user.click(screen.getByRole('button', { name: 'Act on mails' }));
  expect(screen.getByRole('button', { name: 'Pause' }).getAttribute('aria-disabled')).toBe('false');
  for (const name of ['Rebuild', 'Verify', 'Roll back'])
    expect(screen.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true');
  expect(screen.getAllByText(/this is a policy, not a read model/)).toHaveLength(4);
});

test('a role that may only look is offered no action and told why', async () => {
  open(path, {}, analyst);
  expect(await screen.findByText(/need the permission projections.run/)).toBeDefined();
  expect(screen.queryByRole('button', { name: /Act on/ })).toBeNull();
  expect(screen.queryByRole('link', { name: 'Health' })).toBeNull();
});

test('a screen that the role does not show says so', async () => {
  open('/ops/health', {}, analyst);
  expect(await screen.findByText('Your role does not show this')).toBeDefined();
});

test('nothing yet, and a failure with another try', async () => {
  let fails = true;
  const { user } = open(path, {
    'GET /api/ops/projections': () =>
      fails ? { status: 500, body: { detail: 'The database is gone.' } } : projections(),
  });
  expect(await screen.findByText(/The database is gone/)).toBeDefined();
  fails = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No projections yet')).toBeDefined();
});

test('the stream renews the screen; when it breaks the page polls until it is back', async () => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'],
    shouldAdvanceTime: true,
    advanceTimeDelta: 200,
  });
  const { asked } = open(path, {});
  await row('catalog');
  act(() => {
    Stream.last.onopen?.();
    Stream.last.says('projections', projections(projection({ lag: 77, lag_seconds: 2 })));
  });
  expect(await screen.findByText('77 events')).toBeDefined();
  expect(screen.getByText('Live', { selector: 'header *' })).toBeDefined();

  const before = asked.filter(to('GET', '/api/ops/projections/')).length;
  const broken = Stream.last;
  act(() => broken.onerror?.());
  expect(await screen.findByText('Reconnecting')).toBeDefined();
  expect(broken.closed).toBe(true);
  await waitFor(() =>
    expect(asked.filter(to('GET', '/api/ops/projections/')).length).toBeGreaterThan(before),
  );

  await waitFor(() => expect(Stream.last).not.toBe(broken));
  act(() => Stream.last.onopen?.());
  await waitFor(() => expect(screen.queryByText('Reconnecting')).toBeNull());
  expect(Stream.all.filter(({ closed }) => !closed)).toHaveLength(1);
});
