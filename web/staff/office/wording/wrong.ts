import type { Sentence } from './queries';
import { wordingTexts as w } from './texts/ru';

const most = 2_000;

/** Whether a text is one line, as a mail program shows it. */
export const isLine = (name: string): boolean => /^(subject|title|preview)/.test(name);

/** What is wrong with a text, in words; empty when it may be. The server has the same rules. */
export function wrong({ name, placeholders, must }: Sentence, text: string): string {
  const has: string[] = text.match(/\{[^{}]*\}/g) ?? [];
  const strange = has.find((one) => !placeholders.includes(one));
  const lacks = must.find((one) => !has.includes(one));
  if (text.trim() === '') return '';
  if ([...text].length > most) return w.tooLong;
  if (isLine(name) && /[\r\n]/.test(text)) return w.oneLine;
  if (/<\/?[A-Za-z!]/.test(text) || /[{}]/.test(text.replace(/\{[^{}]*\}/g, ''))) return w.noHtml;
  if (strange) return w.unknown(strange);
  return lacks ? w.lacks(lacks) : '';
}
