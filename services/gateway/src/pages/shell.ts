import { html } from '../html.js';
import { filesOf, iconAddress, themeAddress } from './built.js';
import type { Language } from './language.js';
import type { ChosenTheme } from './theme-cookie.js';

/** Who a page is made for: it shows that person and calls only in that person's session. */
export interface PageReader {
  readonly tenant: string;
  readonly subject: string;
  readonly name: string | null;
  readonly operator: boolean;
  /** This person reads the security log, and nothing else of the tenant. */
  readonly auditor: boolean;
  /** This person is in the directory more than once, and can choose another tenant by a login. */
  readonly choice: boolean;
  /** The token of this session's changes (protocol §8.4), so that the page need not ask for it. */
  readonly csrf: string;
}

export interface ShellParts {
  /** Folder of the page below `packages/pages/src`. */
  readonly name: string;
  readonly title: Readonly<Record<Language, string>>;
  readonly language: Language;
  /** Null for a page that anybody may open. */
  readonly reader: PageReader | null;
  /** Null: the system's. */
  readonly theme: ChosenTheme | null;
  /** A confirmation on this page will ask for a fresh login. */
  readonly stepUp?: boolean;
  /** The deployment offers decisions of several people (protocol §18.10). */
  readonly approvals?: boolean;
  /** The deployment offers keys of people (protocol §19). */
  readonly keys?: boolean;
}

const NO_SCRIPT: Readonly<Record<Language, string>> = {
  en: 'This page needs JavaScript from this origin.',
  de: 'Diese Seite braucht JavaScript von dieser Adresse.',
};

/** The document of one page: who reads it, and the files that bring it to life. */
export function shell(parts: ShellParts): string {
  const { name, title, language, reader, theme } = parts;
  const { stepUp = false, approvals = false, keys = false } = parts;
  const { script, preload, styles } = filesOf(name, language);
  return html`<!doctype html>
    <html lang="${language}" data-theme="${theme ?? 'system'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${theme ?? 'light dark'}" />
        <title>${title[language]} · Countersign</title>
        <link rel="icon" type="image/svg+xml" href="${iconAddress()}" />
        <link rel="stylesheet" href="${themeAddress()}" />
        ${styles.map((address) => html`<link rel="stylesheet" href="${address}" />`)}
        ${preload.map((address) => html`<link rel="modulepreload" href="${address}" />`)}
        <script type="module" src="${script}"></script>
      </head>
      <body
        data-tenant="${reader?.tenant ?? ''}"
        data-subject="${reader?.subject ?? ''}"
        data-name="${reader?.name ?? ''}"
        data-operator="${String(reader?.operator ?? false)}"
        data-auditor="${String(reader?.auditor ?? false)}"
        data-choice="${String(reader?.choice ?? false)}"
        data-csrf="${reader?.csrf ?? ''}"
        data-step-up="${String(stepUp)}"
        ${approvals ? html` data-approvals="true"` : ''}${keys ? html` data-keys="true"` : ''}
      >
        <div id="page">
          <noscript
            ><main><p>${NO_SCRIPT[language]}</p></main></noscript
          >
        </div>
      </body>
    </html> `.markup;
}
