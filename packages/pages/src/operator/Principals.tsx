import type { AdminPrincipal } from '@countersign/protocol';

import { LinkButton } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Nothing } from '../parts/Nothing.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { Frame } from './Frame.js';
import { Ids } from './Ids.js';
import { Pages } from './loading.js';
import { PrincipalPage, principalAddress } from './Principal.js';

export function Principals() {
  if (location.search === '?new') return <PrincipalPage id={null} />;
  return (
    <Frame
      title={operator.principals}
      lead={operator.principalsLead}
      aside={
        <LinkButton href="/operator/principals?new" look="primary">
          {operator.newPrincipal}
        </LinkButton>
      }
    >
      <Pages<AdminPrincipal> list="principals" empty={<Nothing words={operator.noPrincipals} />}>
        {(items) => (
          <section class="card">
            <Table
              caption={operator.principals}
              keyOf={({ id }) => id}
              rows={items}
              columns={[
                {
                  title: operator.principalId,
                  cell: ({ id, config }) => (
                    <>
                      <a href={principalAddress(id)}>
                        <SafeText text={id} />
                      </a>
                      {config.name !== undefined && (
                        <span class="fine beneath">
                          <SafeText text={config.name} limit={80} />
                        </span>
                      )}
                    </>
                  ),
                },
                {
                  title: operator.kindOf,
                  cell: ({ kind, config }) => (
                    <span class="row chips">
                      {operator.principalKinds[kind]}
                      {config.operator === true && <Chip tone="accent">{operator.power}</Chip>}
                    </span>
                  ),
                },
                { title: operator.state, cell: stateOf },
                { title: operator.routesOf, cell: routesOf },
                { title: operator.changedAt, cell: ({ updated_at }) => <Moment at={updated_at} /> },
              ]}
            />
          </section>
        )}
      </Pages>
    </Frame>
  );
}

function stateOf({ config, has_token }: AdminPrincipal) {
  return (
    <span class="row chips">
      <Chip tone={config.enabled ? 'good' : 'neutral'}>
        {config.enabled ? operator.enabled : operator.disabled}
      </Chip>
      {config.identity_certain === false && <Chip tone="warning">{operator.uncertain}</Chip>}
      {config.oidc_subject === undefined && !has_token && (
        <Chip tone="warning">{operator.noToken}</Chip>
      )}
    </span>
  );
}

function routesOf({ config: { routes = [] } }: AdminPrincipal) {
  return <Ids of={routes} />;
}
