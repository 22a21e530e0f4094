/**
 * What is said under a field or a form, in the language of the page; as an error of type 'server' in the server's own
 * words, which are Russian on every page.
 */
export type Said = string | { type?: string | number; message?: string } | undefined;

/** In the words of the server. */
export const server = (message?: string) => ({ type: 'server', message });

/** The words alone. */
export const wordsOf = (said: Said): string | undefined => (typeof said === 'object' ? said.message : said);

/** The language to mark it with (WCAG 3.1.2). */
export const langOf = (said: Said): 'ru' | undefined =>
  typeof said === 'object' && said.type === 'server' ? 'ru' : undefined;
