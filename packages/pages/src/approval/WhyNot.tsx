import { Notice } from '../parts/Notice.js';
import { approvals as words } from '../strings/approvals.js';

/** The reason for which a person cannot vote, or only with a no. */
export function WhyNot({ code, canRefuse }: { code: string; canRefuse: boolean }) {
  return (
    <Notice tone="info" title={canRefuse ? words.whyNotYes : words.whyNotTitle}>
      <p>{reasonOf(code)}</p>
    </Notice>
  );
}

export function reasonOf(code: string): string {
  return words.whyNot[code] ?? words.whyNotOther(code);
}
