import { say } from '../../kit/texts/catalogue';
import { askIn, type Language } from '../api/language';

/** The cookie that remembers the language; the server reads it to know what it renders. */
const cookie = 'lang';
const year = 31_536_000;

/** The language that a browser's cookies ask for; Russian unless they say otherwise. */
export const languageOf = (cookies: string): Language =>
  cookies.split('; ').includes(`${cookie}=kk`) ? 'kk' : 'ru';

/**
 * Has every text say what a language says. It is to end before the first render and before a renderer's next page:
 * texts that are on a page already do not change. Russian is there at once, any other language is a chunk of its own;
 * when that cannot be loaded, the shop goes on in Russian.
 */
export async function speak(language: Language): Promise<void> {
  const other = language === 'kk' ? (await import('../texts/kk').catch(() => undefined))?.kazakh : undefined;
  say(other);
  const spoken = other ? language : 'ru';
  askIn(spoken);
  // The same value again would have the style of the whole page computed anew.
  if (typeof document !== 'undefined' && document.documentElement.lang !== spoken)
    document.documentElement.lang = spoken;
}

/** Remembers the language for a year and opens the page anew in it. */
export function chooseLanguage(language: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is younger than the browsers we serve
  document.cookie = `${cookie}=${language}; path=/; max-age=${year}; samesite=lax`;
  location.reload();
}
