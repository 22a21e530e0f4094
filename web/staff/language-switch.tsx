import { chooseLanguage, type Language, languageNames, languages, useLanguage } from './language';
import s from './language-switch.module.css';
import { frameTexts } from './texts/ru';

const shortNames: Record<Language, string> = { ru: 'Рус', kk: 'Қаз', en: 'Eng' };

/** Chooses the language of every page of the staff, in this browser. */
export function LanguageSwitch() {
  const spoken = useLanguage();
  return (
    <fieldset className={s.languages} aria-label={frameTexts.language}>
      {languages.map((language) => (
        <button
          key={language}
          type="button"
          lang={language}
          title={languageNames[language]}
          aria-pressed={language === spoken}
          onClick={() => chooseLanguage(language)}
        >
          {shortNames[language]}
        </button>
      ))}
    </fieldset>
  );
}
