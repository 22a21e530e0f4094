import type { ChangeRow } from './queries';

/** A day in Almaty, YYYY-MM-DD. */
const dayIn = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Almaty' });
export const today = (now: Date): string => dayIn.format(now);

/** The month of the address, YYYY-MM; what is none is the present one. */
export const monthOf = (text: string, now: Date): string =>
  /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : today(now).slice(0, 7);

const utc = (day: string) => new Date(`${day}T00:00:00Z`);
const iso = (at: Date) => at.toISOString().slice(0, 10);

/** The month so many months later. */
export function monthBeside(month: string, by: number): string {
  const at = utc(`${month}-01`);
  at.setUTCMonth(at.getUTCMonth() + by);
  return iso(at).slice(0, 7);
}

/** What a change does on a day: it happens at a moment, begins, goes on, or ends. */
export type Part = 'at' | 'begins' | 'goes-on' | 'ends';
/** A change on a day; named where its name has to be read although nothing happens: where a week begins. */
export type Lane = { row: ChangeRow; part: Part; named: boolean };
/** A day with its changes by lane; an empty lane keeps those below in their line. */
export type Day = { date: string; outside: boolean; lanes: (Lane | undefined)[] };

type Span = { row: ChangeRow; from: string; until: string };

/** The days of a change in Almaty. One that ends at midnight is over with the day before. */
function spanOf(row: ChangeRow): Span | undefined {
  if (!row.starts_at && !row.ends_at) return undefined;
  const begins = row.starts_at ?? row.applied_at ?? row.proposed_at;
  const first = Date.parse(begins);
  const last = row.ends_at ? Math.max(first, Date.parse(row.ends_at) - 1) : first;
  return { row, from: dayIn.format(first), until: dayIn.format(last) };
}

function partOf({ row, from, until }: Span, date: string): Part {
  if (!row.ends_at) return 'at';
  if (date === from) return 'begins';
  return date === until ? 'ends' : 'goes-on';
}

/** The weeks of a month, from Monday on. A change keeps its lane over the days of a week. */
export function weeksOf(month: string, rows: ChangeRow[]): Day[][] {
  const spans = rows.map(spanOf).filter((one) => one !== undefined);
  spans.sort((a, b) => a.from.localeCompare(b.from) || b.until.localeCompare(a.until));
  const first = utc(`${month}-01`);
  first.setUTCDate(first.getUTCDate() - ((first.getUTCDay() + 6) % 7));
  const weeks: Day[][] = [];
  for (const at = first; iso(at).slice(0, 7) <= month; ) {
    const week = Array.from({ length: 7 }, () => {
      const date = iso(at);
      at.setUTCDate(at.getUTCDate() + 1);
      return date;
    });
    weeks.push(weekOf(week, spans, month));
  }
  return weeks;
}

function weekOf(week: string[], spans: Span[], month: string): Day[] {
  const [monday = '', sunday = ''] = [week[0], week[6]];
  const lanes: Span[][] = [];
  for (const span of spans.filter(({ from, until }) => from <= sunday && until >= monday)) {
    const free = lanes.find((lane) => (lane.at(-1)?.until ?? '') < span.from);
    if (free) free.push(span);
    else lanes.push([span]);
  }
  return week.map((date) => {
    const on = lanes.map((lane) => {
      const span = lane.find(({ from, until }) => from <= date && date <= until);
      if (!span) return undefined;
      return { row: span.row, part: partOf(span, date), named: date === monday || date === `${month}-01` };
    });
    const last = on.findLastIndex((lane) => lane !== undefined);
    return { date, outside: date.slice(0, 7) !== month, lanes: on.slice(0, last + 1) };
  });
}
