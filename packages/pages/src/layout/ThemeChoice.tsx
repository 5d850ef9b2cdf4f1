import { useState } from 'preact/hooks';

import { shared } from '../strings/shared.js';
import { THEMES, chooseTheme, chosenTheme } from '../theme/choice.js';

export function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <fieldset class="theme-choice">
      <legend>{shared.theme}</legend>
      {THEMES.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="theme"
            checked={name === theme}
            onChange={() => {
              chooseTheme(name);
              setTheme(name);
            }}
          />
          {shared.themes[name]}
        </label>
      ))}
    </fieldset>
  );
}
