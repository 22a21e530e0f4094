/**
 * A message under a field or a form. A string is in the language of the page; an error of type 'server' holds the
 * server's sentence, which is Russian where the server has no Kazakh words for it.
 */
export type Message = string | { type?: string | number; message?: string } | undefined;

/** A message with the server's sentence. */
export const serverMessage = (message?: string) => ({ type: 'server', message });

/** The text of a message. */
export const textOf = (message: Message): string | undefined =>
  typeof message === 'object' ? message.message : message;

/** Letters that Russian lacks: each Kazakh sentence of the server has one (readapi/sentences/kazakh.txt). */
const kazakhLetter = /[әғқңөұүһі]/i;

/** The lang attribute of a message (WCAG 3.1.2). */
export const langOf = (message: Message): 'ru' | undefined =>
  typeof message === 'object' && message.type === 'server' && !kazakhLetter.test(message.message ?? '')
    ? 'ru'
    : undefined;
