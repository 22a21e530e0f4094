type Texts = Record<string, unknown>;

/** Every object of texts that a page has loaded so far, with what it says in Russian. */
const declared = new Map<string, { texts: Texts; russian: Texts }>();

/** What another language says in place of the Russian texts, by the name of their object. */
let spoken: Record<string, Texts> | undefined;

/**
 * Declares the texts of a part of the shop: in Russian, under the name they are exported by. The object returned says
 * what the language in use says, so a text is read when it is shown and never copied while a module loads.
 */
export function texts<T extends Texts>(name: string, russian: T): T {
  const own = { ...russian, ...spoken?.[name] };
  declared.set(name, { texts: own, russian });
  return own;
}

/** What an object of texts says in Russian, whatever language is in use. */
export function inRussian<T extends Texts>(own: T): T {
  for (const { texts, russian } of declared.values()) if (texts === own) return russian as T;
  return own;
}

/** Has every object of texts, those declared later too, say what a language says; without one, Russian. */
export function say(language: Record<string, Texts> | undefined): void {
  spoken = language;
  for (const [name, { texts, russian }] of declared) Object.assign(texts, russian, language?.[name]);
}
