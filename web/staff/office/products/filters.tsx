import { useEffect, useState } from 'react';
import { Labelled } from '../../parts/labelled';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import type { ProductGroups, ProductSearch } from './queries';
import { goodsTexts as w } from './texts/ru';

type Name = keyof ProductSearch;
const names: Name[] = [
  'query',
  'category',
  'brand',
  'mark',
  'state',
  'stock',
  'lacks',
  'discounted',
  'sort',
  'at',
];

/** What the filters in an address ask for. */
export function searchOf(address: URLSearchParams): ProductSearch {
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const value = address.get(name);
      return value ? [[name, name === 'discounted' ? value === 'true' : value]] : [];
    }),
  );
  return given as ProductSearch;
}

/** How long typing rests before it is searched for, in milliseconds. */
const rest = 150;

/** What narrows the grid. All of it stands in the address. */
export function Filters({
  value,
  narrow,
  reset,
  groups,
}: {
  value: (name: string) => string;
  narrow: (name: string, to: string) => void;
  reset: () => void;
  groups: ProductGroups;
}) {
  const [typed, setTyped] = useState(value('query'));
  useEffect(() => {
    if (typed.trim() === value('query')) return;
    const timer = setTimeout(() => narrow('query', typed.trim()), rest);
    return () => clearTimeout(timer);
  });
  const select = (name: string, label: string, none: string, options: [string, string][]) => (
    <Labelled label={label}>
      <select value={value(name)} onChange={({ target }) => narrow(name, target.value)}>
        <option value="">{none}</option>
        {options.map(([key, said]) => (
          <option key={key} value={key}>
            {said}
          </option>
        ))}
      </select>
    </Labelled>
  );
  const among = (kind: keyof ProductGroups) =>
    groups[kind]
      .filter(
        ({ archived, id }) =>
          !archived || id === value(kind === 'categories' ? 'category' : kind.slice(0, -1)),
      )
      .map(({ id, name, products }): [string, string] => [id, `${name} (${products})`]);
  return (
    <search className={d.filters}>
      <Labelled label={w.query}>
        <input
          type="search"
          value={typed}
          maxLength={200}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={({ key }) => key === 'Enter' && narrow('query', typed.trim())}
        />
      </Labelled>
      {select('category', w.category, w.any, among('categories'))}
      {select('brand', w.brand, w.anyBrand, among('brands'))}
      {select('mark', w.marks, w.all, among('marks'))}
      {select('stock', w.stock, w.all, Object.entries(w.stocks))}
      {select('discounted', w.discount, w.all, Object.entries(w.discounts))}
      {select('state', w.state, w.all, [
        ['active', w.onSale],
        ['archived', w.archived],
      ])}
      {select('lacks', w.lacks, '—', Object.entries(w.lack))}
      <Action
        onClick={() => {
          setTyped('');
          reset();
        }}
      >
        {w.reset}
      </Action>
    </search>
  );
}
