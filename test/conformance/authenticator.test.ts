import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { assertionFault, judgeAssertion, readRegistration } from '@countersign/protocol';
import type { Assertion, RegisteredKey, Registration } from '@countersign/protocol';
import { chromium } from 'playwright-core';
import type { Browser, CDPSession, Page } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) console.warn(`SKIPPED: there is no browser at ${CHROMIUM}, so no key is made`);
const there = hasBrowser ? describe : describe.skip;

/** Some of it the browser refuses before we do. */
const BY_THE_BROWSER = 'refused by the browser';

const challengeOf = (number: number): string => Buffer.alloc(32, number).toString('base64url');

/** Functions of the page; everything comes and goes in base64url. */
const PAGE = `<!doctype html><title>Keys</title><script>
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  async function make(alg, challenge) {
    const made = await navigator.credentials.create({
      publicKey: {
        rp: { id: 'localhost', name: 'Keys' },
        user: { id: crypto.getRandomValues(new Uint8Array(32)), name: 'plat-1', displayName: '' },
        challenge: bytes(challenge),
        pubKeyCredParams: [{ type: 'public-key', alg }],
        attestation: 'none',
        authenticatorSelection: { userVerification: 'required' },
      },
    });
    return {
      id: made.id,
      client_data_json: text(made.response.clientDataJSON),
      attestation_object: text(made.response.attestationObject),
    };
  }
  async function sign(id, challenge) {
    const { response } = await navigator.credentials.get({
      publicKey: {
        challenge: bytes(challenge),
        rpId: 'localhost',
        allowCredentials: [{ type: 'public-key', id: bytes(id) }],
        userVerification: 'required',
      },
    });
    return {
      client_data_json: text(response.clientDataJSON),
      authenticator_data: text(response.authenticatorData),
      signature: text(response.signature),
    };
  }
</script>`;

// The browser's own authenticator in software, at http://localhost: what it answers is judged by us and by the library.
there('the authenticator of a browser', () => {
  let server: Server;
  let browser: Browser;
  let page: Page;
  let devtools: CDPSession;
  let origin: string;
  let authenticatorId: string;

  beforeAll(async () => {
    server = createServer((_, answer) => {
      answer.setHeader('Content-Type', 'text/html').end(PAGE);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    page = await browser.newPage();
    await page.goto(origin);
    devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const added = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        ctap2Version: 'ctap2_1',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    authenticatorId = added.authenticatorId;
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  interface Made extends Registration {
    readonly id: string;
  }

  const make = (alg: number, challenge: string): Promise<Made> =>
    page.evaluate(`make(${alg}, ${JSON.stringify(challenge)})`);
  const sign = (id: string, challenge: string): Promise<Assertion> =>
    page.evaluate(`sign(${JSON.stringify(id)}, ${JSON.stringify(challenge)})`);

  function faultOf(key: RegisteredKey, assertion: Assertion, challenge: string) {
    return assertionFault(
      judgeAssertion(assertion, {
        ...{ challenge, origin, rpId: 'localhost' },
        ...{ key: key.public_key, algorithm: key.algorithm, deviceBound: key.device_bound },
      }),
    );
  }

  describe.each([
    ['ES256', -7],
    ['EdDSA', -8],
  ] as const)('by %s', (algorithm, alg) => {
    it('makes a key and signatures that both accept, and none for another challenge', async () => {
      const made = await make(alg, challengeOf(1));
      const read = readRegistration(made, { challenge: challengeOf(1), origin, rpId: 'localhost' });
      expect(read).toMatchObject({ ok: true, key: { algorithm, credential_id: made.id } });
      if (!read.ok) throw new Error(read.reason);
      const registered = await verifyRegistrationResponse({
        response: {
          ...{
            id: made.id,
            rawId: made.id,
            type: 'public-key' as const,
            clientExtensionResults: {},
          },
          response: {
            clientDataJSON: made.client_data_json,
            attestationObject: made.attestation_object,
          },
        },
        ...{ expectedChallenge: challengeOf(1), expectedOrigin: origin, expectedRPID: 'localhost' },
        supportedAlgorithmIDs: [alg],
      });
      if (!registered.verified) throw new Error('the library refuses the key');
      const { credential } = registered.registrationInfo;

      for (const number of [2, 3]) {
        const challenge = challengeOf(number);
        const assertion = await sign(made.id, challenge);
        expect(faultOf(read.key, assertion, challenge)).toBeNull();
        expect(faultOf(read.key, assertion, challengeOf(9))).toBe('wrong_challenge');
        const verified = await verifyAuthenticationResponse({
          response: {
            ...{
              id: made.id,
              rawId: made.id,
              type: 'public-key' as const,
              clientExtensionResults: {},
            },
            response: {
              clientDataJSON: assertion.client_data_json,
              authenticatorData: assertion.authenticator_data,
              signature: assertion.signature,
            },
          },
          ...{ expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: 'localhost' },
          credential: { ...credential, counter: 0 },
        });
        expect(verified.verified).toBe(true);
      }
    });

    it.each([
      [
        'a signature that is none',
        { isBogusSignature: true },
        ['wrong_signature', 'malformed_signature'],
      ],
      ['an unverified user', { isBadUV: true }, ['user_not_verified']],
      ['no touch', { isBadUP: true }, ['user_not_present']],
    ] as const)('is refused with %s', async (_, bits, reasons) => {
      const made = await make(alg, challengeOf(1));
      const read = readRegistration(made, { challenge: challengeOf(1), origin, rpId: 'localhost' });
      if (!read.ok) throw new Error(read.reason);
      await devtools.send('WebAuthn.setResponseOverrideBits', { authenticatorId, ...bits });
      try {
        const assertion = await sign(made.id, challengeOf(2)).catch(() => null);
        const answer =
          assertion === null ? BY_THE_BROWSER : faultOf(read.key, assertion, challengeOf(2));
        expect([...reasons, BY_THE_BROWSER]).toContain(answer);
      } finally {
        await devtools.send('WebAuthn.setResponseOverrideBits', { authenticatorId });
      }
    });
  });
});
