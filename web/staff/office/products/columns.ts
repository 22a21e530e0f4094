import { count } from '../../parts/format';
import { type Field, textOf, type Value } from './fields';
import type { ProductGroups, ProductRow } from './queries';
import { goodsTexts as w } from './texts/ru';

/** A column of the grid. Only one with a field can be changed. */
export type Column = {
  key: string;
  title: () => string;
  /** Its width, as CSS writes tracks of a grid. */
  width: string;
  field?: Field;
  /** What the server sorts it by. */
  sort?: string;
  number?: boolean;
  /** Whether narrow screens leave it out. */
  wide?: boolean;
  /** What it is chosen from, in place of being typed. */
  choice?: 'categories' | 'brands' | 'archived';
  show: (row: ProductRow, value: Value, groups: ProductGroups) => string;
};

const typed =
  (field: Field): Column['show'] =>
  (_, value, groups) =>
    textOf(field, value, groups);
const numbers: Column['show'] = (_, value) =>
  typeof value === 'number' ? count(value) : String(value ?? '');

export const columns: Column[] = [
  {
    key: 'article',
    title: () => w.article,
    width: 'minmax(7rem, 8rem)',
    sort: 'article',
    wide: true,
    show: ({ article }) => article,
  },
  {
    key: 'name',
    title: () => w.name,
    width: 'minmax(9rem, 3fr)',
    field: 'name',
    sort: 'name',
    show: typed('name'),
  },
  {
    key: 'price',
    title: () => w.price,
    width: '6.5rem',
    field: 'price',
    sort: 'price',
    number: true,
    show: numbers,
  },
  {
    key: 'discounted_price',
    title: () => w.discounted,
    width: '6.5rem',
    field: 'discounted_price',
    sort: 'discounted_price',
    number: true,
    show: numbers,
  },
  {
    key: 'category',
    title: () => w.category,
    width: 'minmax(8rem, 2fr)',
    field: 'category_id',
    sort: 'category',
    wide: true,
    choice: 'categories',
    show: typed('category_id'),
  },
  {
    key: 'brand',
    title: () => w.brand,
    width: 'minmax(7rem, 1fr)',
    field: 'brand_id',
    sort: 'brand',
    wide: true,
    choice: 'brands',
    show: typed('brand_id'),
  },
  {
    key: 'marks',
    title: () => w.marks,
    width: 'minmax(6rem, 1fr)',
    field: 'marks',
    wide: true,
    show: typed('marks'),
  },
  {
    key: 'on_hand',
    title: () => w.onHand,
    width: '5.5rem',
    field: 'on_hand',
    sort: 'on_hand',
    number: true,
    wide: true,
    show: numbers,
  },
  {
    key: 'available',
    title: () => w.available,
    width: '5.5rem',
    sort: 'available',
    number: true,
    wide: true,
    show: ({ available, low }) => (low ? `${count(available)} ↓` : count(available)),
  },
  {
    key: 'low_line',
    title: () => w.lowLine,
    width: '5rem',
    field: 'low_line',
    sort: 'low_line',
    number: true,
    wide: true,
    show: numbers,
  },
  {
    key: 'waiting',
    title: () => w.waiting,
    width: '4.5rem',
    sort: 'waiting',
    number: true,
    wide: true,
    show: ({ waiting }) => (waiting === 0 ? '' : count(waiting)),
  },
  {
    key: 'ordered',
    title: () => w.ordered,
    width: '5.5rem',
    number: true,
    wide: true,
    show: ({ ordered }) => (ordered === 0 ? '' : count(ordered)),
  },
  {
    key: 'shelf',
    title: () => w.shelf,
    width: '6rem',
    field: 'shelf',
    sort: 'shelf',
    wide: true,
    show: typed('shelf'),
  },
  {
    key: 'archived',
    title: () => w.state,
    width: '7rem',
    field: 'archived',
    wide: true,
    choice: 'archived',
    show: (_, value) => (value === true ? w.archived : value === false ? w.onSale : String(value)),
  },
];
