/** Small things both pages show. Whatever comes from others goes into the page as text only. */

export function byId(id) {
  return document.getElementById(id);
}

export function element(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** Fills a description list with pairs of words. */
export function facts(list, pairs) {
  list.replaceChildren(
    ...pairs.flatMap(([term, value]) => [element('dt', term), element('dd', value)]),
  );
}

export function notice(text) {
  byId('notice').textContent = text;
}

export function explain(error) {
  notice(error.code ? `${error.message} (${error.code})` : 'The service cannot be reached.');
}

/** A point in time, absolute and in words. */
export function moment(text) {
  const left = Math.round((Date.parse(text) - Date.now()) / 60_000);
  const amount = Math.abs(left);
  const words =
    amount < 120
      ? `${amount} min`
      : amount < 2_880
        ? `${Math.round(amount / 60)} h`
        : `${Math.round(amount / 1_440)} d`;
  return `${new Date(text).toLocaleString()} (${left < 0 ? `${words} ago` : `in ${words}`})`;
}
