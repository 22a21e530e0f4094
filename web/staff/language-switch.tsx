import { chooseLanguage, type Language, useLanguage } from './language';
import s from './language-switch.module.css';
import { frameTexts } from './texts/ru';

/** Each language calls itself by its own name, whatever the page speaks. */
const names: { language: Language; short: string; name: string }[] = [
  { language: 'ru', short: 'Рус', name: 'Русский' },
  { language: 'kk', short: 'Қаз', name: 'Қазақша' },
  { language: 'en', short: 'Eng', name: 'English' },
];

/** Chooses the language of every page of the staff, in this browser. */
export function LanguageSwitch() {
  const spoken = useLanguage();
  return (
    <fieldset className={s.languages} aria-label={frameTexts.language}>
      {names.map(({ language, short, name }) => (
        <button
          key={language}
          type="button"
          lang={language}
          title={name}
          aria-pressed={language === spoken}
          onClick={() => chooseLanguage(language)}
        >
          {short}
        </button>
      ))}
    </fieldset>
  );
}
