import type { InboxPerson } from '@countersign/protocol';

import { SafeText } from '../text/SafeText.js';

/** A name before its id; an id alone where there is no name. */
export function PersonName({ of }: { of: InboxPerson }) {
  return (
    <>
      <strong>
        <SafeText text={of.name ?? of.id} limit={120} />
      </strong>
      {of.name !== null && (
        <>
          {' '}
          <code class="person-id">
            <SafeText text={of.id} limit={80} />
          </code>
        </>
      )}
    </>
  );
}
