import { DOCUMENT_LIMITS } from '@countersign/protocol/verifier';
import { CannotVerify } from './verify.js';
import type { ChosenFile } from './verify.js';

/** The chosen file; throws CannotVerify without one, or for one that is too large. `name` is for the message. */
export async function chosenFile(input: HTMLInputElement, name: string): Promise<Uint8Array> {
  const file = input.files?.[0];
  if (file === undefined) throw new CannotVerify(`Choose a file as the ${name}.`);
  if (file.size > DOCUMENT_LIMITS.bytes) {
    throw new CannotVerify(`The ${name} is larger than ${DOCUMENT_LIMITS.bytes} bytes.`);
  }
  return new Uint8Array(await file.arrayBuffer());
}

/** The same where a file may be missing: null without one. */
export async function chosenOrNull(
  input: HTMLInputElement,
  name: string,
): Promise<Uint8Array | null> {
  return input.files?.length === 0 ? null : chosenFile(input, name);
}

/** The files of the chosen folder; null when none was chosen. */
export async function chosenFolder(input: HTMLInputElement): Promise<ChosenFile[] | null> {
  const files = [...(input.files ?? [])];
  if (files.length === 0) return null;
  return Promise.all(
    files.map(async (file) => ({
      path: file.webkitRelativePath || file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}
