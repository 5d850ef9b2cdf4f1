import '../browser/global-buffer.js';
import {
  fingerprintWords,
  readTrustManifest,
  summaryOf,
  verifyDocument,
} from '@countersign/protocol/verifier';
import type { Trust, Verdict } from '@countersign/protocol/verifier';
import { element, find, visible } from '../elements.js';
import { chosenFolder, chosenOrNull } from '../files.js';
import { clearReport, drawn, say, showReport } from '../report.js';
import { CannotVerify, verdictOf } from '../verify.js';
import type { Knowledge } from '../verify.js';
import { carriedBy, member, textOf } from './document.js';
import type { Carried } from './document.js';
import { materialOf } from './material.js';
import { peopleOf, storyOf } from './story.js';

// Shows and verifies the evidence that the page carries. Every word of a file comes from the bytes that are verified.

const form = find<HTMLFormElement>('form');
const trust = find<HTMLInputElement>('trust');
const store = find<HTMLInputElement>('store');
const people = find<HTMLInputElement>('known-people');
const next = find('next');

const UNFORESEEN = 'The verifier itself failed. There is no verdict on the file.';

const carried = carriedBy(find('evidence').textContent ?? '');
if (carried === null) say('unreadable', 'There is no evidence in this page.');
else open(carried);

function open(it: Carried): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void verify(it);
  });
  // On paper nobody can open anything.
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details:not(.no-print)')) {
      details.setAttribute('open', '');
    }
  });
  find('command').textContent =
    `countersign verify ${nameOfFile()} --trust-fingerprint "the words that you were given"`;
  const original = find<HTMLAnchorElement>('original');
  original.href = URL.createObjectURL(new Blob([it.json], { type: 'application/json' }));
  const { trust: inside } = readTrustManifest(member(it.value, 'trust') ?? null);
  if (inside === null) {
    say('unreadable', 'This page carries no sound trust manifest. Choose yours below.');
    return;
  }
  showKeys(inside);
  try {
    showUnconfirmed(it, verifyDocument(it.bytes, inside, { expected: { now: Date.now() } }));
  } catch {
    say('unreadable', UNFORESEEN);
  }
}

/** With the reader's own knowledge: the verdict of `countersign verify` on this file. */
async function verify(it: Carried): Promise<void> {
  say('working', 'Checking …');
  // An earlier verdict says nothing about these keys.
  clearReport();
  for (const place of [next, find('failed')]) place.replaceChildren();
  find('confirm').hidden = false;
  try {
    const now = Date.now();
    const given = Object.fromEntries(new FormData(form)) as Knowledge;
    const files = {
      manifest: await chosenOrNull(trust, 'trust manifest'),
      store: await chosenFolder(store),
      people: await chosenOrNull(people, 'list of people'),
    };
    const verdict = verdictOf(it.bytes, files, given, now);
    find('confirm').hidden = true;
    show(it, verdict);
    say(
      verdict.kind === null ? 'unreadable' : verdict.verdict,
      summaryOf(verdict, 'field').headline,
    );
    next.textContent = `Checked on this machine at ${new Date(now).toISOString()}, with the keys that you confirmed.`;
  } catch (error) {
    say('unreadable', error instanceof CannotVerify ? error.message : UNFORESEEN);
  }
}

/** Under keys that nobody has confirmed a file can fail, and cannot hold. */
function showUnconfirmed(it: Carried, verdict: Verdict): void {
  show(it, verdict);
  if (verdict.kind === null || verdict.verdict === 'fails') {
    say('fails', summaryOf(verdict, 'field').headline);
    return;
  }
  say('unconfirmed', 'NOT CONFIRMED YET. Nothing fails, but the keys came with this file.');
  next.replaceChildren(
    'Compare their fingerprint before you rely on it: ',
    element('a', { href: '#verdict' }, 'Is it genuine?'),
  );
}

function show(it: Carried, verdict: Verdict): void {
  const { sections } = summaryOf(verdict, 'field');
  const request = member(it.value, 'export', 'request');
  const summary = textOf(member(request, 'summary')) || 'A deleted request';
  document.title = `Evidence: ${visible(summary).textContent} – Countersign`;
  find('title').replaceChildren(visible(summary));
  find('lead').replaceChildren(
    'A person was asked, by way of the service ',
    visible(textOf(member(it.value, 'trust', 'issuer'))),
    request === undefined
      ? '. The request was deleted; this file shows the places that its records had in the ledger.'
      : '. This file shows who saw what, who decided, and how it ended. It needs no network.',
  );
  find('story').replaceChildren(...storyOf(verdict));
  find('people').replaceChildren(...peopleOf(it.value));
  find('material').replaceChildren(...materialOf(it.value, verdict));
  find('failed').replaceChildren(
    ...sections.filter(({ title }) => title === 'Failed').flatMap((each) => drawn(each, 'h2')),
  );
  // The history is above, in full, and so are failures.
  const rest = sections.filter(({ title }) => !['What happened', 'Failed'].includes(title));
  showReport(verdict, rest, 'h3');
}

function showKeys({ fingerprint }: Trust): void {
  find('words').textContent = fingerprintWords(fingerprint);
  find('hex').textContent = fingerprint;
}

/** For a command line, so only a name that needs no quotes. */
function nameOfFile(): string {
  const name = location.pathname.split('/').at(-1) ?? '';
  return /^[\w.-]+\.html$/.test(name) ? name : 'evidence.html';
}
