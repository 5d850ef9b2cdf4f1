/** Markup that is safe to send. Only `html` makes it, so every other value is escaped on its way in. */
export interface Html {
  readonly markup: string;
}

export type HtmlValue = Html | string | number | readonly HtmlValue[];

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function text(value: HtmlValue): string {
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (sign) => escapes[sign] ?? '');
  if (typeof value === 'number') return String(value);
  if ('markup' in value) return value.markup;
  return value.map(text).join('');
}

/** Tagged template: the template is markup, everything put into it is text. Attributes need quotes. */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let markup = template[0] ?? '';
  values.forEach((value, place) => {
    markup += text(value) + (template[place + 1] ?? '');
  });
  return { markup };
}
