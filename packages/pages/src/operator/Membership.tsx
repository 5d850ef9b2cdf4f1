import type { AdminPrincipal, MembershipInput, MembershipResult } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { send } from '../api/client.js';
import { Field } from '../parts/Field.js';
import { Notice } from '../parts/Notice.js';
import { approvalDesk as words } from '../strings/approval-desk.js';
import { choicesOf } from './choices.js';
import { readOne } from './data.js';
import { ListField } from './ListField.js';
import { Loaded, useLoading } from './loading.js';
import { Proposed } from './Proposed.js';
import { TwoActs } from './TwoActs.js';

/** The groups of a person, the team, and the principal of the same person (protocol §18.2). */
export function Membership(props: {
  readonly id: string;
  readonly principals: readonly AdminPrincipal[];
}) {
  const { id, principals } = props;
  const known = useLoading(() => readOne<MembershipResult>('memberships', id), id);
  const [says, setSays] = useState<string | null>(null);
  const save = async (input: MembershipInput) => {
    const path = `/v2/admin/principals/${encodeURIComponent(id)}/membership`;
    const result = await send<MembershipResult>('PUT', path, input);
    setSays(result.proposed === null ? words.savedMembership(result.revision) : words.proposed);
    known.reload();
  };
  return (
    <section class="card" aria-labelledby="membership">
      <h2 id="membership">{words.membership}</h2>
      <p class="quiet-text">{words.membershipLead}</p>
      {says !== null && (
        <Notice tone="good">
          <p>{says}</p>
        </Notice>
      )}
      <Loaded of={known}>
        {(standing) =>
          standing && (
            <>
              {standing.proposed !== null && (
                <Proposed
                  says={words.proposesMembership(standing.proposed.by)}
                  until={standing.proposed.until}
                  digest={standing.proposed.membership_digest}
                />
              )}
              <MembershipForm
                key={standing.revision}
                standing={standing}
                principals={principals}
                save={save}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

function MembershipForm(props: {
  readonly standing: MembershipResult;
  readonly principals: readonly AdminPrincipal[];
  readonly save: (input: MembershipInput) => Promise<void>;
}) {
  const { standing, principals, save } = props;
  const [groups, setGroups] = useState<readonly string[]>(standing.groups);
  const [team, setTeam] = useState(standing.team ?? '');
  const [samePerson, setSamePerson] = useState(standing.same_person_as ?? '');
  const input: MembershipInput = {
    groups: [...groups],
    team: team.trim() || null,
    same_person_as: samePerson.trim() || null,
  };
  const loses =
    standing.groups.some((group) => !groups.includes(group)) ||
    input.team !== standing.team ||
    input.same_person_as !== standing.same_person_as;
  const others = choicesOf(principals, ['human']).filter(({ id }) => id !== standing.principal);
  return (
    <>
      <form onSubmit={(event) => event.preventDefault()}>
        <ListField
          label={words.groups}
          hint={words.groupsHint}
          values={groups}
          choices={groups.map((id) => ({ id }))}
          onChange={setGroups}
        />
        <Field label={words.team} hint={words.teamHint}>
          {({ id, describedBy }) => (
            <input
              id={id}
              value={team}
              autoComplete="off"
              aria-describedby={describedBy}
              onInput={({ currentTarget }) => setTeam(currentTarget.value)}
            />
          )}
        </Field>
        <Field label={words.samePerson} hint={words.samePersonHint}>
          {({ id, describedBy }) => (
            <>
              <input
                id={id}
                value={samePerson}
                list={`${id}-list`}
                autoComplete="off"
                aria-describedby={describedBy}
                onInput={({ currentTarget }) => setSamePerson(currentTarget.value)}
              />
              <datalist id={`${id}-list`}>
                {others.map((choice) => (
                  <option key={choice.id} value={choice.id} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      </form>
      <TwoActs
        open={words.look}
        save={words.saveMembership}
        by={JSON.stringify(input)}
        danger={loses}
        ready={() => true}
        onSave={() => save(input)}
      >
        <p>{loses ? words.losesVotes : words.gains}</p>
        <p>{words.maybeTwoMember}</p>
      </TwoActs>
    </>
  );
}
