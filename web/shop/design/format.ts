import { designTexts } from '../texts/design';

const NBSP = '\u00a0';

/**
 * Whole tenge with U+00A0 between thousands: 15 000. Written by hand because the engine that renders
 * pages on the server has no Intl.
 */
export function formatAmount(value: number): string {
  const digits = String(Math.abs(value)).replace(/\B(?=(\d{3})+$)/g, NBSP);
  return value < 0 ? `−${digits}` : digits;
}

/** Whole tenge with the currency sign: 15 000 ₸. */
export const formatMoney = (value: number): string => `${formatAmount(value)}${NBSP}₸`;

/** 0 to 5 with a decimal comma: 4,8. */
export const formatRating = (value: number): string => value.toFixed(1).replace('.', ',').replace(',0', '');

const two = (part: number) => String(part).padStart(2, '0');

/** A time in the shop's time zone (UTC+5), to be read with the methods for UTC. */
const local = (time: string) => new Date(Date.parse(time) + 5 * 3_600_000);

/** hour:minute of an RFC 3339 time, in the shop's time zone. */
export const formatTime = (time: string): string =>
  `${two(local(time).getUTCHours())}:${two(local(time).getUTCMinutes())}`;

/** day.month.year of an RFC 3339 time, in the shop's time zone. */
export function formatDate(time: string): string {
  const day = local(time);
  return `${two(day.getUTCDate())}.${two(day.getUTCMonth() + 1)}.${day.getUTCFullYear()}`;
}

/** day.month of the last moment before an RFC 3339 time, in the shop's time zone: what ends at midnight is said to last until the day before. */
export const formatLastDay = (end: string): string =>
  formatDate(new Date(Date.parse(end) - 1).toISOString()).slice(0, 5);

/** The first sentences of a text, and whether anything was left out. */
export function firstSentences(text: string, count: number): { head: string; cut: boolean } {
  const sentences = text.match(/[^.!?…]+[.!?…]+["»)]*\s*|[^.!?…]+$/g) ?? [text];
  const head = sentences.slice(0, count).join('').trim();
  return { head, cut: head.length < text.trim().length };
}

/** What an element needs to show a text of the merchant: in the page's language, or marked as Russian. */
export const spoken = (russian: string, kazakh: string): { children: string; lang?: string } =>
  designTexts.language === 'kk' && kazakh ? { children: kazakh } : { children: russian, lang: 'ru' };
