/**
 * What is said under a field or a form, in the language of the page; as an error of type 'server' in the server's own
 * words, which are Russian on every page.
 */
export type Message = string | { type?: string | number; message?: string } | undefined;

/** In the words of the server. */
export const serverMessage = (message?: string) => ({ type: 'server', message });

/** The words alone. */
export const textOf = (message: Message): string | undefined =>
  typeof message === 'object' ? message.message : message;

/** The language to mark it with (WCAG 3.1.2). */
export const langOf = (message: Message): 'ru' | undefined =>
  typeof message === 'object' && message.type === 'server' ? 'ru' : undefined;
