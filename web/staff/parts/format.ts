const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });
const one = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** 12,345 */
export const count = (value: number): string => whole.format(value);

/** 12,345 events, 1 event */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

/** 12,345 ₸ */
export const money = (tenge: number): string => `${amount(tenge)}\u00a0₸`;

/** 12,345, with a minus of its own width. */
export const amount = (value: number) => (value < 0 ? `−${count(-value)}` : count(value));

/** +12,345, −12,345, 0: a difference. */
export const signed = (value: number): string => (value > 0 ? `+${count(value)}` : amount(value));

/** Events a second: 0.4, 12, 12,345. */
export const rate = (value: number): string => (value < 100 ? one : whole).format(value);

export const percent = (share: number, digits = 0): string =>
  `${new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(share * 100)} %`;

/** 0.04 ms, 4 ms, 1.2 s, 3 min 5 s, 2 h 10 min, 3 d 4 h */
export function duration(seconds: number): string {
  if (seconds < 0.000_005) return '0 s';
  if (seconds < 0.01) return `${fine.format(seconds * 1000)} ms`;
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 10) return `${one.format(seconds)} s`;
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return parts(Math.floor(s / 60), 'min', s % 60, 's');
  if (s < 86_400) return parts(Math.floor(s / 3600), 'h', Math.floor((s % 3600) / 60), 'min');
  return parts(Math.floor(s / 86_400), 'd', Math.floor((s % 86_400) / 3600), 'h');
}

const parts = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${count(large)} ${largeUnit}` : `${count(large)} ${largeUnit} ${small} ${smallUnit}`;

/** 812 B, 4.2 KB, 1.3 GB: of 1024. */
export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  let size = value;
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  return `${(size < 100 && at > 0 ? one : whole).format(size)} ${units[at]}`;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const exactly = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

/** In the viewer's zone: 21:19:05 today, 20 Nov 21:19:05 this year, 20 Nov 2025 21:19:05 before. */
export function moment(time: string, now = new Date()): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '—';
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  const date = at.getFullYear() === now.getFullYear() ? day : dayOfYear;
  return `${date.format(at)} ${clock.format(at)}`;
}

/** The day, the zone and the server's own value. */
export const exact = (time: string): string => `${exactly.format(new Date(time))} (${time})`;
