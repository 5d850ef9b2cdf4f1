import type { RequestHistory, RequestStatus, SignedRecord } from '@countersign/protocol';

import { Fields } from '../answer/Answer.js';
import { answerOf } from '../form/draft.js';
import { formOf } from '../form/model.js';
import { nameIn } from '../history/history.js';
import { Notice } from '../parts/Notice.js';
import { review } from '../strings/review.js';
import { decisionNames } from '../strings/states.js';
import { Pieces } from '../text/SafeText.js';
import type { KeptDraft } from './draft-store.js';
import { takeDraft } from './draft-store.js';

/** Changes of a request while a reviewer was reading it. */
export function Meanwhile(props: {
  readonly state: RequestStatus['decision_state'];
  readonly receipt: SignedRecord | null;
  readonly subject: string;
  readonly id: string;
  readonly history: RequestHistory;
  /** Undefined while it is not known. */
  readonly schema: unknown;
}) {
  const { state, receipt, subject, id, history, schema } = props;
  const said = receipt?.payload as { reviewer: string; decision: string } | undefined;
  const draft = takeDraft(subject, id);
  if (said?.reviewer === subject) {
    return (
      <Notice tone="good" arrive>
        <p>{review.happened}</p>
      </Notice>
    );
  }
  return (
    <Notice tone="warning" title={review.endedTitles[state] ?? ''} arrive>
      <p>
        {said ? (
          <Pieces
            text={review.endedConfirmed(
              nameIn(history, said.reviewer),
              decisionNames[said.decision]?.doing ?? said.decision,
            )}
          />
        ) : (
          review.endedOther
        )}
      </p>
      {draft && schema !== undefined && <OwnDraft draft={draft} schema={schema} />}
    </Notice>
  );
}

function OwnDraft({ draft, schema }: { draft: KeptDraft; schema: unknown }) {
  return (
    <details>
      <summary>{review.draftAnyway}</summary>
      {draft.json === null ? (
        <Fields response={answerOf(formOf(schema), draft.form).response} schema={schema} />
      ) : (
        <pre tabIndex={0} role="region" aria-label={review.draftAnyway}>
          <Pieces text={draft.json} />
        </pre>
      )}
    </details>
  );
}
