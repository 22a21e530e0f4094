import { type Language, spokenLanguage } from '../language';
import { unitTexts } from '../texts/units';

/** Not every browser knows Kazakh; its numbers are written as Russian ones, its months are named below. */
const locales: Record<Language, string> = { ru: 'ru-RU', kk: 'ru-RU', en: 'en-GB' };
const kazakhMonths = [
  'қаң.',
  'ақп.',
  'нау.',
  'сәу.',
  'мам.',
  'мау.',
  'шіл.',
  'там.',
  'қыр.',
  'қаз.',
  'қар.',
  'жел.',
];

/** What a language needs made once, such as a formatter. */
function perLanguage<T>(make: (locale: string) => T): () => T {
  const made = new Map<Language, T>();
  return () => {
    const language = spokenLanguage();
    const found = made.get(language) ?? make(locales[language]);
    made.set(language, found);
    return found;
  };
}

const numbers = (options: Intl.NumberFormatOptions) =>
  // American numbers say 120K, as the shop always did; its dates are British.
  perLanguage((locale) => new Intl.NumberFormat(locale === locales.en ? 'en' : locale, options));
const dates = (options: Intl.DateTimeFormatOptions) => {
  const made = perLanguage((locale) => new Intl.DateTimeFormat(locale, options));
  return () => ({
    format: (at: Date | number): string =>
      spokenLanguage() === 'kk' ? inKazakh(made(), at) : made().format(at),
  });
};

/** A date of the Russian format with the Kazakh month, without the day of the week. */
function inKazakh(format: Intl.DateTimeFormat, at: Date | number): string {
  const { timeZone } = format.resolvedOptions();
  const month = Number(new Intl.DateTimeFormat('en', { month: 'numeric', timeZone }).format(at)) - 1;
  return format
    .formatToParts(at)
    .map(({ type, value }) => {
      if (type === 'weekday') return '';
      if (type === 'month') return kazakhMonths[month];
      return type === 'literal' ? value.replace(/\s?г\./, '').replace(' в ', ' ') : value;
    })
    .join('')
    .replace(/^,\s*/, '');
}

