import type { AdminKey, CredentialList } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import { newKey, send } from '../api/client.js';
import { KeyFault, signWith } from '../keys/authenticator.js';
import { KeyFaultNotice } from '../keys/KeyFaultNotice.js';
import { activeAmong, readOwnKeys, signerHere } from '../keys/own-keys.js';
import type { ActiveKey } from '../keys/own-keys.js';
import { countersignStatement, fingerprintOf } from '../keys/statements.js';
import { Button } from '../parts/Button.js';
import { Dialog } from '../parts/Dialog.js';
import { Digest } from '../parts/Digest.js';
import { Facts } from '../parts/Facts.js';
import { Field } from '../parts/Field.js';
import { Notice } from '../parts/Notice.js';
import { Waiting } from '../parts/Waiting.js';
import { keyDesk as words } from '../strings/key-desk.js';
import { shared } from '../strings/shared.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';

/** One key of another person, and the operator's own signature for it where the operator has a key. */
export function Countersign(props: {
  readonly of: AdminKey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { of, onClose, onDone } = props;
  const [own, setOwn] = useState<CredentialList | null>(null);
  const [chosen, setChosen] = useState('');
  const [asked, setAsked] = useState(false);
  const [fingerprint, setFingerprint] = useState('');
  const [fault, setFault] = useState<unknown>(null);
  const [waiting, setWaiting] = useState<AbortController | null>(null);
  const [call] = useState(newKey);
  const leaving = useRef<AbortController | null>(null);
  const load = () => {
    setFault(null);
    readOwnKeys().then(setOwn, setFault);
  };
  useEffect(() => {
    load();
    fingerprintOf(of.enrolment.public_key).then(setFingerprint, setFault);
    return () => leaving.current?.abort();
  }, []);
  const active = activeAmong(own ?? []);
  const key = active.find(({ bound }) => bound.credential === chosen) ?? active[0] ?? null;

  const run = async () => {
    const mine = new AbortController();
    leaving.current = mine;
    setWaiting(mine);
    setFault(null);
    try {
      const body = key === null ? {} : { assertion: await signatureFor(of, key, mine.signal) };
      await send('POST', `/v2/admin/credentials/${of.credential}/countersign`, body, {
        // Another signature is another body, and needs a key of its own.
        key: key === null ? call : newKey(),
      });
      onDone();
    } catch (failed) {
      if (!mine.signal.aborted) setFault(failed);
    } finally {
      setWaiting((now) => (now === mine ? null : now));
    }
  };
  const busy = waiting !== null;
  return (
    <Dialog title={words.panel(of.label)} onClose={onClose}>
      <Facts
        facts={[
          [words.person, <SafeText text={`${of.name ?? of.principal} (${of.principal})`} />],
          [
            words.login,
            <SafeText text={`${of.login.subject ?? '–'}, ${of.login.issuer ?? '–'}`} />,
          ],
          [words.since, <Moment at={of.created_at} />],
          [words.service, <Digest value={of.credential} />],
          [words.fingerprint, <Digest value={fingerprint} />],
        ]}
      />
      <Notice tone="warning">
        <p>{of.state === 'suspended' ? words.askSuspended : words.ask}</p>
      </Notice>
      {fault !== null && <KeyFaultNotice fault={fault} {...(own === null && { retry: load })} />}
      {own === null && fault === null && <Waiting says={shared.loading} lines={2} />}
      {own !== null && (
        <>
          {key === null ? (
            <p class="fine">{words.without}</p>
          ) : (
            <Field label={words.with}>
              {({ id }) => (
                <select
                  id={id}
                  disabled={busy}
                  value={key.bound.credential}
                  onChange={({ currentTarget }) => setChosen(currentTarget.value)}
                >
                  {active.map(({ label, bound: { credential } }) => (
                    <option key={credential} value={credential}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <label class="asked">
            <input
              type="checkbox"
              checked={asked}
              disabled={busy}
              onChange={({ currentTarget }) => setAsked(currentTarget.checked)}
            />
            {words.asked}
          </label>
          <div class="row">
            <Button look="primary" disabled={!asked} busy={busy} onClick={() => void run()}>
              {key === null ? words.vouch : busy ? words.waiting : words.sign}
            </Button>
            {busy && key !== null ? (
              <Button
                onClick={() => {
                  waiting.abort();
                  setWaiting(null);
                }}
              >
                {words.stop}
              </Button>
            ) : (
              <Button look="quiet" disabled={busy} onClick={onClose}>
                {words.cancel}
              </Button>
            )}
          </div>
        </>
      )}
    </Dialog>
  );
}

/** The operator's signature about exactly the key that is shown. */
async function signatureFor(
  { credential, principal, enrolment, attempt }: AdminKey,
  { bound }: ActiveKey,
  signal: AbortSignal,
) {
  const signer = signerHere();
  const isShown =
    enrolment.credential === credential &&
    enrolment.principal === principal &&
    enrolment.tenant === signer.tenant &&
    enrolment.issuer === signer.issuer &&
    enrolment.person !== bound.person;
  if (!isShown) throw new KeyFault('differs');
  const statement = await countersignStatement(signer, bound.person, enrolment, attempt);
  return signWith(bound, statement, signal);
}
