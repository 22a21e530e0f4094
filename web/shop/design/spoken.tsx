import { designTexts } from '../texts/design';

/** A text of the merchant in the language that is shown; in Russian where there is no other. */
export const spoken = (russian: string, kazakh: string): string =>
  (designTexts.language === 'kk' && kazakh) || russian;

/** Such a text, marked when it is not in the page's language. */
export function Spoken({ russian, kazakh }: { russian: string; kazakh: string }) {
  const text = spoken(russian, kazakh);
  return <span lang={text === kazakh ? undefined : 'ru'}>{text}</span>;
}
