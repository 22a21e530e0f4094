import type { Entry, Item } from './entries';

/** The parent of a category at the top. */
export const none = '00000000-0000-0000-0000-000000000000';

/** The catalog has two levels: the importer makes no more, and a product names one parent. */
const levels = 2;

export type Row = { entry: Entry; depth: number; siblings: Entry[] };

/** Where a category comes to: under a parent, before another; null: at the top, at the end. */
export type Place = { parent: string | null; before: string | null };

/** A gap between the rows that stay (0: above all), and the depth at which the category enters it. */
export type Spot = { gap: number; depth: number };

/** A category on its way: the rows that stay where they are, how many levels are below it, and where it would land. */
export type Carry = { id: string; stay: Row[]; below: number; spot: Spot };

/** The tree as a list, each entry with its depth and those beside it. */
export function treeOf(entries: Entry[]): Row[] {
  const known = new Set(entries.map(({ id }) => id));
  const under = new Map<string, Entry[]>();
  for (const entry of entries) {
    const parent = entry.parent_id && known.has(entry.parent_id) ? entry.parent_id : '';
    const beside = under.get(parent);
    if (beside) beside.push(entry);
    else under.set(parent, [entry]);
  }
  const rows: Row[] = [];
  const walk = (parent: string, depth: number) => {
    const siblings = under.get(parent) ?? [];
    for (const entry of siblings) {
      rows.push({ entry, depth, siblings });
      if (depth < 8) walk(entry.id, depth + 1);
    }
  };
  walk('', 0);
  return rows;
}

/** Where the rows below one end. */
function endOf(rows: Row[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  const next = rows.findIndex((row, n) => n > at && row.depth <= depth);
  return next < 0 ? rows.length : next;
}

/** Takes a category up from the rows that are shown; all are those of closed parents as well. */
export function pickedUp(shown: Row[], all: Row[], id: string): Carry | undefined {
  const at = shown.findIndex(({ entry }) => entry.id === id);
  const one = shown[at];
  if (!one) return;
  const whole = all.findIndex(({ entry }) => entry.id === id);
  const depths = all.slice(whole, endOf(all, whole)).map(({ depth }) => depth - one.depth);
  const stay = [...shown.slice(0, at), ...shown.slice(endOf(shown, at))];
  return { id, stay, below: Math.max(0, ...depths), spot: { gap: at, depth: one.depth } };
}

/** At which depths a category may enter a gap; undefined: at none. */
function depthsAt({ stay, below }: Carry, gap: number): { least: number; most: number } | undefined {
  const least = stay[gap]?.depth ?? 0;
  const most = Math.min((stay[gap - 1]?.depth ?? -1) + 1, levels - 1 - below);
  return least <= most ? { least, most } : undefined;
}

/** The spot at a gap whose depth is nearest to the one that is wished. */
function spotAt(carry: Carry, gap: number, depth: number): Spot | undefined {
  const depths = gap < 0 || gap > carry.stay.length ? undefined : depthsAt(carry, gap);
  return depths && { gap, depth: Math.min(Math.max(depth, depths.least), depths.most) };
}

/** The spot at the gap that is nearest to the one that is wished. */
export function nearest(carry: Carry, wished: Spot): Spot {
  for (let off = 0; off <= carry.stay.length; off++) {
    const spot =
      spotAt(carry, wished.gap - off, wished.depth) ?? spotAt(carry, wished.gap + off, wished.depth);
    if (spot) return spot;
  }
  return carry.spot;
}

/** The spot that an arrow key leads to; the present one where there is none further on. */
export function stepped(carry: Carry, key: string): Spot | undefined {
  const { spot, stay } = carry;
  const search = (from: number, by: number) => {
    for (let gap = from; gap >= 0 && gap <= stay.length; gap += by) {
      const found = spotAt(carry, gap, spot.depth);
      if (found) return found;
    }
    return spot;
  };
  switch (key) {
    case 'ArrowUp':
      return search(spot.gap - 1, -1);
    case 'ArrowDown':
      return search(spot.gap + 1, 1);
    case 'ArrowLeft':
      return spotAt(carry, spot.gap, spot.depth - 1) ?? spot;
    case 'ArrowRight':
      return spotAt(carry, spot.gap, spot.depth + 1) ?? spot;
    case 'Home':
      return search(0, 1);
    case 'End':
      return search(stay.length, -1);
  }
}

/** What a spot means in the tree. */
export function placeOf({ stay, spot: { gap, depth } }: Carry): Place {
  const parent = stay.slice(0, gap).findLast((row) => row.depth < depth);
  const next = stay[gap];
  return { parent: parent?.entry.id ?? null, before: next?.depth === depth ? next.entry.id : null };
}

/** What a move changes: the parent, and the order of those whose number differs, where it comes from and where it comes to. */
export function moved(entries: Entry[], id: string, { parent: wished, before }: Place): Item[] {
  const one = entries.find((entry) => entry.id === id);
  if (!one) return [];
  const known = new Set(entries.map((entry) => entry.id));
  // What is below a lost parent is shown at the top, and moves there.
  const shown = (parent: string | null) => (parent && known.has(parent) ? parent : null);
  const [own, parent] = [shown(one.parent_id), shown(wished)];
  const group = (of: string | null) =>
    entries.filter((entry) => shown(entry.parent_id) === of && entry.id !== id);
  const numbered = (group: Entry[]): Item[] =>
    group.flatMap(({ id, order }, n) =>
      order === n + 1 ? [] : [{ thing: 'category', id, field: 'order', was: order, now: n + 1 }],
    );
  const to = group(parent);
  const at = to.findIndex((entry) => entry.id === before);
  to.splice(at < 0 ? to.length : at, 0, one);
  const from = own === parent ? [] : group(own);
  const changed =
    own === parent
      ? []
      : [{ thing: 'category', id, field: 'parent_id', was: one.parent_id ?? none, now: parent ?? none }];
  return [...changed, ...numbered(to), ...numbered(from)];
}

/** The entries as they are once the items are set, in their order. */
export function arranged(entries: Entry[], items: Item[]): Entry[] {
  const as = (entry: Entry) => {
    const next = { ...entry };
    for (const { id, field, now } of items) {
      if (id !== entry.id) continue;
      if (field === 'order') next.order = now as number;
      else next.parent_id = now === none ? null : (now as string);
    }
    return next;
  };
  return entries.map(as).sort((a, b) => a.order - b.order);
}
