import { Digest } from '../parts/Digest.js';
import { Notice } from '../parts/Notice.js';
import { approvalDesk as words } from '../strings/approval-desk.js';
import { Pieces } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';

/** A change that waits for a second operator (protocol §18.2). */
export function Proposed(props: {
  readonly says: string;
  readonly until: string;
  readonly digest: string | null;
}) {
  const { says, until, digest } = props;
  return (
    <Notice tone="warning" title={words.proposedTitle}>
      <p>
        <Pieces text={says} />
      </p>
      <p>
        {words.proposedUntil} <Moment at={until} as="deadline" />
      </p>
      <p>{words.proposedHow}</p>
      {digest !== null && (
        <p class="fine">
          {words.proposedDigest}: <Digest value={digest} />
        </p>
      )}
    </Notice>
  );
}
