import { shared } from '../strings/shared.js';
import { LANGUAGES, chooseLanguage, languageOfPage } from '../text/language.js';
import type { Language } from '../text/language.js';

const chosen = languageOfPage();

export function LanguageChoice() {
  return (
    <fieldset class="theme-choice">
      <legend>{shared.language}</legend>
      {(Object.keys(LANGUAGES) as Language[]).map((language) => (
        <label key={language} lang={language}>
          <input
            type="radio"
            name="language"
            checked={language === chosen}
            onChange={() => chooseLanguage(language)}
          />
          {LANGUAGES[language]}
        </label>
      ))}
    </fieldset>
  );
}
