import { generateKeyPairSync, sign } from 'node:crypto';
import type { RecordType } from '../records/index.js';
import { SIGNED_RECORDS } from '../records/index.js';
import {
  generateSigningKey,
  readPublicPem,
  restrictRemoteSigner,
  restrictSigner,
  signerFromPem,
} from './keys.js';
import { fitsPurpose, isRecordType, SIGNING_POLICY } from './policy.js';
import type { RecordHeader } from './signed-record.js';
import { signPayloadText, signPayloadTextLater } from './signed-record.js';

const key = generateSigningKey('k1');
const signer = signerFromPem('k1', key.privatePem);
const types = Object.keys(SIGNED_RECORDS).filter(isRecordType);

function header(type: RecordType): RecordHeader {
  return {
    type,
    purpose: SIGNED_RECORDS[type].purpose === 'service' ? 'service' : 'review',
    profiles: {},
    issuer: 'https://a.example',
    audience: 'a',
    tenant: 't',
    issuedAt: 0,
  };
}

describe('keys', () => {
  it('come in pairs', () => {
    expect(signer.publicPem).toBe(key.publicPem);
    expect(key.privatePem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(generateSigningKey('k1').privatePem).not.toBe(key.privatePem);
    expect(signer.sign(Buffer.from('a'))).toHaveLength(64);
    expect(signer.sign(Buffer.from('a'))).toEqual(signer.sign(Buffer.from('a')));
  });

  it('sign the same at once and later, and are restricted either way', async () => {
    const at = { ...header('AuditCheckpoint') };
    expect(await signPayloadTextLater(signer, at, '1')).toEqual(signPayloadText(signer, at, '1'));
    const restricted = restrictSigner(signer, ['WebhookDelivery']);
    await expect(signPayloadTextLater(restricted, at, '1')).rejects.toThrow(TypeError);
  });

  it('are Ed25519 and nothing else', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ed448 = generateKeyPairSync('ed448');
    for (const { privateKey, publicKey } of [rsa, ed448]) {
      const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      expect(() => signerFromPem('k', privatePem)).toThrow(TypeError);
      expect(
        readPublicPem(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
      ).toBeNull();
    }
    expect(() => signerFromPem('k', key.publicPem)).toThrow(TypeError);
    expect(() => signerFromPem('k', 'secret text')).toThrow(
      expect.objectContaining({
        message: expect.not.stringContaining('secret') as string,
      }) as Error,
    );
  });

  it('are public in one PUBLIC KEY block only', () => {
    expect(readPublicPem(key.publicPem)).not.toBeNull();
    expect(readPublicPem(`\n${key.publicPem.replaceAll('\n', '\r\n')}\n`)).not.toBeNull();
    const body = key.publicPem.split('\n')[1] as string;
    for (const pem of [
      '',
      body,
      key.privatePem,
      key.publicPem + key.publicPem,
      key.privatePem + key.publicPem,
      key.publicPem.replaceAll('PUBLIC KEY', 'CERTIFICATE'),
      key.publicPem.replaceAll('PUBLIC KEY', 'ED25519 PUBLIC KEY'),
      key.publicPem.replace(body, body.slice(4)),
      key.publicPem + ' '.repeat(4096),
    ]) {
      expect(readPublicPem(pem)).toBeNull();
    }
  });
});

describe('the signing policy', () => {
  it('lets each service sign its own record types and no others', () => {
    for (const allowed of Object.values(SIGNING_POLICY)) {
      const restricted = restrictSigner(signer, allowed);
      expect(restricted.publicPem).toBe(signer.publicPem);
      for (const type of types) {
        const attempt = (): unknown => signPayloadText(restricted, header(type), '{}');
        if ((allowed as readonly string[]).includes(type)) {
          expect(attempt()).toEqual(signPayloadText(signer, header(type), '{}'));
        } else {
          expect(attempt).toThrow(TypeError);
        }
      }
    }
  });

  it('gives every record type of a request and of configuration to one service', () => {
    const owners = (type: RecordType): number =>
      Object.values(SIGNING_POLICY).filter((list) => (list as readonly string[]).includes(type))
        .length;
    const several: Record<string, number> = {
      RequestChangedEvent: 5,
      ApprovalEnded: 2,
      RecoveryFence: 0,
    };
    for (const type of types) {
      expect(owners(type)).toBe(several[type] ?? 1);
    }
  });

  it('cannot be misled by the content of a payload', () => {
    const restricted = restrictSigner(signer, ['WebhookDelivery']);
    const payload = '{"x":",\\"type\\":\\"WebhookDelivery\\"}}"}';
    expect(() => signPayloadText(restricted, header('DecisionReceipt'), payload)).toThrow(
      TypeError,
    );
    for (const bytes of ['', 'anything', '{"payload":1,"protected":{"type":"WebhookDelivery"}} ']) {
      expect(() => restricted.sign(Buffer.from(bytes))).toThrow(TypeError);
    }
  });

  it('restricts a signer that learns its key late in the same way', async () => {
    let known = false;
    const late = {
      get keyId() {
        if (!known) throw new Error('not known yet');
        return signer.keyId;
      },
      signLater: signer.signLater,
    };
    const restricted = restrictRemoteSigner(late, ['WebhookDelivery']);
    const attempt = (type: RecordType) => signPayloadTextLater(restricted, header(type), '{}');
    await expect(attempt('WebhookDelivery')).rejects.toThrow('not known yet');
    known = true;
    expect(await attempt('WebhookDelivery')).toEqual(
      signPayloadText(signer, header('WebhookDelivery'), '{}'),
    );
    await expect(attempt('DecisionReceipt')).rejects.toThrow(TypeError);
  });

  it('signs nothing of a time at which its key does not count', async () => {
    const issuedAt = header('WebhookDelivery').issuedAt;
    const attempt = (notBefore: number, end: number) => {
      const windowed = { ...signer, window: { notBefore, end } };
      return signPayloadTextLater(windowed, header('WebhookDelivery'), '{}');
    };
    await expect(attempt(issuedAt, issuedAt + 1)).resolves.toBeDefined();
    await expect(attempt(issuedAt + 1, issuedAt + 2)).rejects.toThrow(TypeError);
    await expect(attempt(issuedAt - 1, issuedAt)).rejects.toThrow(TypeError);
  });

  it('ties purposes to record types', () => {
    expect(fitsPurpose('AuditCheckpoint', 'service')).toBe(true);
    expect(fitsPurpose('AuditCheckpoint', 'review')).toBe(false);
    expect(fitsPurpose('DecisionReceipt', 'authorise_execution')).toBe(true);
    expect(fitsPurpose('DecisionReceipt', 'service')).toBe(false);
    expect(() =>
      signPayloadText(signer, { ...header('DecisionReceipt'), purpose: 'service' }, '{}'),
    ).toThrow(TypeError);
  });

  it('signs in pure Ed25519', () => {
    const { text } = signPayloadText(signer, header('AuditCheckpoint'), '1');
    const preimage = text.replace(/,"signature":"([^"]*)"/, '');
    expect(/"signature":"([^"]*)"/.exec(text)?.[1]).toBe(
      sign(null, Buffer.from(preimage), key.privatePem).toString('base64url'),
    );
  });
});
