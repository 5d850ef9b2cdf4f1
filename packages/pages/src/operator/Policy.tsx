import type { AdminRequest, RoutePolicy, RoutePolicyResult } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { read, send } from '../api/client.js';
import { Needs } from '../approval/Needs.js';
import '../approval/approval.css';
import { canonicalText, valueDigest } from '../material/digest.js';
import { Digest } from '../parts/Digest.js';
import { Field } from '../parts/Field.js';
import { Notice } from '../parts/Notice.js';
import { approvalDesk as words } from '../strings/approval-desk.js';
import { number } from '../text/locale.js';
import { Pieces } from '../text/SafeText.js';
import { readAdmin } from './data.js';
import { AsJson } from './Entry.js';
import { IDENTIFIER, Tick } from './ListField.js';
import { Loaded, useLoading } from './loading.js';
import { PastedPolicy } from './PastedPolicy.js';
import { Proposed } from './Proposed.js';
import { StagesField } from './StagesField.js';
import { TwoActs } from './TwoActs.js';

const FRESH: RoutePolicy = {
  quorum: {
    stages: [{ name: 'stage-1', seats: [{ group: '', count: 2 }] }],
    distinct_by: 'person',
    rejection: { count: 1 },
    author_may_approve: true,
    exclude: { publisher_people: true, operators: false },
    withdraw_after_completion: true,
    guard: true,
  },
};

interface Found {
  readonly result: RoutePolicyResult;
  /** Open requests, as many as a page of the list has. */
  readonly open: number;
  readonly more: boolean;
}

/** The policy of a route (protocol §18.2): the one in force, a change that waits for a second operator, and the form. */
export function Policy({ route, changed }: { route: string; changed: () => void }) {
  const path = `/v2/admin/routes/${encodeURIComponent(route)}/policy`;
  const known = useLoading<Found>(async () => {
    const [result, { items, next }] = await Promise.all([
      read<RoutePolicyResult>(path),
      readAdmin<AdminRequest>('requests', { state: 'pending', route }),
    ]);
    return { result, open: items.length, more: next !== null };
  }, path);
  const [says, setSays] = useState<string | null>(null);
  const save = async (policy: RoutePolicy | null) => {
    const result = await send<RoutePolicyResult>('PUT', path, { policy });
    setSays(result.proposed === null ? words.saved(result.revision) : words.proposed);
    known.reload();
    // The revision of the route has moved with it.
    if (result.proposed === null) changed();
  };
  return (
    <section class="card policy-card" aria-labelledby="policy">
      <h2 id="policy">{words.policy}</h2>
      {says !== null && (
        <Notice tone="good">
          <p>{says}</p>
        </Notice>
      )}
      <Loaded of={known}>
        {(found) => (
          <>
            <InForce of={found.result} />
            <PolicyForm
              key={`${found.result.revision} ${found.result.policy_digest}`}
              found={found}
              save={save}
            />
          </>
        )}
      </Loaded>
    </section>
  );
}

function InForce({ of }: { of: RoutePolicyResult }) {
  const { policy, revision, configured_by, proposed } = of;
  return (
    <>
      {policy === null ? (
        <p>{words.policyNone}</p>
      ) : (
        <>
          <Needs quorum={policy.quorum} />
          <p class="fine">
            {words.policyInForce(revision)} · {words.configuredBy}{' '}
            <Pieces text={configured_by.join(', ')} />
          </p>
        </>
      )}
      {proposed !== null && (
        <Proposed
          says={
            proposed.policy_digest === null
              ? words.proposesRemoval(proposed.by)
              : words.proposes(proposed.by)
          }
          until={proposed.until}
          digest={proposed.policy_digest}
        />
      )}
    </>
  );
}