const whole = numbers({ maximumFractionDigits: 0 });
const fine = numbers({ maximumSignificantDigits: 2 });
const one = numbers({ maximumFractionDigits: 1 });
const oneAlways = numbers({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const compact = numbers({ notation: 'compact', maximumFractionDigits: 1 });

/** 12,345 */
export const count = (value: number): string => whole().format(value);

/** 12,345 ₸ */
export const money = (tenge: number): string => `${amount(tenge)}\u00a0₸`;

/** 12,345, with a minus of its own width. */
export const amount = (value: number) => (value < 0 ? `−${count(-value)}` : count(value));

/** +12,345, −12,345, 0: a difference. */
export const signed = (value: number): string => (value > 0 ? `+${count(value)}` : amount(value));

/** Events a second: 0.4, 12, 12,345. */
export const rate = (value: number): string => (value < 100 ? one() : whole()).format(value);

/** 63 %, with a digit after the point 99.7 %. */
export const percent = (share: number, digits: 0 | 1 = 0): string =>
  `${(digits === 1 ? oneAlways() : whole()).format(share * 100)} %`;

/** Thousandths: 99.7 %. */
export const perMille = (value: number): string => `${oneAlways().format(value / 10)} %`;

/** 1.2K, for the axis of a chart. */
export const short = (value: number): string => {
  const said = compact().format(value);
  return spokenLanguage() === 'kk' ? said.replace('тыс.', 'мың') : said;
};

/** 0.04 ms, 4 ms, 1.2 s, 3 min 5 s, 2 h 10 min, 3 d 4 h */
export function duration(seconds: number): string {
  if (seconds < 0.000_005) return `0 ${unitTexts.s}`;
  if (seconds < 0.01) return `${fine().format(seconds * 1000)} ${unitTexts.ms}`;
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ${unitTexts.ms}`;
  if (seconds < 10) return `${one().format(seconds)} ${unitTexts.s}`;
  const s = Math.round(seconds);
  if (s < 60) return `${s} ${unitTexts.s}`;
  if (s < 3600) return parts(Math.floor(s / 60), unitTexts.min, s % 60, unitTexts.s);
  if (s < 86_400) return parts(Math.floor(s / 3600), unitTexts.h, Math.floor((s % 3600) / 60), unitTexts.min);
  return parts(Math.floor(s / 86_400), unitTexts.d, Math.floor((s % 86_400) / 3600), unitTexts.h);
}

const parts = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${count(large)} ${largeUnit}` : `${count(large)} ${largeUnit} ${small} ${smallUnit}`;

/** 812 B, 4.2 KB, 1.3 GB: of 1024. */
export function bytes(value: number): string {
  const units = unitTexts.bytes;
  let at = 0;
  let size = value;
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024;
    at++;
  }
  return `${(size < 100 && at > 0 ? one() : whole()).format(size)} ${units[at]}`;
}

const clock = dates({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = dates({ day: 'numeric', month: 'short' });
const dayOfYear = dates({ day: 'numeric', month: 'short', year: 'numeric' });
const exactly = dates({ dateStyle: 'full', timeStyle: 'long' });
const almatyDays = dates({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'Asia/Almaty' });
const almatyTimes = dates({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'Asia/Almaty',
});
const almatyHours = dates({ hour: '2-digit', minute: '2-digit', timeZone: 'Asia/Almaty' });
const almatyMonths = dates({ month: 'long', year: 'numeric', timeZone: 'Asia/Almaty' });
const utcDay = dates({ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const utcMonth = dates({ month: 'short', year: 'numeric', timeZone: 'UTC' });

/** 20 Nov 2025: a day that a report names, in no zone. */
export const dayOf = (time: number): string => utcDay().format(time);
/** 20 Nov 2025: a day such as 2025-11-20, or the day of a moment in Almaty. */
export const almatyDay = (time: string): string => {
  const at = new Date(time.length === 10 ? `${time}T12:00:00+05:00` : time);
  return Number.isNaN(at.getTime()) ? time : almatyDays().format(at);
};

/** 20 Nov 2025, 09:00: a moment in Almaty. */
export const almatyMoment = (time: string): string => {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? time : almatyTimes().format(at);
};
/** 09:00: the time of day of a moment in Almaty. */
export const almatyClock = (time: string): string => almatyHours().format(new Date(time));
/** November 2025: the month of a day. */
export const almatyMonth = (day: string): string => {
  const said = almatyMonths().format(new Date(`${day}T12:00:00+05:00`));
  return said.charAt(0).toUpperCase() + said.slice(1);
};
/** Nov 2025 */
export const monthOf = (time: number): string => utcMonth().format(time);

/** In the viewer's zone: 21:19:05 today, 20 Nov 21:19:05 this year, 20 Nov 2025 21:19:05 before. */
export function moment(time: string, now = new Date()): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '—';
  if (at.toDateString() === now.toDateString()) return clock().format(at);
  const date = at.getFullYear() === now.getFullYear() ? day : dayOfYear;
  return `${date().format(at)} ${clock().format(at)}`;
}

/** The day, the zone and the server's own value. */
export const exact = (time: string): string => `${exactly().format(new Date(time))} (${time})`;

/** The names of the months, for the axis of a chart: whole and short. */
export function monthNames(): { long: string[]; short: string[] } {
  if (spokenLanguage() === 'kk') return { long: kazakhMonths, short: kazakhMonths };
  const named = (month: 'long' | 'short') =>
    Array.from({ length: 12 }, (_, at) =>
      new Intl.DateTimeFormat(locales[spokenLanguage()], { month, timeZone: 'UTC' }).format(
        Date.UTC(2026, at),
      ),
    );
  return { long: named('long'), short: named('short') };
}
