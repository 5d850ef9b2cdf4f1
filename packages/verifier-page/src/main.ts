import './browser/bytes.js';
import { DOCUMENT_LIMITS, verdictText } from '@countersign/protocol/verifier';
import type { Verdict } from '@countersign/protocol/verifier';
import { CannotVerify, verdictOf } from './verify.js';
import type { ChosenFile, Knowledge } from './verify.js';

const find = <Found extends HTMLElement>(id: string): Found => {
  const found = document.getElementById(id);
  if (found === null) throw new TypeError(`the page has no ${id}`);
  return found as Found;
};

const form = find<HTMLFormElement>('form');
const evidence = find<HTMLInputElement>('evidence');
const trust = find<HTMLInputElement>('trust');
const store = find<HTMLInputElement>('store');
const headline = find('headline');
const sections = find('sections');
const json = find('json');
const save = find<HTMLAnchorElement>('save');

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void verify();
});

for (const input of [evidence, trust]) {
  const place = input.closest('label');
  // Without this the browser would open the dropped file instead of the page.
  place?.addEventListener('dragover', (event) => event.preventDefault());
  place?.addEventListener('drop', (event) => {
    event.preventDefault();
    if (event.dataTransfer !== null) input.files = event.dataTransfer.files;
  });
}

async function verify(): Promise<void> {
  say('working', 'Checking …');
  clear();
  try {
    const [document, manifest] = await Promise.all([contentOf(evidence), contentOf(trust)]);
    const given = Object.fromEntries(new FormData(form)) as Knowledge;
    const verdict = verdictOf(document, manifest, await folderOf(store), given, Date.now());
    show(verdict);
  } catch (error) {
    const unforeseen = 'The verifier itself failed. There is no verdict on the file.';
    say('unreadable', error instanceof CannotVerify ? error.message : unforeseen);
  }
}

async function contentOf(input: HTMLInputElement): Promise<Uint8Array> {
  const file = input.files?.[0];
  const name = input === trust ? 'trust manifest' : 'evidence';
  if (file === undefined) throw new CannotVerify(`Choose a file as the ${name}.`);
  if (file.size > DOCUMENT_LIMITS.bytes) {
    throw new CannotVerify(`The ${name} is larger than ${DOCUMENT_LIMITS.bytes} bytes.`);
  }
  return new Uint8Array(await file.arrayBuffer());
}

/** Null when no folder was chosen. */
async function folderOf(input: HTMLInputElement): Promise<ChosenFile[] | null> {
  const files = [...(input.files ?? [])];
  if (files.length === 0) return null;
  return Promise.all(
    files.map(async (file) => ({
      path: file.webkitRelativePath || file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

/** The report of the command, with a heading and a list for each section. */
function show(verdict: Verdict): void {
  const [first = '', ...lines] = verdictText(verdict).split('\n');
  say(verdict.kind === null ? 'unreadable' : verdict.verdict, first);
  let list = document.createElement('ul');
  for (const line of lines.filter((text) => text !== '')) {
    if (line.startsWith('  ')) {
      const item = document.createElement('li');
      item.textContent = line.trim();
      list.append(item);
    } else {
      const title = document.createElement('h2');
      title.textContent = line.replace(/:$/, '');
      list = document.createElement('ul');
      sections.append(title, list);
    }
  }
  const text = JSON.stringify(verdict, null, 2);
  json.textContent = text;
  save.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  save.hidden = false;
}

function say(kind: string, text: string): void {
  headline.dataset['kind'] = kind;
  headline.textContent = text;
}

function clear(): void {
  sections.replaceChildren();
  json.textContent = '';
  URL.revokeObjectURL(save.href);
  save.hidden = true;
}