function PolicyForm(props: {
  readonly found: Found;
  readonly save: (policy: RoutePolicy | null) => Promise<void>;
}) {
  const { found, save } = props;
  const { result } = found;
  const [policy, setPolicy] = useState<RoutePolicy>(result.policy ?? FRESH);
  const [faults, setFaults] = useState(false);
  const { quorum } = policy;
  const digest = useDigest(policy);
  const change = (part: Partial<RoutePolicy['quorum']>) =>
    setPolicy({ ...policy, quorum: { ...quorum, ...part } });
  const isNamed = quorum.stages.every(
    ({ name, seats }) =>
      IDENTIFIER.test(name) && seats.every(({ group }) => IDENTIFIER.test(group)),
  );
  const standing = result.policy !== null;
  const same = standing && canonicalOf(policy) === canonicalOf(result.policy);
  return (
    <>
      <form onSubmit={(event) => event.preventDefault()}>
        <StagesField stages={quorum.stages} onChange={(stages) => change({ stages })} />
        {faults && !isNamed && (
          <p class="fault" role="alert">
            {words.identifierFault}
          </p>
        )}
        <Tick
          label={words.distinct}
          hint={words.distinctHint}
          checked={quorum.distinct_by === 'team'}
          onChange={(teams) => change({ distinct_by: teams ? 'team' : 'person' })}
        />
        <Field label={words.rejection} hint={words.rejectionHint}>
          {({ id, describedBy }) => (
            <input
              id={id}
              type="number"
              min={1}
              max={5}
              value={Number.isFinite(quorum.rejection.count) ? String(quorum.rejection.count) : ''}
              aria-describedby={describedBy}
              onInput={({ currentTarget }) =>
                change({ rejection: { count: currentTarget.valueAsNumber } })
              }
            />
          )}
        </Field>
        <Tick
          label={words.author}
          checked={quorum.author_may_approve}
          onChange={(author_may_approve) => change({ author_may_approve })}
        />
        <Tick
          label={words.excludePublisher}
          checked={quorum.exclude.publisher_people}
          onChange={(publisher_people) =>
            change({ exclude: { ...quorum.exclude, publisher_people } })
          }
        />
        <Tick
          label={words.excludeOperators}
          checked={quorum.exclude.operators}
          onChange={(operators) => change({ exclude: { ...quorum.exclude, operators } })}
        />
        <Tick
          label={words.withdrawAfter}
          checked={quorum.withdraw_after_completion}
          onChange={(withdraw_after_completion) => change({ withdraw_after_completion })}
        />
        <Tick
          label={words.guard}
          hint={words.guardHint}
          checked={quorum.guard}
          onChange={(guard) => change({ guard })}
        />
        <AsJson value={policy} />
        <PastedPolicy take={setPolicy} />
      </form>
      {digest !== null && (
        <p class="fine">
          {words.digest}: <Digest value={digest} />
        </p>
      )}
      {digest !== null && digest === result.proposed?.policy_digest && (
        <p role="status">{words.sameAsProposed}</p>
      )}
      <TwoActs
        open={words.look}
        save={words.save}
        by={JSON.stringify(policy)}
        danger={!same}
        ready={() => {
          setFaults(true);
          return isNamed;
        }}
        onSave={() => save(policy)}
      >
        {same ? <p>{words.unchanged}</p> : <Effects found={found} removes={false} />}
      </TwoActs>{' '}
      {standing && (
        <TwoActs
          open={words.lookRemove}
          save={words.remove}
          by="null"
          danger
          ready={() => true}
          onSave={() => save(null)}
        >
          <Effects found={found} removes />
        </TwoActs>
      )}
    </>
  );
}

/** What a change of the policy ends: it is a change of the rules of the route (protocol §18.11). */
function Effects({ found, removes }: { found: Found; removes: boolean }) {
  const { open, more, result } = found;
  return (
    <>
      <Notice tone="warning" title={words.ends}>
        <p>{words.openNow(more ? words.orMore(open) : number(open))}</p>
        <p>{removes ? words.removes : words.afterwards}</p>
      </Notice>
      {!removes && <p>{words.barred}</p>}
      {result.policy?.quorum.guard === true && <p>{words.maybeTwo}</p>}
    </>
  );
}

/** Null for a policy that JSON cannot hold, as with a figure that is being typed. */
function canonicalOf(policy: RoutePolicy | null): string | null {
  try {
    return canonicalText(policy);
  } catch {
    return null;
  }
}

function useDigest(policy: RoutePolicy): string | null {
  const [digest, setDigest] = useState<string | null>(null);
  const text = canonicalOf(policy);
  useEffect(() => {
    let gone = false;
    setDigest(null);
    if (text !== null) void valueDigest(policy).then((found) => !gone && setDigest(found));
    return () => {
      gone = true;
    };
  }, [text]);
  return digest;
}
