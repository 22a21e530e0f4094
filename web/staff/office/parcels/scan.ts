import type { Parcel } from './queries';

/** How many pieces of each article were checked. */
export type Counted = Record<string, number>;

export type Scanned =
  | { kind: 'right'; article: string; left: number; counted: Counted }
  | { kind: 'wrong' | 'many' | 'garbage'; code: string };

/** What a code that was scanned or typed means for an order. Articles are compared whatever their case. */
export function scan(order: Pick<Parcel, 'lines'>, counted: Counted, typed: string): Scanned {
  const code = typed.trim();
  if (!code || code.length > 100 || /[^\p{L}\p{N}\p{P}\p{S} ]/u.test(code)) return { kind: 'garbage', code };
  const line = order.lines.find(({ article }) => article.toLowerCase() === code.toLowerCase());
  if (!line) return { kind: 'wrong', code };
  const { article } = line;
  const wanted = wantedOf(order, article);
  const now = (counted[article] ?? 0) + 1;
  if (now > wanted) return { kind: 'many', code: article };
  return { kind: 'right', article, left: wanted - now, counted: { ...counted, [article]: now } };
}

const wantedOf = ({ lines }: Pick<Parcel, 'lines'>, wanted: string): number =>
  lines.reduce((sum, { article, amount }) => (article === wanted ? sum + amount : sum), 0);

/** Whether every piece of an order was checked. */
export const complete = (order: Pick<Parcel, 'lines'>, counted: Counted): boolean =>
  order.lines.every(({ article }) => counted[article] === wantedOf(order, article));

/** What all orders need of each article, in the order of shelves; goods without a shelf come last. */
export function pickList(orders: Parcel[]) {
  const picks = new Map<string, Parcel['lines'][number] & { orders: number[] }>();
  for (const { number, lines } of orders) {
    for (const line of lines) {
      const pick = picks.get(line.article);
      if (pick) {
        pick.amount += line.amount;
        if (!pick.orders.includes(number)) pick.orders.push(number);
      } else picks.set(line.article, { ...line, orders: [number] });
    }
  }
  const place = ({ shelf, article }: { shelf: string; article: string }) => [shelf ? 0 : 1, shelf, article];
  return [...picks.values()].sort((a, b) => {
    const [one, other] = [place(a), place(b)];
    const at = one.findIndex((value, i) => value !== other[i]);
    return at < 0 ? 0 : (one[at] as string) < (other[at] as string) ? -1 : 1;
  });
}
