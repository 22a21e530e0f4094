import { useSyncExternalStore } from 'react';
import { say } from '../kit/texts/catalogue';

export const languages = ['ru', 'kk', 'en'] as const;
export type Language = (typeof languages)[number];

/** Each language calls itself by its own name, whatever the page speaks. */
export const languageNames: Record<Language, string> = { ru: 'Русский', kk: 'Қазақша', en: 'English' };

/** Where the browser remembers the language of the staff app. */
export const languageKey = 'dala.staff.language';

const catalogues = {
  kk: () => import('./texts/kk').then(({ kazakh }) => kazakh),
  en: () => import('./texts/en').then(({ english }) => english),
};

let spoken: Language = 'ru';
const listeners = new Set<() => void>();

/** The language that every text is shown in now. */
export const spokenLanguage = (): Language => spoken;

/** The language that was chosen in this browser; Russian unless another one was. */
export function rememberedLanguage(): Language {
  try {
    const kept = localStorage.getItem(languageKey);
    return languages.find((one) => one === kept) ?? 'ru';
  } catch {
    return 'ru';
  }
}

/**
 * Has every text say what a language says. Russian is there at once, the others are a chunk each; when that does not
 * load, the language stays as it was.
 */
export async function speak(language: Language): Promise<void> {
  try {
    say(language === 'ru' ? undefined : await catalogues[language]());
    spoken = language;
  } catch {
    // The switch still shows the language in use.
  }
  document.documentElement.lang = spoken;
  for (const changed of listeners) changed();
}

/** Remembers a language and shows every text in it. */
export async function chooseLanguage(language: Language): Promise<void> {
  try {
    localStorage.setItem(languageKey, language);
  } catch {
    // Storage may be closed to us; the choice then lasts as long as the page.
  }
  await speak(language);
}

/** The language in use; a component that asks is drawn again when it changes. */
export const useLanguage = (): Language =>
  useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => {
      listeners.delete(changed);
    };
  }, spokenLanguage);
