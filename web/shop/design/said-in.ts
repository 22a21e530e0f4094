/** The language of a text of the catalog: Kazakh only where the page asked for Kazakh and there is such a text. */
export const saidIn = (of: { russian?: string[] }, text: string): 'kk' | 'ru' =>
  of.russian && !of.russian.includes(text) ? 'kk' : 'ru';
