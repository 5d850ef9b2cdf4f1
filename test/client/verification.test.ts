import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import * as ofNode from '@countersign/client';
import type { RequestStatus, SignedRecord, TrustManifest } from '@countersign/client';
import { copiesIn } from '../conformance/evidence/store.js';
import type { Vector } from '../conformance/vectors/vector.js';
import { VECTORS, answering, documentOf, statusOf, vectorOf } from './support/answers.js';
import type { Document } from './support/answers.js';

// docs/client.md, "What is verified": what the vectors of the verifier say of an export, a client says of an answer with the
// same records.

const NEUTRAL = resolve(__dirname, '../../packages/client/dist/neutral/index.js');
const BUNDLES: Readonly<Record<string, typeof ofNode>> = {
  node: ofNode,
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  neutral: require(NEUTRAL) as typeof ofNode,
};
const names = readdirSync(VECTORS)
  .filter((file) => /^(export|key-export)-.*\.json$/.test(file))
  .map((file) => file.replace('.json', ''));

interface Setup {
  readonly trust: TrustManifest;
  readonly request: RequestStatus['request'];
  readonly tenant?: string | undefined;
  readonly producer?: string | undefined;
  readonly store?: Readonly<Record<string, string>> | null;
}

/** A client of a service that answers so, one answer after the other. */
function clientOf(
  { countersign }: typeof ofNode,
  { trust, request, tenant = request.tenant, producer = request.producer, store = null }: Setup,
  answers: readonly unknown[],
) {
  return countersign({
    ...{ origin: trust.issuer, token: 't', trust, tenant, producer, fetch: answering(answers) },
    ...(store !== null && { anchorStore: copiesIn(store) }),
  });
}

/** What the client says of a status: `ok`, or the reason. */
async function saidOf(bundle: typeof ofNode, vector: Vector): Promise<string> {
  const document = documentOf(vector);
  const { tenant, audience: producer } = vector.expected;
  const { trust, store } = vector;
  const client = clientOf(bundle, { trust, request: document.request, tenant, producer, store }, [
    statusOf(document),
  ]);
  try {
    await client.call(bundle.status, { id: document.request.id });
    return 'ok';
  } catch (fault) {
    if (fault instanceof bundle.VerificationFailed) return fault.reason;
    return (fault as Error).name;
  }
}

/** Of parts that a status does not have: the ledger's entries, events, admissions and the private material. */
const ELSEWHERE =
  /^(ledger|event|admission|material|candidate|document)_|^(receipt_candidate|record_not_canonical|response_schema_mismatch)$/;
/** Their faults are in records behind those that a status has, or in facts that only a verifier of exports is given. */
const UNSEEN = new Set([
  ...['export-decision-missing', 'export-other-execution', 'export-other-ledger'],
  ...['export-record-of-another', 'export-record-of-stranger'],
]);
/** An earlier check finds these. */
const FOUND_BEFORE = new Set(['export-execution-too-long', 'export-tenant', 'export-two-claims']);

