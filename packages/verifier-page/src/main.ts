import './browser/global-buffer.js';
import { answersOf, summaryOf } from '@countersign/protocol/verifier';
import type { Verdict } from '@countersign/protocol/verifier';
import { find } from './elements.js';
import { chosenFile, chosenFolder, chosenOrNull } from './files.js';
import { clearReport, say, showReport } from './report.js';
import { CannotVerify, verdictOf } from './verify.js';
import type { Knowledge } from './verify.js';

const form = find<HTMLFormElement>('form');
const evidence = find<HTMLInputElement>('evidence');
const trust = find<HTMLInputElement>('trust');
const store = find<HTMLInputElement>('store');
const people = find<HTMLInputElement>('known-people');

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
  clearReport();
  try {
    const given = Object.fromEntries(new FormData(form)) as Knowledge;
    const document = await chosenFile(evidence, 'evidence');
    const files = {
      manifest: await chosenOrNull(trust, 'trust manifest'),
      store: await chosenFolder(store),
      people: await chosenOrNull(people, 'list of people'),
    };
    const verdict = verdictOf(document, files, given, Date.now());
    const { headline, sections } = summaryOf(verdict, 'field');
    showReport(verdict, sections, 'h2');
    say(lookOf(verdict), headline);
  } catch (error) {
    const unforeseen = 'The verifier itself failed. There is no verdict on the file.';
    say('unreadable', error instanceof CannotVerify ? error.message : unforeseen);
  }
}

/** The colour of the first line: plain when nothing fails and only the service vouches for its ledger. */
function lookOf(verdict: Verdict): string {
  if (verdict.kind === null) return 'unreadable';
  const isAlone = verdict.verdict === 'incomplete' && answersOf(verdict).genuine === 'alone';
  return isAlone ? 'alone' : verdict.verdict;
}
