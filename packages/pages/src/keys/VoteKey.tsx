import type { CredentialList, DecisionRequest, RoutePolicy } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { LinkButton } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { Fault, Notice } from '../parts/Notice.js';
import type { SignsVote } from '../approval/vote-slot.js';
import { reader } from '../session/session.js';
import { keys as words } from '../strings/keys.js';
import { SafeText } from '../text/SafeText.js';
import { KeyFault, browserHasKeys } from './authenticator.js';
import { KeyFaultNotice } from './KeyFaultNotice.js';
import { activeAmong, readOwnKeys, signerHere } from './own-keys.js';
import type { ActiveKey } from './own-keys.js';
import { signVote } from './sign-vote.js';

type KeyPolicy = NonNullable<RoutePolicy['human_key']>;

export interface VoteKeyProps {
  readonly policy: KeyPolicy;
  readonly request: DecisionRequest;
  readonly requestDigest: string;
  /** Gets what signs with the chosen key. */
  readonly onSigner: (signs: SignsVote) => void;
}

/** The key that signs a vote on this request: the only one of the reader's, or a choice; without one, the way to it. */
export function VoteKey({ policy, request, requestDigest, onSigner }: VoteKeyProps) {
  const [own, setOwn] = useState<CredentialList | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const load = () => {
    setFault(null);
    readOwnKeys().then(setOwn, setFault);
  };
  useEffect(load, []);
  const subject = reader()?.subject ?? '';
  const active = activeAmong(own ?? []).filter(({ bound }) => bound.principal === subject);
  const usable = active.filter(({ bound }) => fits(bound, policy));
  const key = usable.find(({ bound }) => bound.credential === chosen) ?? usable[0];
  const credential = key?.bound.credential;
  useEffect(() => {
    onSigner((frozen, signal) =>
      key === undefined
        ? Promise.reject(new KeyFault('no_key'))
        : signVote({ signer: signerHere(), request, requestDigest, key }, frozen, signal),
    );
  }, [credential, request, requestDigest]);

  if (!browserHasKeys()) return <KeyFaultNotice fault={new KeyFault('unsupported')} />;
  if (fault !== null) return <Fault fault={fault} retry={load} />;
  if (own === null) {
    return (
      <p class="fine" role="status">
        {words.keysLoading}
      </p>
    );
  }
  if (key === undefined) {
    return (
      <Notice tone="warning" title={words.noKeyTitle}>
        <p>{active.length > 0 ? words.noKeyBound : words.noKey}</p>
        {own.some(({ state }) => state === 'waiting') && <p>{words.keyWaits}</p>}
        <LinkButton href="/me" look="primary">
          {words.toKeys}
        </LinkButton>
      </Notice>
    );
  }
  return (
    <Choice usable={usable} chosen={key.bound.credential} choose={(next) => setChosen(next)} />
  );
}

function Choice(props: {
  readonly usable: readonly ActiveKey[];
  readonly chosen: string;
  readonly choose: (credential: string) => void;
}) {
  const { usable, chosen, choose } = props;
  const [only] = usable;
  if (usable.length === 1 && only !== undefined) {
    return (
      <p class="vote-key">
        {words.signWith}:{' '}
        <strong>
          <SafeText text={only.label} />
        </strong>
      </p>
    );
  }
  return (
    <Field label={words.signWith} hint={words.signHint}>
      {({ id, describedBy }) => (
        <select
          id={id}
          aria-describedby={describedBy}
          value={chosen}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {usable.map(({ label, bound }) => (
            <option key={bound.credential} value={bound.credential}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** As the service asks (protocol §19.5): keys of this release have no attestation, and somebody vouched for each. */
const fits = ({ device_bound }: ActiveKey['bound'], { device }: KeyPolicy) =>
  device === 'any' || device_bound;
