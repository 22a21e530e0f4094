export type Language = 'ru' | 'kk';

let spoken: Language = 'ru';

/** The language that every text is shown in now. */
export const spokenLanguage = (): Language => spoken;

/** Has the calls that follow ask in a language; app/language.ts has the texts speak it. */
export const askIn = (language: Language): void => {
  spoken = language;
};
