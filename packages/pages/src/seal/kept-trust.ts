/** Knowledge of a reader about the service, received another way than from the service. */
export interface KeptTrust {
  /** Of the trust manifest, as hex or words; empty when there is none. */
  readonly fingerprint: string;
  /** Text of a witness policy; empty when there is none. */
  readonly policy: string;
}

const NO_TRUST: KeptTrust = { fingerprint: '', policy: '' };

// Public values, kept in this browser for each person apart: another person in it has to bring their own.
const keyOf = (subject: string) => `countersign.trust.${encodeURIComponent(subject)}`;

export function keptTrust(subject: string): KeptTrust {
  try {
    const { fingerprint, policy } = JSON.parse(
      localStorage.getItem(keyOf(subject)) ?? '{}',
    ) as Partial<KeptTrust>;
    return { fingerprint: String(fingerprint ?? ''), policy: String(policy ?? '') };
  } catch {
    return NO_TRUST;
  }
}

export function keepTrust(subject: string, trust: KeptTrust): void {
  try {
    if (trust.fingerprint === '' && trust.policy === '') localStorage.removeItem(keyOf(subject));
    else localStorage.setItem(keyOf(subject), JSON.stringify(trust));
  } catch {
    // Storage is full or switched off: it lasts as long as the page.
  }
}
