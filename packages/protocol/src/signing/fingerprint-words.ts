import type { Digest } from '../json/canonical.js';
import { textDigest } from '../json/canonical.js';

// A fingerprint that can be read out and typed: 16 bytes as words, and one word that notices a slip.

/** 256 words, one for each byte; no two begin with the same four letters. */
const WORDS: readonly string[] = `
able acid acorn actor adult agent alarm album alley amber anchor angle ankle apple april apron
arena arrow ashes atlas attic audio avenue award axis bacon badge bagel baker bamboo banana barrel
basket beach belt bench berry bicycle birch biscuit blanket bonus border bottle branch bread bridge bronze
bucket buffalo bullet butter cabin cactus camel candle canyon carbon carpet castle cattle cedar celery cement
chain cherry chimney cinema circle clay clinic cloud cobalt coffee comet copper coral cotton cradle crystal
cupboard cyclone daisy dance debate decade delta denim desert diamond dinner dolphin donkey dragon drum eagle
earth echo eclipse elbow elder ember empire engine envelope essay ethics event exile fabric falcon farm
feather fence festival fiddle filter finger flame flower forest fossil fountain freight frost fruit furnace galaxy
garden garlic gate ginger giraffe glacier glove goblet golden gospel granite grape gravel guitar habit hammer
harbor harvest hazel helmet herald hickory hockey honey horizon hotel hunter iceberg icon igloo impact inbox
indigo infant insect iron island ivory jacket jaguar jasmine jelly jewel jockey journal judge jungle kangaroo
kayak kernel kettle kidney kitchen koala label ladder lagoon lantern laser laundry lava lemon leopard library
lilac linen lizard lobster locket lotus lumber lunar magnet mahogany mango maple marble meadow melon mercury
mimic mirror mitten monkey mosaic motor mountain mustard napkin nature nectar needle nephew nickel night nomad
north notebook novel nugget oasis ocean octopus olive onion opera orange orbit orchid otter oxygen paddle
palace panda paper parrot pastel pebble pelican pencil pepper piano pigeon pilot pirate planet plaza plum
`
  .trim()
  .split(/\s+/);

const BYTES = 16;

/** The first 16 bytes of a fingerprint as words, and one word over them. */
export function fingerprintWords(fingerprint: Digest): string {
  const hex = fingerprint.slice('sha256:'.length, 'sha256:'.length + 2 * BYTES);
  const bytes = [...(hex.match(/../g) ?? []), checkOf(hex)];
  return bytes.map((byte) => WORDS[Number.parseInt(byte, 16)]).join(' ');
}

/** A typed fingerprint: its hex digits, all 64 of them or the 32 that the words stand for; or why it is none. */
export type TypedFingerprint = { readonly hex: string } | { readonly fault: string };

/**
 * Reads a fingerprint that was typed: `sha256:` and 64 hex digits, the digits alone, or the words. Letter case, spaces and
 * hyphens between words do not count.
 */
export function readFingerprint(typed: string): TypedFingerprint {
  const text = typed.trim().toLowerCase();
  const hex = /^(?:sha256:)?([0-9a-f]{64})$/.exec(text)?.[1];
  if (hex !== undefined) return { hex };
  const words = text.split(/[\s,-]+/);
  if (words.length === 1) return { fault: 'It is neither 64 hex digits nor words.' };
  const unknown = words.find((word) => !WORDS.includes(word));
  if (unknown !== undefined) return { fault: `“${unknown.slice(0, 40)}” is none of the words.` };
  if (words.length !== BYTES + 1) {
    return { fault: `It has ${words.length} words; a fingerprint has ${BYTES + 1}.` };
  }
  const bytes = words.map((word) => WORDS.indexOf(word).toString(16).padStart(2, '0'));
  const typedHex = bytes.slice(0, BYTES).join('');
  return bytes[BYTES] === checkOf(typedHex)
    ? { hex: typedHex }
    : { fault: 'A word is wrong or out of place: the last one does not fit the others.' };
}

/** Whether the fingerprint is the typed one. */
export function isFingerprint(fingerprint: Digest, typed: { readonly hex: string }): boolean {
  return fingerprint.slice('sha256:'.length).startsWith(typed.hex);
}

function checkOf(hex: string): string {
  return textDigest(hex).slice('sha256:'.length, 'sha256:'.length + 2);
}
