import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage, signedIn } from '../../testing/open';
import { monthBeside, monthOf, today, weeksOf } from './month';
import type { ChangeRow } from './queries';

const row = (id: string, starts_at: string | null, ends_at: string | null, more: Partial<ChangeRow> = {}) =>
  ({
    ...{ id, title: id, reason: '', proposed_by: 'staff:x', proposed_name: 'x', items: 1, needs: [] },
    ...{ proposed_at: '2026-11-02T05:00:00Z', applied_at: null, status: 'planned', things: [], first: null },
    ...{ starts_at, ends_at, undoes: null, override: false, conflicts: 0, refused: 0, kept: 0 },
    ...more,
  }) as unknown as ChangeRow;

/** A month as text: each day with the parts of its lanes. */
const drawn = (month: string, ...rows: ChangeRow[]) =>
  weeksOf(month, rows)
    .flat()
    .filter(({ lanes }) => lanes.length > 0)
    .map(({ date, lanes }) => `${date.slice(5)} ${lanes.map((one) => one?.part ?? '·').join(' ')}`);

test('days are those of Almaty, and what ends at midnight ends with the day before', () => {
  expect(today(new Date('2026-11-30T19:30:00Z'))).toBe('2026-12-01');
  expect(drawn('2026-11', row('a', '2026-11-20T19:30:00Z', '2026-11-23T19:00:00Z'))).toEqual([
    '11-21 begins',
    '11-22 goes-on',
    '11-23 ends',
  ]);
  expect(drawn('2026-11', row('b', '2026-11-20T05:00:00Z', null))).toEqual(['11-20 at']);
  // A sale without a beginning began when it was applied.
  const now = row('c', null, '2026-11-05T05:00:00Z', { applied_at: '2026-11-04T05:00:00Z' });
  expect(drawn('2026-11', now)).toEqual(['11-04 begins', '11-05 ends']);
  expect(drawn('2026-11', row('d', null, null))).toEqual([]);
});

test('a sale keeps its lane over the days of a week, beside what comes between', () => {
  const all = [
    row('long', '2026-11-17T05:00:00Z', '2026-11-19T05:00:00Z'),
    row('first', '2026-11-16T05:00:00Z', '2026-11-17T05:00:00Z'),
    row('late', '2026-11-18T05:00:00Z', null),
  ];
  expect(drawn('2026-11', ...all)).toEqual([
    '11-16 begins',
    '11-17 ends begins',
    '11-18 at goes-on',
    '11-19 · ends',
  ]);
});

test('weeks begin on Monday and cover the month', () => {
  const weeks = weeksOf('2026-11', []);
  expect(weeks).toHaveLength(6); // 1 November 2026 is a Sunday
  expect(weeks[0]?.[0]).toMatchObject({ date: '2026-10-26', outside: true });
  expect(weeks.at(-1)?.at(-1)?.date).toBe('2026-12-06');
  expect(monthBeside('2026-12', 1)).toBe('2027-01');
  expect(monthBeside('2026-01', -1)).toBe('2025-12');
  expect(monthOf('2026-13', new Date('2026-11-30T19:30:00Z'))).toBe('2026-12');
});

test('the month stands in the address, and keys turn it', async () => {
  const sale = row('Spring sale', '2026-12-03T04:00:00Z', '2026-12-05T04:00:00Z', { status: 'running' });
  const { user, asked } = openPage(
    '/admin/changes?show=calendar&month=2026-12',
    { 'GET /api/staff/changes': { results: [sale], next: null, named: { by: '', thing: '' } } },
    signedIn('manager', 'changes.see'),
  );
  const month = within(await screen.findByRole('table', { name: 'December 2026' }));
  const links = month.getAllByRole('link');
  expect(links.map((one) => one.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
    '09:00 Spring sale',
    '09:00 ends ⇥ Spring sale',
  ]);
  expect(links[0]?.getAttribute('href')).toBe('/admin/changes/Spring sale');
  links[0]?.focus();
  await user.keyboard('{PageDown}');
  await screen.findByRole('table', { name: 'January 2027' });
  await waitFor(() => expect(asked.at(-1)?.query.get('month')).toBe('2027-01'));
  await user.click(screen.getByRole('button', { name: 'A month earlier' }));
  await screen.findByRole('table', { name: 'December 2026' });
});
