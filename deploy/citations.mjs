#!/usr/bin/env node
// Every citation of the rules leads somewhere (`npm run check`): `protocol §6.1`, `§7 #17` or `§7 request.create`, a ruling
// `R18`, an invariant `I3`, and `docs/architecture.md` with a title. Every link between pages of docs/ does too.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROTOCOL = 'docs/protocol/';
const ARCHITECTURE = 'docs/architecture.md';

/** Files without citations of ours: other documents' sections, and generated files. */
const IGNORED = /^package-lock\.json$|^archive\/|\/generated\/|\.(?:png|svg|woff2)$/;
/** Names that the rules had before they stood here. The text of a migration never changes. */
const FORMER_NAME = /\b(?:interface part|architecture §|quality I)(?=\s*\d)|\bcontract (?=§|R\d)/gi;
const APPLIED = /\/migrations\//;

// RFC 9162 §2.1 and OpenID Connect Back-Channel Logout 1.0, §2.6 are sections of others.
const SECTION =
  /(?<!RFC \d{1,5},? )(?<!1\.0, )§(\d+(?:\.\d+)*)((?:(?:,| and|, and)? (?:#\d+|[a-z-]+\.[a-z-]+))*)/g;
const NUMBERED = /(?<![\w./+"-])[RI]\d{1,2}\b(?![\w/+-])/g;
const ARCHITECTURE_TITLE = /architecture\.md`?, "([^"]+)"/g;
const LINK = /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

/**
 * All targets of citations, of pages by their path: `6.1`, `R18` and `I3`, `7 #17` and `7 request.create`, and the titles
 * of docs/architecture.md.
 */
export function placesOf(pages) {
  const places = new Set();
  for (const [path, page] of Object.entries(pages)) {
    for (const title of titlesOf(page)) {
      if (path === ARCHITECTURE) places.add(title);
      if (!path.startsWith(PROTOCOL)) continue;
      const [, number, operation, name, mark] =
        /^(?:(\d+(?:\.\d+)*)\.? |#(\d+) (\S+)|([RI]\d+) )/.exec(title) ?? [];
      if (number !== undefined) places.add(number);
      if (operation !== undefined) places.add(`7 #${operation}`).add(`7 ${name}`);
      if (mark !== undefined) places.add(mark);
    }
  }
  return places;
}

/** The citations of a file that lead nowhere, as `path:line: citation`. */
export function wrongCitations(path, text, places) {
  const wrong = [];
  const refuse = (index, what) => {
    wrong.push(`${path}:${text.slice(0, index).split('\n').length}: ${what}`);
  };
  const require = (index, place, shown) => {
    if (!places.has(place)) refuse(index, `there is no ${shown}`);
  };
  for (const { index, 1: section, 2: operations = '' } of text.matchAll(SECTION)) {
    require(index, section, `§${section}`);
    if (section !== '7') continue;
    for (const [name] of operations.matchAll(/#\d+|[a-z-]+\.[a-z-]+/g)) {
      require(index, `7 ${name}`, `operation ${name}`);
    }
  }
  for (const { index, 0: mark } of text.matchAll(NUMBERED)) require(index, mark, mark);
  for (const { index, 1: title } of text.matchAll(ARCHITECTURE_TITLE)) {
    require(index, title, `"${title}" in ${ARCHITECTURE}`);
  }
  if (!APPLIED.test(path)) {
    for (const { index, 0: name } of text.matchAll(FORMER_NAME)) {
      refuse(index, `"${name}" is now in ${PROTOCOL}`);
    }
  }
  return wrong;
}

/** The links of a page of docs/ that lead to no file or no heading. `read` gives a file's text, null where there is none. */
export function wrongLinks(path, page, read) {
  const wrong = [];
  for (const { index, 1: target, 2: anchor } of page.matchAll(LINK)) {
    const file = target === '' ? path : normalize(join(dirname(path), target));
    const found = file === path ? page : read(file);
    const isMissing = found === null || (anchor !== undefined && !anchorsOf(found).has(anchor));
    if (isMissing) {
      const line = page.slice(0, index).split('\n').length;
      wrong.push(`${path}:${line}: the link ${target}${anchor ? `#${anchor}` : ''} leads nowhere`);
    }
  }
  return wrong;
}

function titlesOf(page) {
  return [...page.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(
    ([, title]) => title,
  );
}

/** The anchors that forges give headings. */
function anchorsOf(page) {
  const anchors = new Set();
  for (const title of titlesOf(page)) {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let free = anchor;
    for (let n = 1; anchors.has(free); n += 1) free = `${anchor}-${n}`;
    anchors.add(free);
  }
  return anchors;
}

function check(root) {
  const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })
    .split('\n')
    .filter((path) => path !== '' && !IGNORED.test(path) && existsSync(join(root, path)));
  const texts = Object.fromEntries(
    paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );
  const places = placesOf(texts);
  const read = (path) => texts[path] ?? (existsSync(join(root, path)) ? '' : null);
  return Object.entries(texts).flatMap(([path, text]) => [
    ...wrongCitations(path, text, places),
    ...(path.endsWith('.md') ? wrongLinks(path, text, read) : []),
  ]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const wrong = check(join(import.meta.dirname, '..'));
  for (const line of wrong) console.error(line);
  process.exit(wrong.length === 0 ? 0 : 1);
}
