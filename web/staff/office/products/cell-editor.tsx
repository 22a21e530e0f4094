import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Column } from './columns';
import { type Field, textOf, type Value } from './fields';
import s from './grid.module.css';
import type { ProductGroups } from './queries';
import { goodsTexts as w } from './texts/ru';

const ways: Record<string, [number, number]> = { Enter: [1, 0], Tab: [0, 1] };

/** The active cell while it is typed into. Enter and Tab keep the text and go on, Escape leaves the cell as it was. */
export function CellEditor({
  column,
  field,
  value,
  groups,
  begin,
  leave,
}: {
  column: Column;
  field: Field;
  value: Value;
  groups: ProductGroups;
  /** What was typed to begin with, in place of the present value. */
  begin?: string | undefined;
  leave: (text?: string, by?: [number, number]) => void;
}) {
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  const left = useRef(false);
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
    if (begin === undefined) input.current?.select?.();
  }, [begin]);
  const go = (text?: string, by?: [number, number]) => {
    if (left.current) return;
    left.current = true;
    leave(text, by);
  };
  const shared = {
    ref: input,
    className: s.input,
    'aria-label': column.title(),
    onKeyDown: (event: KeyboardEvent<HTMLInputElement | HTMLSelectElement>) => {
      event.stopPropagation();
      const by = ways[event.key];
      if (event.key === 'Escape') {
        event.preventDefault();
        go(undefined, [0, 0]);
      } else if (by && !event.nativeEvent.isComposing) {
        event.preventDefault();
        go(event.currentTarget.value, event.shiftKey ? [-by[0], -by[1]] : by);
      }
    },
    onBlur: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      go(currentTarget.value),
  };
  if (column.choice === 'archived') {
    return (
      <select {...shared} defaultValue={String(value)}>
        <option value="false">{w.onSale}</option>
        <option value="true">{w.archived}</option>
      </select>
    );
  }
  if (column.choice) {
    return (
      <select {...shared} defaultValue={String(value ?? '')}>
        {column.choice === 'brands' ? <option value="">{w.noBrand}</option> : null}
        {groups[column.choice]
          .filter(({ id, archived }) => !archived || id === value)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
    );
  }
  return (
    <input
      {...shared}
      inputMode={column.number ? 'numeric' : undefined}
      defaultValue={begin ?? textOf(field, value, groups)}
      maxLength={1000}
    />
  );
}
