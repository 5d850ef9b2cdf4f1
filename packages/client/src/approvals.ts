import { ALL_PROFILES, EXTENSION_PROFILES, readPeople } from '@countersign/protocol/verifier';

import { know } from './bundled/validation.js';
import { ConfigurationInvalid, VerificationFailed } from './errors.js';
import { verifyExport } from './export.js';
import type { PinnedPerson } from './export.js';
import { auditExport } from './generated/operations.js';
import {
  AuditExport,
  DecisionRequest,
  ExtendedDecisionReceipt,
  Material,
  RequestStatus,
} from './generated/records.js';
import type { TrustManifest } from './generated/records.js';
import type { Shape, ShapeRules } from './shape.js';
import { digestOf, newVerification } from './verification.js';
import type { Answered, Approvals, Verification, VerificationOptions } from './verification.js';

export type { PinnedPerson } from './export.js';
export type { Approvals } from './verification.js';

/** A person whose vote counts in a decision. */
export type Voter = {
  readonly reviewer: string;
  /** The number of the stage, from 1; 0 for a vote against. */
  readonly stage: number;
  /** The group whose seat the vote filled; null for a vote against. */
  readonly group: string | null;
};

/** What a request selects on a route that asks for several people (protocol §18.3). */
export const APPROVAL_PROFILES: Readonly<Record<'proto.approval', string>> = EXTENSION_PROFILES;

/** How many decisions are remembered whose votes were verified. */
const MOST_KNOWN = 1_000;

/**
 * For the option `approvals` of a client: requests that several people decide. The client reads the audit export of each anchored
 * decision, with its votes, before it gives the status to the program, and takes it only if the votes make that decision by
 * the policy in the request, and if they are signed by keys of people where the policy asks for that (protocol §18.9, §19.5).
 *
 * @param options.people whose keys the program knows itself: a vote by another key is refused then
 * @throws ConfigurationInvalid for the people
 */
export function approvals(options: { readonly people?: readonly PinnedPerson[] } = {}): Approvals {
  const { people } = options;
  const read = people === undefined ? {} : readPeople(people);
  if ('fault' in read) throw new ConfigurationInvalid('people', `cannot be used: ${read.fault}`);
  return {
    shapeOf({ output }, body) {
      return isOfApprovals(body) ? (EXTENDED.get(output) ?? null) : null;
    },
    newVerification(of) {
      know({ ExtendedDecisionReceipt });
      return withVotes(newVerification({ ...of, profiles: ALL_PROFILES }), of, people);
    },
  };
}

/** The people whose votes made the decision of a status, in the order of the receipt; null for a decision of one person. */
export function votersOf({ receipt }: RequestStatus): readonly Voter[] | null {
  const { quorum } = (receipt?.payload ?? {}) as Partial<ExtendedDecisionReceipt>;
  return (
    quorum?.approvals.map(({ reviewer, stage, group }) => ({ reviewer, stage, group })) ?? null
  );
}

interface Extended {
  readonly request: RequestStatus['request'];
  readonly request_digest: string;
}

function isOfApprovals(body: unknown): body is Extended {
  const { request } = (body ?? {}) as { request?: Partial<Extended['request']> | null };
  return Object.hasOwn(request?.profiles ?? {}, 'proto.approval');
}

/** The policy is compared by the digest of the request, and judged with the votes. */
const Request = withMembers(DecisionRequest, { approval: { type: 'object' } });
const evidence: Shape = {
  optional: [],
  properties: { records: { type: 'array', items: { type: 'object' } } },
};
const EXTENDED: ReadonlyMap<Shape | null, Shape> = new Map([
  [RequestStatus, withMembers(RequestStatus, { request: Request })],
  [Material, withMembers(Material, { request: Request })],
  [AuditExport, withMembers(AuditExport, { request: Request, evidence })],
]);

function withMembers(shape: Shape, members: Readonly<Record<string, Shape>>): Shape {
  const rules = shape as ShapeRules;
  return { ...rules, properties: { ...rules.properties, ...members } };
}

/** The request and the receipt whose votes are verified, in one text. */
function decisionOf({ receipt, request_digest }: RequestStatus): string {
  return `${request_digest} ${digestOf(receipt)}`;
}

function withVotes(
  inner: Verification,
  { trust, tenant, producer }: VerificationOptions,
  people: readonly PinnedPerson[] | undefined,
): Verification {
  const decided = new Map<string, string>();

  /** An anchored decision of several people, whose votes are not verified yet. */
  function awaitsVotes(body: unknown): body is RequestStatus {
    if (!isOfApprovals(body) || !('decision_state' in body)) return false;
    const status = body as unknown as RequestStatus;
    if (status.receipt === null || status.anchor === null) return false;
    return decided.get(status.request.id) !== decisionOf(status);
  }

  function verifyVotes({ id = '', body, receivedAt }: Answered): void {
    const exported = body as AuditExport;
    const fail = (reason: VerificationFailed['reason'], pointer: string) => {
      throw new VerificationFailed('AuditExport', reason, pointer);
    };
    if (exported.request.id !== id) fail('record_request', '/request/id');
    const { checks } = verifyExport(JSON.stringify(exported), {
      trust: trust as TrustManifest,
      people,
      expected: {
        now: receivedAt,
        ...(tenant !== undefined && { tenant }),
        ...(producer !== undefined && { audience: producer }),
      },
    });
    // Before its decision is anchored, nothing rests on the votes, and some checks cannot be made yet.
    const isAnchored = exported.anchor !== null;
    for (const { code, status, decisive, path } of checks) {
      const isOfVotes = decisive && /^(approval|human)_/.test(code);
      if (status === 'fails' || (isAnchored && isOfVotes && status !== 'holds')) fail(code, path);
    }
    const receipt = exported.records.find((record) => record.protected.type === 'DecisionReceipt');
    if (receipt === undefined || !isAnchored) return;
    if (decided.size >= MOST_KNOWN) decided.clear();
    decided.set(id, `${exported.request_digest} ${digestOf(receipt)}`);
  }

  return {
    revisionOf: (id) => inner.revisionOf(id),
    restsOn(number, id, body) {
      const isOwn = awaitsVotes(body) && body.request.id === id;
      return isOwn ? auditExport : inner.restsOn(number, id, body);
    },
    async verify(answered) {
      const { number, body } = answered;
      if (number === auditExport.number && isOfApprovals(body)) return verifyVotes(answered);
      await inner.verify(answered);
      if (awaitsVotes(body))
        throw new VerificationFailed('RequestStatus', 'approval_complete', '/receipt');
    },
  };
}
