import type { CDPSession, Page } from 'playwright-core';

/** A virtual authenticator of one page: it has a person's keys, and answers for that person. */
export interface Authenticator {
  /** Whether it recognises its user. */
  verifies(verified: boolean): Promise<void>;
  /** Whether it is touched when it is asked. */
  isTouched(touched: boolean): Promise<void>;
  /** What is wrong with its next answers. */
  answersWrongly(how: {
    isBogusSignature?: boolean;
    isBadUV?: boolean;
    isBadUP?: boolean;
  }): Promise<void>;
  /** Sets the counters of all of its keys, as a copy does. */
  setCounters(count: number): Promise<void>;
  /** Ids of its keys. */
  keys(): Promise<readonly string[]>;
}

/** Gives a page the means to make keys, for as long as it is open. */
export async function keysOn(
  page: Page,
): Promise<{ add(options?: object): Promise<Authenticator> }> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  return { add: (options = {}) => addTo(session, options) };
}

async function addTo(session: CDPSession, options: object): Promise<Authenticator> {
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal' },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
      automaticPresenceSimulation: true,
      ...options,
    },
  });
  const credentials = async () =>
    (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  return {
    async verifies(isUserVerified) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
    async isTouched(enabled) {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    async answersWrongly(how) {
      await session.send('WebAuthn.setResponseOverrideBits', { authenticatorId, ...how });
    },
    async setCounters(signCount) {
      for (const { credentialId, ...rest } of await credentials()) {
        await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
        await session.send('WebAuthn.addCredential', {
          authenticatorId,
          credential: { ...rest, credentialId, signCount },
        });
      }
    },
    keys: async () => (await credentials()).map(({ credentialId }) => credentialId),
  };
}
