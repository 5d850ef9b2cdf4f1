import type { SecurityEntry } from '@countersign/protocol';
import { SECURITY_KINDS } from '@countersign/protocol/security-kinds';
import { useRef, useState } from 'preact/hooks';

import { FilterForm, addressOf, filterHere, isFiltered } from '../operator/FilterForm.js';
import type { FilterOf } from '../operator/FilterForm.js';
import { Frame } from '../operator/Frame.js';
import { Pages } from '../operator/loading.js';
import { Field } from '../parts/Field.js';
import { reader } from '../session/session.js';
import { logWords } from '../strings/chain.js';
import { Nothing } from '../parts/Nothing.js';
import { securityLog } from '../strings/security-log.js';
import { ChainVerification } from '../verifying/ChainVerification.js';
import type { Chain } from '../verifying/ChainVerification.js';
import { Downloads } from './Downloads.js';
import { EntryTable } from './EntryTable.js';
import { DATA } from './log-file.js';
import { NOTHING_VERIFIED } from './verified.js';
import type { Verified } from './verified.js';

const FILTERS = ['kind', 'actor', 'subject', 'request', 'since', 'before'] as const;
type Filter = FilterOf<typeof FILTERS>;

/** The security log of the reader's tenant: found, verified and saved. */
export function SecurityLog() {
  const filter = filterHere(FILTERS);
  const [verified, setVerified] = useState<Verified>(NOTHING_VERIFIED);
  // Too many to be copied for each page.
  const heads = useRef<string[]>([]);
  const forget = () => {
    heads.current = [];
    setVerified(NOTHING_VERIFIED);
  };
  const tenant = reader()?.tenant ?? '';
  const chain: Chain = {
    words: logWords,
    address: (after) => `${DATA}/pages?after=${after}`,
    last: (page) => Number(/"next":"(\d{1,15})"\}$/.exec(page)?.[1]) || null,
    async verify(verifier, page) {
      const answer = await verifier.ask({ ask: 'log', page, tenant });
      heads.current.push(...answer.heads);
      setVerified(({ covered }) => ({
        heads: heads.current,
        covered: Math.max(covered, answer.covered),
      }));
      return answer;
    },
  };
  const [from, setFrom] = useState<number | null>(null);
  // The list continues behind an entry; to begin with one, ask for the entries behind the next.
  const query = from === null ? filter : { after: String(from + 1) };
  return (
    <Frame title={securityLog.title} lead={securityLog.lead}>
      <LogFilter filter={filter} />
      <details class="beside no-print">
        <summary>{securityLog.verifyOrSave}</summary>
        <ChainVerification chain={chain} show={setFrom} onBegin={forget} />
        <Downloads filter={filter} />
      </details>
      <Pages<SecurityEntry>
        list="security-log"
        query={query}
        empty={<Nothing words={isFiltered(filter) ? securityLog.noneFits : securityLog.empty} />}
      >
        {(entries) => (
          <EntryTable
            entries={entries}
            verified={verified}
            addressOf={(change) => addressOf({ ...filter, ...change })}
          />
        )}
      </Pages>
    </Frame>
  );
}

function LogFilter({ filter }: { filter: Filter }) {
  return (
    <FilterForm names={FILTERS} filter={filter}>
      <Field label={securityLog.what}>
        {({ id }) => (
          <select id={id} name="kind">
            <option value="" selected={filter.kind === ''}>
              {securityLog.anyKind}
            </option>
            {Object.entries(SECURITY_KINDS).map(([kind, { says }]) => (
              <option key={kind} value={kind} selected={filter.kind === kind}>
                {says}
              </option>
            ))}
          </select>
        )}
      </Field>
      {(['actor', 'subject'] as const).map((name) => (
        <Field key={name} label={securityLog[name]}>
          {({ id }) => (
            <input
              id={id}
              name={name}
              maxLength={400}
              defaultValue={filter[name]}
              autoComplete="off"
            />
          )}
        </Field>
      ))}
      <Field label={securityLog.request}>
        {({ id }) => (
          <input
            id={id}
            name="request"
            pattern="[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
            title={securityLog.requestHint}
            defaultValue={filter.request}
            autoComplete="off"
          />
        )}
      </Field>
    </FilterForm>
  );
}
