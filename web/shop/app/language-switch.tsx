import { type Language, spokenLanguage } from '../api/language';
import { languageTexts } from '../texts/shell';
import { chooseLanguage } from './language';
import s from './shell.module.css';

/** Each language calls itself by its own name, whatever the page speaks. */
const languages: { language: Language; short: string; name: string }[] = [
  { language: 'kk', short: 'Қаз', name: 'Қазақша' },
  { language: 'ru', short: 'Рус', name: 'Русский' },
];

/** Kazakh or Russian; the other one opens the page anew. */
export function LanguageSwitch() {
  return (
    <fieldset className={s.languages} aria-label={languageTexts.label}>
      {languages.map(({ language, short, name }) => (
        <button
          key={language}
          type="button"
          lang={language}
          title={name}
          aria-pressed={language === spokenLanguage()}
          onClick={() => chooseLanguage(language)}
        >
          {short}
        </button>
      ))}
    </fieldset>
  );
}
