import type { AdminPrincipal, AdminRoute, PrincipalInput } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { Field } from '../parts/Field.js';
import { Notice } from '../parts/Notice.js';
import { reader } from '../session/session.js';
import { operator } from '../strings/operator.js';
import { Change } from './Change.js';
import { choicesOf } from './choices.js';
import { readAll, readOne } from './data.js';
import { differencesOf } from './differences.js';
import type { Difference } from './differences.js';
import { EndSessions } from './EndSessions.js';
import { AsJson, EntryPage, IdField } from './Entry.js';
import { IDENTIFIER, ListField, Tick } from './ListField.js';
import { SecretField } from './SecretField.js';
import { newToken, newWebhookSecret } from './secrets.js';
import { lazily } from '../parts/lazily.js';
import { offersApprovals } from '../session/offers-approvals.js';

const { Component: Membership } = lazily(async () => (await import('./Membership.js')).Membership);

type Kind = PrincipalInput['kind'];
type Config = PrincipalInput['config'];

interface Beside {
  readonly principals: readonly AdminPrincipal[];
  readonly routes: readonly AdminRoute[];
}

/** Made and changed by the command line alone. */
const ELSEWHERE: readonly string[] = ['operator', 'monitor', 'auditor'];

export function principalAddress(id: string): string {
  return `/operator/principals/${encodeURIComponent(id)}`;
}

/** One principal, or a new one. */
export function PrincipalPage({ id }: { id: string | null }) {
  return (
    <EntryPage<AdminPrincipal, Beside>
      id={id}
      list="principals"
      title={id === null ? operator.newPrincipal : operator.principals}
      lead={({ kind }) => operator.principalKinds[kind]}
      beside={async () => {
        const [principals, routes] = await Promise.all([
          readAll<AdminPrincipal>('principals'),
          readAll<AdminRoute>('routes'),
        ]);
        return { principals, routes };
      }}
      form={(principal, beside, saved) =>
        principal !== null && ELSEWHERE.includes(principal.kind) ? (
          <Notice tone="info">
            <p>{operator.operatorsElsewhere}</p>
          </Notice>
        ) : (
          <PrincipalForm
            principal={principal}
            beside={beside}
            saved={() => saved(operator.saved)}
          />
        )
      }
      below={(principal, { principals }) =>
        principal?.kind === 'human' &&
        offersApprovals() && <Membership id={principal.id} principals={principals} />
      }
    />
  );
}

/** The members of each kind of principal; the rest of its configuration does not change. */
const MEMBERS: Record<Kind, readonly (keyof Config)[]> = {
  human: [
    'name',
    'oidc_issuer',
    'oidc_subject',
    'operator',
    'publisher',
    'email',
    'identity_certain',
  ],
  producer: ['name', 'publisher', 'owner', 'routes', 'webhook'],
  publisher: ['name'],
};

/** Without empty texts, and without incomplete pairs: the service takes no member without a value. */
function tidy(config: Config): Config {
  const { email_verified: _, ...rest } = config;
  const given = Object.entries(rest).filter(([, value]) => value !== '' && value !== undefined);
  const tidied = Object.fromEntries(given) as Config;
  if (tidied.operator === false) delete tidied.operator;
  if (tidied.identity_certain === true) delete tidied.identity_certain;
  return tidied.email === undefined ? tidied : { ...tidied, email_verified: true };
}

