import { PROTOCOL_REVISION, textDigest } from '@countersign/protocol';
import type { RequestInput } from '@countersign/protocol';

export const WAITING_SUMMARY = 'Publish the release notes of shop-frontend 4.2.0';

/** A plain question to people, which waits for the visitor. */
export function releaseNotesRequest(route: string): RequestInput {
  const notes = '4.2.0 makes the order list ten times faster and fixes two broken links.';
  return {
    protocol_revision: PROTOCOL_REVISION,
    purpose: 'review',
    profiles: {},
    route,
    summary: WAITING_SUMMARY,
    artefact: {
      digest: textDigest(notes),
      representation: 'text/plain',
      digest_rules: 'utf-8-sha256',
    },
    payload: { notes, audience: 'customers' },
    response_schema: {
      type: 'object',
      additionalProperties: false,
      required: ['tone'],
      properties: {
        tone: { enum: ['right', 'too formal', 'too casual'] },
        comment: { type: 'string', maxLength: 1000 },
      },
    },
    review_document: `# Release notes of shop-frontend 4.2.0\n\n> ${notes}\n\nMay these go out to customers?\n`,
    metadata: { demonstration: true },
  };
}
