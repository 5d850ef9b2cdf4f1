import type { CredentialStatus, SignedBy } from '@countersign/protocol';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { isRefusal } from '../api/client.js';
import { Button, LinkButton } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { Notice } from '../parts/Notice.js';
import { freshLoginAddress, rememberPlace } from '../session/return.js';
import { keys as words } from '../strings/keys.js';
import { SafeText } from '../text/SafeText.js';
import { KeyFault, browserHasKeys } from './authenticator.js';
import { agree, begin, enrolling, vouch } from './enrolment.js';
import type { Begun } from './enrolment.js';
import { KeyFaultNotice } from './KeyFaultNotice.js';
import { signerHere } from './own-keys.js';
import type { ActiveKey } from './own-keys.js';

const MOST_CHARACTERS = 60;
/** This tab has been to a fresh login. */
const ASKED_FOR_LOGIN = 'countersign.fresh-login';

/** `form`: nothing is there yet. `sign`: the new key signs. `vouch`: another key does. `send`: all is signed, and the answer is missing. */
type Step =
  | { readonly at: 'form' }
  | { readonly at: 'sign'; readonly begun: Begun }
  | { readonly at: 'vouch'; readonly begun: Begun; readonly signed: SignedBy }
  | { readonly at: 'send'; readonly call: () => Promise<CredentialStatus> };

/** Refusals after which the same key cannot be added any more, only another one. */
const OVER = ['offer_expired', 'identity_conflict', 'credential_unavailable', 'invalid_assertion'];