function PrincipalForm(props: {
  readonly principal: AdminPrincipal | null;
  readonly beside: Beside;
  readonly saved: () => void;
}) {
  const { principal, saved } = props;
  const { principals, routes } = props.beside;
  const [id, setId] = useState(principal?.id ?? '');
  const [kind, setKind] = useState<Kind>((principal?.kind as Kind | undefined) ?? 'human');
  const [config, setConfig] = useState<Config>(
    principal?.config ?? { enabled: true, oidc_issuer: usualIssuer(principals) },
  );
  const [token, setToken] = useState('');
  const [secret, setSecret] = useState('');
  const [faults, setFaults] = useState(false);
  const change = (part: Partial<Config>) => setConfig({ ...config, ...part });
  const has = (member: keyof Config) => MEMBERS[kind].includes(member);
  const badId = !IDENTIFIER.test(id);
  const fresh = principal === null;
  const kept = fresh
    ? (Object.fromEntries(
        Object.entries(config).filter(
          ([member]) => member === 'enabled' || has(member as keyof Config),
        ),
      ) as Config)
    : config;
  const looked: PrincipalInput = { id, kind, config: tidy(kept) };

  const text = (
    member: 'name' | 'oidc_issuer' | 'oidc_subject' | 'publisher' | 'owner' | 'email' | 'webhook',
    label: string,
    hint?: string,
    more: { locked?: boolean; choices?: readonly string[]; required?: boolean } = {},
  ) =>
    has(member) && (
      <Field label={label} hint={hint} required={more.required ?? false}>
        {({ id: control, describedBy }) => (
          <>
            <input
              id={control}
              value={config[member] ?? ''}
              readOnly={more.locked}
              list={more.choices && `${control}-list`}
              autoComplete="off"
              aria-describedby={describedBy}
              onInput={({ currentTarget }) =>
                change({ [member]: currentTarget.value.trim() === '' ? '' : currentTarget.value })
              }
            />
            {more.choices && (
              <datalist id={`${control}-list`}>
                {more.choices.map((each) => (
                  <option key={each} value={each} />
                ))}
              </datalist>
            )}
          </>
        )}
      </Field>
    );
  const ids = (of: AdminPrincipal['kind']) =>
    choicesOf(principals, [of]).map((choice) => choice.id);

  return (
    <>
      {id === reader()?.subject && !fresh && (
        <Notice tone="info">
          <p>{operator.selfWarning}</p>
        </Notice>
      )}
      <form class="card" onSubmit={(event) => event.preventDefault()} autoComplete="off">
        {fresh && (
          <>
            <Field label={operator.kindOf} hint={operator.kindHint} required>
              {({ id: control, describedBy }) => (
                <select
                  id={control}
                  value={kind}
                  aria-describedby={describedBy}
                  onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
                >
                  {(Object.keys(MEMBERS) as Kind[]).map((each) => (
                    <option key={each} value={each}>
                      {operator.principalKinds[each]}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            <IdField
              label={operator.principalId}
              value={id}
              faulty={faults && badId}
              onChange={setId}
            />
          </>
        )}
        {text('name', operator.name)}
        <Tick
          label={operator.enabled}
          hint={operator.enabledHint}
          checked={config.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        {has('identity_certain') && (
          <Tick
            label={operator.certain}
            hint={operator.certainHint}
            checked={config.identity_certain !== false}
            onChange={(identity_certain) => change({ identity_certain })}
          />
        )}
        {has('operator') && (
          <Tick
            label={operator.power}
            hint={operator.powerHint}
            checked={config.operator === true}
            onChange={(power) => change({ operator: power })}
          />
        )}
        {text('oidc_issuer', operator.issuer, operator.identityHint, {
          locked: !fresh,
          required: true,
        })}
        {text('oidc_subject', operator.subject, undefined, { locked: !fresh, required: true })}
        {text(
          'publisher',
          operator.publisher,
          kind === 'human' ? operator.publisherHumanHint : operator.publisherHint,
          {
            choices: ids('publisher'),
            required: kind === 'producer',
          },
        )}
        {text('owner', operator.owner, operator.ownerHint, {
          choices: ids('human'),
          required: true,
        })}
        {has('routes') && (
          <ListField
            label={operator.routesOf}
            hint={operator.routesHint}
            values={config.routes ?? []}
            choices={routes.map((route) => ({ id: route.id }))}
            onChange={(chosen) => change({ routes: [...chosen] })}
          />
        )}
        {text('email', operator.email, operator.emailHint)}
        {text('webhook', operator.webhook, operator.webhookHint)}
        {kind === 'producer' && (
          <SecretField
            label={operator.secret}
            hint={principal?.has_webhook_secret ? operator.secretThere : operator.secretHint}
            value={secret}
            make={newWebhookSecret}
            makeLabel={operator.secretMake}
            onChange={setSecret}
          />
        )}
        {kind !== 'human' && (
          <SecretField
            label={operator.token}
            hint={principal?.has_token ? operator.tokenThere : operator.tokenNone}
            value={token}
            make={newToken}
            makeLabel={operator.tokenMake}
            onChange={setToken}
          />
        )}
        <AsJson value={looked.config} />
      </form>
      <Change
        kind="principal"
        id={id}
        looked={looked}
        body={() => ({
          ...looked,
          config: secret === '' ? looked.config : { ...looked.config, webhook_secret: secret },
          ...(token === '' || kind === 'human' ? {} : { token }),
        })}
        differences={[
          ...differencesOf(principal?.config ?? null, looked.config),
          ...secretDifferences(principal, kind, token, secret),
        ]}
        ready={() => {
          setFaults(true);
          return !badId;
        }}
        current={async () =>
          (await readOne<AdminPrincipal>('principals', id))?.updated_at === principal?.updated_at
        }
        saved={() => {
          setToken('');
          setSecret('');
          if (fresh) location.assign(principalAddress(id));
          else saved();
        }}
      />
      {kind === 'human' && !fresh && <EndSessions id={id} />}
    </>
  );
}

/** The fact that secrets change, never their values. */
function secretDifferences(
  principal: AdminPrincipal | null,
  kind: Kind,
  token: string,
  secret: string,
): Difference[] {
  const had = (there: boolean | undefined) => (there === true ? operator.secretIs : null);
  const found: Difference[] = [];
  if (kind !== 'human' && token !== '') {
    found.push({ member: 'token', from: had(principal?.has_token), to: operator.secretKept });
  }
  const before = had(principal?.has_webhook_secret);
  if (secret !== '')
    found.push({ member: 'webhook_secret', from: before, to: operator.secretKept });
  else if (before !== null) {
    found.push({ member: 'webhook_secret', from: before, to: operator.secretGoes });
  }
  return found;
}

/** Where the people of the directory sign in, when that is one place. */
function usualIssuer(principals: readonly AdminPrincipal[]): string {
  const issuers = new Set(principals.flatMap(({ config }) => config.oidc_issuer ?? []));
  return issuers.size === 1 ? ([...issuers][0] as string) : '';
}
