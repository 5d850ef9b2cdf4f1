import './browser/global-buffer.js';
import { DOCUMENT_LIMITS, detailsOf, summaryOf } from '@countersign/protocol/verifier';
import type { ReportSection, Verdict } from '@countersign/protocol/verifier';
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
const every = find<HTMLDetailsElement>('every');
const details = find('details');
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
    const given = Object.fromEntries(new FormData(form)) as Knowledge;
    const document = await contentOf(evidence);
    const manifest = trust.files?.length === 0 ? null : await contentOf(trust);
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
  const { headline: first, sections: summary } = summaryOf(verdict, 'field');
  say(verdict.kind === null ? 'unreadable' : verdict.verdict, first);
  sections.append(...summary.flatMap(drawn));
  details.append(...detailsOf(verdict).flatMap(drawn));
  every.hidden = false;
  const text = JSON.stringify(verdict, null, 2);
  json.textContent = text;
  save.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  save.hidden = false;
}

function drawn({ title, lines }: ReportSection): HTMLElement[] {
  const heading = document.createElement('h2');
  heading.textContent = title;
  const list = document.createElement('ul');
  for (const line of lines) {
    const item = document.createElement('li');
    item.textContent = line;
    list.append(item);
  }
  return [heading, list];
}

function say(kind: string, text: string): void {
  headline.dataset['kind'] = kind;
  headline.textContent = text;
}

function clear(): void {
  sections.replaceChildren();
  details.replaceChildren();
  every.hidden = true;
  json.textContent = '';
  URL.revokeObjectURL(save.href);
  save.hidden = true;
}
