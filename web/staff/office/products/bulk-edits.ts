import type { Draft, Edit } from './draft';
import { type Field, read } from './fields';
import { evaluate, type Rounding, rounded } from './formula';
import type { ProductGroups, ProductRow } from './queries';

/** What is done to every chosen product. */
export type BulkEdit =
  | {
      kind: 'formula';
      field: 'price' | 'discounted_price' | 'on_hand';
      formula: string;
      step: number;
      how: Rounding;
    }
  | { kind: 'set'; field: 'category_id' | 'brand_id' | 'shelf' | 'low_line' | 'archived'; text: string }
  | { kind: 'mark' | 'unmark'; mark: string };

/** The most that a price or a stock may be. */
const most = 1_000_000_000;

/** The edits that a bulk action makes of rows, over what the draft has changed of them. Throws BadFormula. */
export function bulkEdits(rows: ProductRow[], draft: Draft, action: BulkEdit, groups: ProductGroups): Edit[] {
  return rows.map((row) => ({ row, ...editOf(row, draft, action, groups) }));
}

function editOf(row: ProductRow, draft: Draft, action: BulkEdit, groups: ProductGroups): Omit<Edit, 'row'> {
  const now = <F extends Field>(field: F) =>
    (draft[row.id]?.cells[field]?.now ?? row[field]) as ProductRow[F];
  if (action.kind === 'set') return { field: action.field, to: read(action.field, action.text, row, groups) };
  if (action.kind === 'formula') {
    const [price, discount, stock] = [
      Number(now('price')),
      Number(now('discounted_price')),
      Number(now('on_hand')),
    ];
    const names = { price, discount, stock, цена: price, скидка: discount, остаток: stock };
    return calculated(action.field, rounded(evaluate(action.formula, names), action.step, action.how));
  }
  const rest = now('marks').filter((id) => id !== action.mark);
  return { field: 'marks', to: { now: action.kind === 'mark' ? [...rest, action.mark] : rest } };
}

/** A formula may come to what no price and no stock may be. */
function calculated(field: 'price' | 'discounted_price' | 'on_hand', value: number): Omit<Edit, 'row'> {
  const stock = field === 'on_hand';
  if (Number.isFinite(value) && value >= (stock ? 0 : 1) && value <= most)
    return { field, to: { now: value } };
  return {
    field,
    to: { now: Number.isFinite(value) ? value : String(value), wrong: stock ? 'stock' : 'price' },
  };
}
