import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react';
import { classes } from '../../../kit/design/classes';
import { Link } from '../../../kit/design/link';
import x from '../../../kit/design/text.module.css';
import { count } from '../../parts/format';
import { Action } from '../../parts/parts';
import { useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { indent, type Tell, useCarry } from './carry';
import type { Entry } from './entries';
import { type Carry, type Place, placeOf, type Row, treeOf } from './place';
import { groupTexts as w } from './texts/ru';
import s from './tree.module.css';

/** The categories as a tree whose entries are dragged to another place, and under another parent. */
export function Tree({
  entries,
  may,
  actions,
  move,
}: {
  entries: Entry[];
  may: boolean;
  actions: (row: Row) => ReactNode;
  move: (entry: Entry, place: Place) => void;
}) {
  const then = useThen();
  const list = useRef<HTMLUListElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [told, setTold] = useState('');
  const all = treeOf(entries);
  const shown = all.filter(({ entry }) => !entry.parent_id || !closed.has(entry.parent_id));
  const parents = new Set(all.flatMap(({ entry, depth }) => (depth > 0 ? (entry.parent_id ?? []) : [])));
  const names = new Map(entries.map(({ id, name }) => [id, name]));
  const nameOf = (id: string | null) => names.get(id ?? '') ?? '';
  const tell: Tell = (what, carry) => {
    const name = nameOf(carry.id);
    setTold(what === 'over' ? w.over(name, ...spoken(carry, nameOf)) : w[what](name));
  };
  const put = (id: string, place: Place) => {
    const entry = entries.find((one) => one.id === id);
    if (entry) move(entry, place);
  };
  const { carry, handle } = useCarry(list, shown, all, put, tell);

  // The keyboard can move the line out of sight.
  useEffect(() => {
    if (carry) list.current?.querySelector('[data-line]')?.scrollIntoView?.({ block: 'nearest' });
  }, [carry]);

  const toggle = (id: string) => {
    const next = new Set(closed);
    if (!next.delete(id)) next.add(id);
    setClosed(next);
  };
  const row = (row: Row) => {
    const { entry, depth } = row;
    const open = parents.has(entry.id) ? !closed.has(entry.id) : undefined;
    return (
      <li key={entry.id} data-row={entry.id} className={s.row} {...lineOf(carry, entry.id, nameOf)}>
        <div className={classes(s.name, carry && isCarried(carry, entry.id) && s.carried)}>
          <span style={{ inlineSize: `${depth * indent}rem` }} />
          {may ? (
            <button
              type="button"
              className={s.handle}
              aria-label={w.handle(entry.name)}
              aria-describedby="tree-keys"
              {...handle(entry.id)}
            >
              <span aria-hidden="true">⠿</span>
            </button>
          ) : null}
          {open === undefined ? (
            <span className={s.toggle} />
          ) : (
            <button
              type="button"
              className={s.toggle}
              aria-expanded={open}
              aria-label={w.below(entry.name)}
              onClick={() => toggle(entry.id)}
            >
              <span aria-hidden="true">{open ? '▾' : '▸'}</span>
            </button>
          )}
          <span className={s.words}>
            <b>{entry.name}</b>
            {depth > 0 ? <span className={x.hidden}> {w.inside(nameOf(entry.parent_id))}</span> : null}
            <span className={classes(s.link, d.id)}>{entry.link}</span>
          </span>
        </div>
        <Link className={s.count} to={then(`/admin/products?category=${entry.id}`)}>
          {count(entry.products)}
          <span className={x.hidden}> {w.productsOf(entry.name)}</span>
        </Link>
        {may ? <div className={classes(d.actions, s.actions)}>{actions(row)}</div> : null}
      </li>
    );
  };
  return (
    <>
      <div className={s.above}>
        {may ? (
          <p id="tree-keys" className={d.quiet}>
            {w.keys}
          </p>
        ) : null}
        {parents.size > 0 ? (
          <Action kind="plain" onClick={() => setClosed(closed.size > 0 ? new Set() : parents)}>
            {closed.size > 0 ? w.openAll : w.closeAll}
          </Action>
        ) : null}
      </div>
      <p aria-live="assertive" className={x.hidden}>
        {told}
      </p>
      <ul ref={list} aria-label={w.titles.category} className={classes(s.tree, carry && s.carrying)}>
        {shown.map(row)}
      </ul>
    </>
  );
}

/** The row below the place where a carried category lands draws a line with its name; at the end the last row draws it. */
function lineOf(carry: Carry | undefined, id: string, nameOf: (id: string) => string) {
  if (!carry) return {};
  const { stay, spot } = carry;
  const side =
    stay[spot.gap]?.entry.id === id
      ? 'before'
      : spot.gap === stay.length && stay.at(-1)?.entry.id === id
        ? 'after'
        : undefined;
  return side
    ? {
        'data-line': side,
        'data-carried': nameOf(carry.id),
        style: { '--line-start': `${spot.depth * indent}rem` } as CSSProperties,
      }
    : {};
}

/** Whether a row that is shown goes with the carried one. */
const isCarried = ({ stay }: Carry, id: string) => !stay.some(({ entry }) => entry.id === id);

/** The parent of a spot, the place under it and how many there will be. */
function spoken(carry: Carry, nameOf: (id: string | null) => string): [string, number, number] {
  const { parent, before } = placeOf(carry);
  const beside = carry.stay.filter(({ depth, entry }) =>
    parent ? entry.parent_id === parent : depth === carry.spot.depth,
  );
  const at = beside.findIndex(({ entry }) => entry.id === before);
  return [nameOf(parent), (at < 0 ? beside.length : at) + 1, beside.length + 1];
}