/** Adds a key: one step for each dialog of the browser, each on a press. */
export function AddKey(props: {
  readonly active: readonly ActiveKey[];
  readonly onBegin: () => void;
  readonly onAdded: (key: CredentialStatus) => void;
}) {
  const { active, onBegin, onAdded } = props;
  const [step, setStep] = useState<Step>({ at: 'form' });
  const [label, setLabel] = useState('');
  const [voucher, setVoucher] = useState('');
  const [tried, setTried] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const [waiting, setWaiting] = useState<AbortController | null>(null);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);

  const own = active.find(({ bound }) => bound.credential === voucher) ?? null;
  const name = label.trim();
  const fits = name !== '' && [...name].length <= MOST_CHARACTERS;
  const steps = own === null ? 2 : 3;

  /** One step. When it fails, the step before it stays. */
  const run = async (work: (signal: AbortSignal) => Promise<Step | null>) => {
    const mine = new AbortController();
    leaving.current = mine;
    setWaiting(mine);
    setFault(null);
    try {
      const next = await work(mine.signal);
      if (!mine.signal.aborted) setStep(next ?? { at: 'form' });
    } catch (failed) {
      if (mine.signal.aborted) return;
      setFault(failed);
      if (isRefusal(failed, ...OVER)) setStep({ at: 'form' });
    } finally {
      setWaiting((now) => (now === mine ? null : now));
    }
  };
  const make = () => {
    setTried(true);
    if (!fits) return;
    onBegin();
    void run(async (signal) => {
      const begun = await begin(active, signal);
      sessionStorage.removeItem(ASKED_FOR_LOGIN);
      return { at: 'sign', begun };
    });
  };
  const finish = async (call: () => Promise<CredentialStatus>): Promise<null> => {
    setStep({ at: 'send', call });
    const added = await call();
    setLabel('');
    setVoucher('');
    setTried(false);
    onAdded(added);
    return null;
  };
  const sign = (begun: Begun) =>
    run(async (signal) => {
      const signed = await agree(signerHere(), begun, signal);
      if (own !== null) return { at: 'vouch', begun, signed };
      return finish(enrolling(begun, name, signed, null));
    });
  const letVouch = (begun: Begun, signed: SignedBy, by: ActiveKey) =>
    run(async (signal) => {
      const byOwn = await vouch(signerHere(), begun, by, signal);
      return finish(enrolling(begun, name, signed, byOwn));
    });
  const restart = () => {
    leaving.current?.abort();
    setWaiting(null);
    setFault(null);
    setStep({ at: 'form' });
  };

  const busy = waiting !== null;
  const stop = busy && step.at !== 'send' && (
    <Button
      onClick={() => {
        waiting.abort();
        setWaiting(null);
      }}
    >
      {words.stop}
    </Button>
  );
  return (
    <section class="card add-key" aria-labelledby="add-key">
      <h2 id="add-key">{words.add}</h2>
      {!browserHasKeys() && <KeyFaultNotice fault={new KeyFault('unsupported')} />}
      <AddFault fault={fault} />
      {step.at === 'form' && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            make();
          }}
        >
          <p>{words.addLead}</p>
          <Field
            label={words.name}
            hint={words.nameHint}
            fault={tried && !fits ? words.nameFault : null}
            required
          >
            {({ id, describedBy, invalid }) => (
              <input
                id={id}
                autocomplete="off"
                aria-describedby={describedBy}
                aria-invalid={invalid}
                disabled={busy}
                value={label}
                onInput={({ currentTarget }) => setLabel(currentTarget.value)}
              />
            )}
          </Field>
          {active.length > 0 && (
            <Field label={words.voucher}>
              {({ id }) => (
                <select
                  id={id}
                  disabled={busy}
                  value={voucher}
                  onChange={({ currentTarget }) => setVoucher(currentTarget.value)}
                >
                  <option value="">{words.byOperator}</option>
                  {active.map(({ label: named, bound: { credential } }) => (
                    <option key={credential} value={credential}>
                      {words.byOwn(named)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <div class="row">
            <Button look="primary" type="submit" busy={busy} disabled={!browserHasKeys()}>
              {busy ? words.making : words.make}
            </Button>
            {stop}
          </div>
        </form>
      )}
      {step.at === 'sign' && (
        <Act
          step={words.step(2, steps)}
          title={words.signTitle}
          lead={words.signLead}
          press={busy ? words.signing : words.sign}
          busy={busy}
          onPress={() => void sign(step.begun)}
        >
          {stop || <Button onClick={restart}>{words.again}</Button>}
        </Act>
      )}
      {step.at === 'vouch' && own !== null && (
        <Act
          step={words.step(3, steps)}
          title={words.vouchTitle}
          lead={words.vouchLead(own.label)}
          press={busy ? words.signing : words.vouch(own.label)}
          busy={busy}
          onPress={() => void letVouch(step.begun, step.signed, own)}
        >
          {stop || <Button onClick={restart}>{words.again}</Button>}
        </Act>
      )}
      {step.at === 'send' && (
        <div class="row">
          <Button busy={busy} onClick={() => void run(() => finish(step.call))}>
            {busy ? words.sending : words.sendAgain}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The next dialog of the browser, which opens on a press. The title takes the focus: it is what has changed. */
function Act(props: {
  readonly step: string;
  readonly title: string;
  readonly lead: string;
  readonly press: string;
  readonly busy: boolean;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [props.title]);
  return (
    <>
      <p class="fine">{props.step}</p>
      <h3 ref={title} tabIndex={-1}>
        {props.title}
      </h3>
      <p>
        <SafeText text={props.lead} />
      </p>
      <div class="row">
        <Button look="primary" busy={props.busy} onClick={props.onPress}>
          {props.press}
        </Button>
        {props.children}
      </div>
    </>
  );
}

function AddFault({ fault }: { fault: unknown }) {
  if (fault === null) return null;
  if (!isRefusal(fault, 'fresh_login_required')) {
    return <KeyFaultNotice fault={fault} />;
  }
  const inVain = sessionStorage.getItem(ASKED_FOR_LOGIN) !== null;
  return (
    <Notice tone="warning" title={words.loginTitle}>
      <p>{inVain ? words.loginStill : words.loginLead}</p>
      <LinkButton
        look="primary"
        href={freshLoginAddress()}
        onClick={() => {
          sessionStorage.setItem(ASKED_FOR_LOGIN, 'true');
          rememberPlace();
        }}
      >
        {words.login}
      </LinkButton>
    </Notice>
  );
}