describe.each(Object.entries(BUNDLES))('in the bundle %s', (_, bundle) => {
  it.each(names)('a status with the records of %s', async (name) => {
    const vector = vectorOf(name);
    const reason = vector.check.reason ?? vector.check.code;
    const said = await saidOf(bundle, vector);
    if (vector.verdict !== 'fails') return expect(said).toBe('ok');
    if (FOUND_BEFORE.has(name)) return expect(said).not.toBe('ok');
    const isSeen = !ELSEWHERE.test(reason) && !UNSEEN.has(name);
    if (isSeen) expect(said).toBe(reason);
  });

  it.each(names)('an export with the records of %s', async (name) => {
    const vector = vectorOf(name);
    const { tenant, audience: producer } = vector.expected;
    const { trust, store } = vector;
    const document = documentOf(vector);
    const { request } = document;
    const setup = { trust, request, tenant, producer, store };
    const asked = clientOf(bundle, setup, [document]).call(bundle.auditExport, { id: request.id });
    const said = await asked.then(
      () => 'ok',
      (fault: { reason?: string; name: string }) => fault.reason ?? fault.name,
    );
    const reason = vector.check.reason ?? vector.check.code;
    if (vector.verdict !== 'fails') expect(said).toBe('ok');
    else if (/^(admission|claim|outcome)_/.test(reason)) expect(said).not.toBe('ok');
  });

  const executed = documentOf(vectorOf('export-executed'));
  const { trust } = vectorOf('export-executed');
  const { request } = executed;
  const claimOf = ({ records }: Document) =>
    records.find(({ protected: { type } }) => type === 'ExecutionClaim')!;
  const admissionOf = ({ records }: Document, at = 0) =>
    records.filter(({ protected: { type } }) => type === 'AdmissionStatus').at(at)!;
  const open = { ...statusOf(executed), outcome: null, execution_state: 'claimed' } as const;
  type Admission = { claim_id: string; nonce: string; execution_identity: string };
  const admissionInput = ({ payload }: SignedRecord): Admission => {
    const { claim_id, nonce, execution_identity } = payload as unknown as Admission;
    return { claim_id, nonce, execution_identity };
  };
  const askFor = (record: SignedRecord, changes: Partial<Admission> = {}) =>
    clientOf(bundle, { trust, request }, [open, record]).call(bundle.admit, {
      id: request.id,
      body: { ...admissionInput(record), ...changes },
    });

  it('an admission of another time, whose claim and nonce are right', async () => {
    // Of half a year ago: a permit is of this moment, or none.
    await expect(askFor(admissionOf(executed))).rejects.toMatchObject({
      ...{ name: 'VerificationFailed', record: 'AdmissionStatus', reason: 'admission_times' },
    });
  });

  it.each<[string, string]>([
    ['export-admission-extended', 'admission_claim'],
    ['export-admission-of-another-claim', 'admission_claim'],
    ['export-admission-other-anchor', 'admission_anchor'],
  ])('the admission of %s', async (name, reason) => {
    const admission = admissionOf(documentOf(vectorOf(name)));
    await expect(askFor(admission)).rejects.toMatchObject({ reason });
  });

  it.each<[string, Partial<Admission>, string]>([
    ['nonce', { nonce: 'another-nonce-than-mine' }, 'expected_nonce'],
    ['identity', { execution_identity: 'somebody-else' }, 'expected_identity'],
  ])('an admission that answers another %s', async (_, changes, reason) => {
    await expect(askFor(admissionOf(executed), changes)).rejects.toMatchObject({ reason });
  });

  it('a claim of this executor, and none of another', async () => {
    const record = claimOf(executed);
    const unclaimed = {
      ...open,
      claim: null,
      grant_state: 'available',
      execution_state: 'unclaimed',
    };
    const { execution_identity, execution_binding_digest } = record.payload as Record<
      string,
      string
    >;
    const claim = (body: object, answers: readonly unknown[] = [unclaimed, record]) =>
      clientOf(bundle, { trust, request }, answers).call(bundle.claim, {
        id: request.id,
        body: body as never,
      });
    const body = { execution_identity, execution_binding_digest };
    await expect(claim(body)).resolves.toEqual(record);
    await expect(claim({ ...body, execution_identity: 'me' })).rejects.toMatchObject({
      reason: 'expected_identity',
    });
    await expect(
      claim({ ...body, execution_binding_digest: executed.request_digest }),
    ).rejects.toMatchObject({ reason: 'expected_binding' });
    // A receipt in the place of a claim.
    await expect(claim(body, [unclaimed, open.receipt])).rejects.toMatchObject({
      reason: 'type_mismatch',
    });
  });

  it('the status of another request, of another producer, and one that went back', async () => {
    const status = statusOf(executed);
    const read = (client: ofNode.Client, id = request.id) => client.call(bundle.status, { id });
    const client = clientOf(bundle, { trust, request }, [status, { ...status, revision: 2 }]);
    await read(client);
    await expect(read(client)).rejects.toMatchObject({ reason: 'went_back', pointer: '/revision' });
    const other = clientOf(bundle, { trust, request }, [status]);
    await expect(read(other, 'another')).rejects.toMatchObject({ reason: 'record_request' });
    const stranger = clientOf(bundle, { trust, request, producer: 'stranger' }, [status]);
    await expect(read(stranger)).rejects.toMatchObject({ reason: 'expected_audience' });
  });

  it.each<[string, Partial<RequestStatus>]>([
    ['/decision_state', { receipt: null, claim: null, outcome: null, anchor: null }],
    ['/grant_state', { claim: null, outcome: null, execution_state: 'claimed' }],
    ['/execution_state', { outcome: null }],
  ])('a state without its record: %s', async (pointer, changes) => {
    const client = clientOf(bundle, { trust, request }, [{ ...statusOf(executed), ...changes }]);
    await expect(client.call(bundle.status, { id: request.id })).rejects.toMatchObject({
      ...{ reason: 'state_unproven', pointer },
    });
  });

  it('a manifest of another service, or none, before anything is sent', () => {
    const setup = (changes: object) =>
      bundle.countersign({
        ...{ origin: trust.issuer, token: 't', tenant: 'a', trust },
        ...changes,
      } as never);
    for (const [changes, field] of [
      [{ origin: 'https://other.example' }, 'trust'],
      [{ trust: { ...trust, keys: [] } }, 'trust'],
      [{ trust: {} }, 'trust'],
      [{ tenant: undefined }, 'tenant'],
    ] as const)
      expect(() => setup(changes)).toThrow(expect.objectContaining({ field }));
  });

  it('a manifest that differs from the pinned one is told, and not used', async () => {
    const [first, ...others] = trust.keys;
    const drifted = { ...trust, keys: [...others, { ...first!, key_id: 'review-99' }] };
    const client = clientOf(bundle, { trust, request }, [trust, drifted]);
    await expect(client.trustDrift()).resolves.toBeNull();
    await expect(client.trustDrift()).resolves.toEqual({
      ...{ added: ['review-99'], removed: [first!.key_id], changed: [] },
    });
  });

  it('makes keys that depend on every part', () => {
    const key = bundle.keyOf('tenant', 'producer', 'create', 'refund:1', 0);
    expect(key).toMatch(/^cs1-[\w-]{43}$/);
    expect(key).toBe(BUNDLES['node']!.keyOf('tenant', 'producer', 'create', 'refund:1', 0));
    expect(key).not.toBe(bundle.keyOf('tenant', 'producer', 'create', 'refund:10'));
  });
});
