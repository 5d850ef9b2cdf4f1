import { Fragment } from 'preact';

import { SafeText } from '../text/SafeText.js';

const SHOWN = 6;
const LIMIT = 60;

/** A few ids on lines that do not end within one of them. */
export function Ids({ of }: { of: readonly string[] }) {
  if (of.length === 0) return <>–</>;
  return (
    <span>
      {of.slice(0, SHOWN).map((id, at) => (
        <Fragment key={id}>
          <span class="whole-id">
            <SafeText text={id} limit={LIMIT} />
            {at < of.length - 1 && ','}
          </span>{' '}
        </Fragment>
      ))}
      {of.length > SHOWN && '…'}
    </span>
  );
}
