import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { to } from '../../../kit/testing/server';
import { analyst, build, open, operator, Stream } from '../testing/open';

const path = '/ops/builds/17';
const api = '/api/ops/builds/17';
const differences = {
  compared: 3_104,
  missing: 0,
  extra: 0,
  changed: 2,
  new_columns: ['products.slug'],
  gone_columns: [],
  sample: [
    {
      table: 'products',
      key: 'serum',
      kind: 'changed' as const,
      columns: [{ column: 'price', live: 9490, fresh: 7990 }],
    },
  ],
};

test('a running build shows its phase, progress and what is left, and follows the stream', async () => {
  open(path, { [`GET ${api}`]: build() });
  const bar = await screen.findByRole('progressbar', { name: 'Rebuild of catalog' });
  expect(bar.getAttribute('aria-valuenow')).toBe('63');
  expect(bar.getAttribute('aria-valuetext')).toBe('63 % · 91,240 events/s · 12 s left');
  expect(screen.getByText('Fold').closest('li')?.getAttribute('aria-current')).toBe('step');
  act(() => Stream.last.says('builds', { builds: [build({ progress: 0.8, phase: 'index' })] }));
  await waitFor(() => expect(bar.getAttribute('aria-valuenow')).toBe('80'));
  expect(screen.getByText('Index').closest('li')?.getAttribute('aria-current')).toBe('step');
});

test('differences stand row by row, and the swap says how many before it is sent', async () => {
  const { user, asked } = open(path, {
    [`GET ${api}`]: build({ state: 'ready', phase: 'verify', progress: 1, differences }),
    [`POST ${api}/swap`]: { status: 202, body: {} },
  });
  const table = within(await screen.findByRole('table'));
  expect(screen.getByText('Only the fresh model has products.slug.')).toBeDefined();
  expect(table.getByText('9490')).toBeDefined();
  expect(table.getByText('7990')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Swap' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Swap catalog?' }));
  expect(dialog.getByText('2 rows')).toBeDefined();
  expect(asked.some(to('POST', `${api}/swap`))).toBe(false);
  await user.click(dialog.getByRole('button', { name: 'Swap' }));
  await waitFor(() =>
    expect(asked.find(to('POST', `${api}/swap`))?.headers.get('X-CSRF-Token')).toBe(operator.csrf),
  );
});

for (const [button, sure, end] of [
  ['Pause', 'Pause', 'pause'],
  ['Cancel', 'Cancel the build', 'cancel'],
] as const) {
  test(`${button} asks first`, async () => {
    const { user, asked } = open(path, { [`GET ${api}`]: build(), [`POST ${api}/${end}`]: {} });
    await user.click(await screen.findByRole('button', { name: button }));
    expect(asked.some(to('POST', `${api}/${end}`))).toBe(false);
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: sure }));
    await waitFor(() => expect(asked.some(to('POST', `${api}/${end}`))).toBe(true));
  });
}

test('a finished one that found nothing says equal and offers nothing', async () => {
  const finished = {
    state: 'done' as const,
    phase: 'swap' as const,
    progress: 1,
    finished_at: '2026-11-21T10:01:00Z',
  };
  open(path, {
    [`GET ${api}`]: build({
      ...finished,
      differences: { compared: 220, missing: 0, extra: 0, changed: 0, new_columns: [], gone_columns: [] },
    }),
  });
  expect(await screen.findByText('Equal')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Swap' })).toBeNull();
});

test('a failed one says why; a role that may not act is told', async () => {
  open(path, { [`GET ${api}`]: build({ error: 'decode rules.changed: unknown field' }) }, analyst);
  expect(await screen.findByText('decode rules.changed: unknown field')).toBeDefined();
  expect(screen.getByText(/needs the permission projections.run/)).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Cancel' })).toBeNull();
});

test('an unknown build is said to be unknown', async () => {
  open(path, {});
  expect(await screen.findByText('There is no such build')).toBeDefined();
});
