import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { csvOf, sortedBy } from './rows';
import { type Column, Table } from './table';

type Goods = { name: string; pieces: number | null };

const goods: Goods[] = [
  { name: 'Мыло', pieces: 3 },
  { name: 'Крем', pieces: 12 },
  { name: 'Соль', pieces: null },
];
const columns: Column<Goods>[] = [
  {
    key: 'name',
    title: 'Name',
    head: true,
    sortable: true,
    value: ({ name }) => name,
    cell: ({ name }) => name,
  },
  {
    key: 'pieces',
    title: 'Pieces',
    number: true,
    sortable: true,
    value: ({ pieces }) => pieces,
    cell: ({ pieces }) => pieces ?? '—',
    foot: 15,
  },
];

function Shown({ rows = goods, cards = false }: { rows?: Goods[]; cards?: boolean }) {
  const [by, setBy] = useState('');
  return (
    <Table
      caption="Goods"
      columns={columns}
      rows={sortedBy(rows, columns, by)}
      rowKey={({ name }) => name}
      cards={cards}
      sorted={by}
      sort={setBy}
      empty={<p>Nothing</p>}
    />
  );
}

const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);

test('a table has its name, its heads and a foot that adds up', () => {
  render(<Shown />);
  const table = screen.getByRole('table', { name: 'Goods' });
  expect(
    within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent),
  ).toEqual(['Name', 'Pieces']);
  expect(screen.getByRole('region', { name: 'Goods' }).getAttribute('tabindex')).toBe('0');
  expect(within(table).getByRole('cell', { name: '15' })).toBeDefined();
  // A head without a text would name nothing: a foot that begins empty has none.
  expect(names()).toEqual(['Мыло', 'Крем', 'Соль']);
});

test('numbers are sorted with the greatest first, and rows without a value stay last', async () => {
  const user = userEvent.setup();
  render(<Shown />);
  await user.click(screen.getByRole('button', { name: 'Pieces' }));
  expect(names()).toEqual(['Крем', 'Мыло', 'Соль']);
  expect(screen.getByRole('columnheader', { name: 'Pieces' }).getAttribute('aria-sort')).toBe('descending');
  await user.click(screen.getByRole('button', { name: 'Pieces' }));
  expect(names()).toEqual(['Мыло', 'Крем', 'Соль']);
  await user.click(screen.getByRole('button', { name: 'Name' }));
  expect(names()).toEqual(['Крем', 'Мыло', 'Соль']);
});

test('cards label their values, and no rows are said in place of the table', () => {
  const shown = render(<Shown cards />);
  expect(screen.getByRole('cell', { name: '12' }).getAttribute('data-label')).toBe('Pieces');
  shown.rerender(<Shown rows={[]} />);
  expect(screen.getByText('Nothing')).toBeDefined();
  expect(screen.queryByRole('table')).toBeNull();
});

test('an export holds values, quoted and without formulas', () => {
  expect(
    csvOf(columns, [
      { name: '=1+1, "x"', pieces: 2 },
      { name: 'Соль', pieces: null },
    ]),
  ).toBe('\ufeffName,Pieces\r\n"\'=1+1, ""x""",2\r\nСоль,\r\n');
});

test('a spreadsheet makes no other number of a text', () => {
  const one: Column<string>[] = [{ key: 'a', title: 'A', value: (text) => text, cell: () => null }];
  const texts = ['00123', '4006381333931', '1E5', '-5', '100001', '0.5', '2026-11-28', 'MK-007'];
  const cells = csvOf(one, texts).split('\r\n').slice(1, -1);
  expect(cells).toEqual(["'00123", "'4006381333931", "'1E5", "'-5", '100001', '0.5', '2026-11-28', 'MK-007']);
});
