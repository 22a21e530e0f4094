import type { Cell, Draft, DraftRow } from './draft';
import type { Field } from './fields';
import type { ProductRow } from './queries';

/**
 * A draft as browsers keep it. They take some five million characters: ten thousand products fit, each value written once and named by its
 * place.
 */
type Packed = { keys: string[]; values: unknown[]; rows: [number[], [Field, Cell][]][] };

export function packed(draft: Draft): string {
  const all = Object.values(draft);
  const keys = Object.keys(all[0]?.row ?? {});
  const values: unknown[] = [];
  const places = new Map<string, number>();
  const placeOf = (value: unknown) => {
    const text = JSON.stringify(value) ?? 'null';
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, values.length);
    return values.push(value) - 1;
  };
  const rows = all.map(({ row, cells }): Packed['rows'][number] => [
    keys.map((key) => placeOf(row[key as keyof ProductRow])),
    Object.entries(cells) as [Field, Cell][],
  ]);
  return JSON.stringify({ keys, values, rows } satisfies Packed);
}

export function unpacked(text: string): Draft {
  const kept = JSON.parse(text) as Packed | Draft;
  if (!Array.isArray(kept.rows)) return kept as Draft; // of a page of before
  const { keys, values, rows } = kept as Packed;
  return Object.fromEntries(
    rows.map(([places, cells]): [string, DraftRow] => {
      const row = Object.fromEntries(keys.map((key, at) => [key, values[places[at] ?? -1]])) as ProductRow;
      return [row.id, { row, cells: Object.fromEntries(cells) }];
    }),
  );
}
