import type { NoteKey } from './note.js';
import { NOTE_ALGORITHM, noteKeyId, readVerifierKey, verifierKeyText } from './note.js';

/** Which witnesses have to have signed, in the form of the public tools (c2sp.org/tlog-policy). */
export interface WitnessPolicy {
  /** Verifier keys of logs; empty: any log. */
  readonly logs: readonly NoteKey[];
  readonly witnesses: readonly NoteKey[];
  /** Whether these signed enough; by the keys' texts. */
  isMet(signed: ReadonlySet<string>): boolean;
  /** The rule in words, such as `2 of 3 witnesses`. */
  readonly rule: string;
}

export type PolicyReading =
  | { readonly policy: WitnessPolicy; readonly fault: null }
  | { readonly policy: null; readonly fault: string };

const MOST_BYTES = 100_000;
const MOST_LINES = 1000;

interface Component {
  readonly isMet: (signed: ReadonlySet<string>) => boolean;
  readonly rule: string;
}

/**
 * Reads a policy: lines of `log <vkey> [<url>]`, `witness <name> <vkey> [<url>]`, `group <name> <n|any|all> <member>…` and one
 * `quorum <name|none>`; `#` begins a comment. Each witness counts once: a key that is listed twice is a fault.
 */
export function readWitnessPolicy(text: string): PolicyReading {
  const lines = text.split('\n');
  if (text.length > MOST_BYTES || lines.length > MOST_LINES) return fault(null, 'it is too long');
  const logs: NoteKey[] = [];
  const keys = new Map<string, NoteKey>();
  const components = new Map<string, Component>();
  let quorum: string | null = null;
  for (const [at, line] of lines.entries()) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === undefined || word === '' || word.startsWith('#')) continue;
    const failed = read(word, rest);
    if (failed !== null) return fault(at + 1, failed);
  }
  if (quorum === null) return fault(null, 'it names no quorum');
  const rule = quorum === 'none' ? NONE : components.get(quorum);
  if (rule === undefined) return fault(null, `its quorum ${quorum} is no witness or group`);
  return { policy: { logs, witnesses: [...keys.values()], ...rule }, fault: null };

  /** Null when the line is right. */
  function read(word: string, [first = '', second = '', ...more]: readonly string[]) {
    switch (word) {
      case 'log': {
        const key = readVerifierKey(first);
        if (key?.algorithm !== NOTE_ALGORITHM.ed25519) return 'the key of a log is malformed';
        logs.push(key);
        return null;
      }
      case 'witness': {
        const key = readVerifierKey(second);
        if (key?.algorithm !== NOTE_ALGORITHM.cosignature)
          return `the key of the witness ${first} is malformed or of another kind`;
        const id = verifierKeyText(key);
        if (keys.has(id)) return `the key of the witness ${first} is listed twice`;
        keys.set(id, key);
        return define(first, { isMet: (signed) => signed.has(id), rule: `the witness ${first}` });
      }
      case 'group': {
        const names = more;
        const members = names.flatMap((name) => components.get(name) ?? []);
        if (names.length === 0 || members.length < names.length)
          return `the group ${first} has a member that no line before it defines`;
        if (new Set(names).size < names.length) return `the group ${first} names a member twice`;
        const least = { any: 1, all: names.length }[second] ?? Number(second);
        if (!Number.isInteger(least) || least < 1 || least > names.length)
          return `the group ${first} wants ${second} of ${names.length}`;
        return define(first, {
          isMet: (signed) => members.filter((member) => member.isMet(signed)).length >= least,
          rule: `${least} of ${names.length} (${names.join(', ')})`,
        });
      }
      case 'quorum':
        if (quorum !== null) return 'it names a second quorum';
        quorum = first;
        return null;
      default:
        return `it begins with the unknown word ${word}`;
    }
  }

  function define(name: string, component: Component): string | null {
    if (name === '' || name === 'none') return 'a witness or group needs a name';
    if (components.has(name)) return `the name ${name} is taken`;
    components.set(name, component);
    return null;
  }
}

/** The policy's own word: no witness is needed. */
const NONE: Component = { isMet: () => true, rule: 'no witness' };

function fault(line: number | null, says: string): PolicyReading {
  return { policy: null, fault: line === null ? `${says}.` : `line ${line}: ${says}.` };
}

/** The witnesses of a policy that signed: the texts of their keys. */
export function signersOf(
  { witnesses }: WitnessPolicy,
  cosignatures: readonly { readonly witness: string; readonly keyId: string }[],
): ReadonlySet<string> {
  return new Set(
    witnesses
      .filter((key) =>
        cosignatures.some(({ witness, keyId }) => witness === key.name && keyId === noteKeyId(key)),
      )
      .map(verifierKeyText),
  );
}
