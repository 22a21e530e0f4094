import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Health } from '../api/types';
import { open } from '../testing/open';

const statement = (query: string, total: number, calls: number) => ({
  query,
  calls,
  total_seconds: total,
  mean_seconds: total / calls,
  rows: calls,
});

const health = (facts: Partial<Health> = {}): Health => ({
  database: {
    version: '18.1',
    started_at: '2026-11-20T10:00:00Z',
    size_bytes: 812_345_678,
    log_bytes: 402_345_678,
    events: 48_213,
    connections: { used: 95, max: 100, idle: 90, active: 5, waiting: 1 },
    oldest_transaction_seconds: 74,
    cache_hit_ratio: 0.9973,
  },
  statements: {
    available: true,
    slowest: [statement('SELECT often', 10, 1_000), statement('SELECT rarely', 5, 2)],
  },
  replicas: [],
  processes: [
    {
      holder: 'shop-a',
      roles: ['http', 'projectors'],
      started_at: '2026-11-20T10:00:00Z',
      seen_at: '2026-11-21T10:00:00Z',
    },
  ],
  keys: { file: [{ id: 'a1b2c3d4', in_use: true }], bare: false },
  ...facts,
});

test('the database and the processes in words', async () => {
  open('/ops/health', { 'GET /api/ops/health': health() });
  expect(await screen.findByText('775 MB')).toBeDefined();
  expect(screen.getByText('95 of 100')).toBeDefined();
  expect(screen.getByText('Nearly all used')).toBeDefined();
  expect(screen.getByText('Too long')).toBeDefined();
  expect(screen.getByText('99.7 %')).toBeDefined();
  expect(screen.getByText('http, projectors')).toBeDefined();
});

test('read replicas with why one is out', async () => {
  const since = '2026-11-21T10:00:00Z';
  const replicas = [
    { name: 'db2:5432', in: true, why: '', since, behind_seconds: 0, behind_bytes: 0 },
    { name: 'db3:5432', in: false, why: 'lags', since, behind_seconds: 12, behind_bytes: 1024 },
  ];
  open('/ops/health', { 'GET /api/ops/health': health({ replicas }) });
  const table = within(await screen.findByRole('table', { name: 'Read replicas' }));
  expect(table.getByText('asked')).toBeDefined();
  expect(table.getByText('lags')).toBeDefined();
});

test('statements are sorted by the column one chooses', async () => {
  const { user } = open('/ops/health', { 'GET /api/ops/health': health() });
  const table = within(await screen.findByRole('table', { name: 'Statements' }));
  const order = () => table.getAllByText(/^SELECT/).map(({ textContent }) => textContent);
  expect(order()).toEqual(['SELECT often', 'SELECT rarely']);
  await user.click(table.getByRole('button', { name: 'Mean' }));
  expect(order()).toEqual(['SELECT rarely', 'SELECT often']);
  expect(table.getByRole('columnheader', { name: /Mean/ }).getAttribute('aria-sort')).toBe('descending');
  await user.click(table.getByRole('button', { name: /Mean/ }));
  expect(order()).toEqual(['SELECT often', 'SELECT rarely']);
});

test('without statistics the reason stands there', async () => {
  open('/ops/health', {
    'GET /api/ops/health': health({
      statements: { available: false, reason: 'pg_stat_statements is not loaded.', slowest: [] },
    }),
  });
  expect(await screen.findByText('pg_stat_statements is not loaded.')).toBeDefined();
});

test('keys that only open are due for rotation while they are in use', async () => {
  const file = [
    { id: 'new00001', in_use: false },
    { id: 'old00001', in_use: true },
    { id: 'idle0001', in_use: false },
  ];
  open('/ops/health', { 'GET /api/ops/health': health({ keys: { file, bare: true } }) });
  const table = within(await screen.findByRole('table', { name: 'Keys' }));
  const said = (id: string) => table.getByText(id).closest('tr')?.textContent;
  expect(said('new00001')).toContain('Rotation is due');
  expect(said('old00001')).toContain('Rotation is due');
  expect(said('idle0001')).toContain('it can leave the file');
  expect(screen.getByText(/not wrapped/)).toBeDefined();
});
