import { LinkButton } from '../parts/Button.js';
import { Notice } from '../parts/Notice.js';
import { approvals as words } from '../strings/approvals.js';

/** The reason for which a person cannot vote, or only with a no. */
export function WhyNot({ code, canRefuse }: { code: string; canRefuse: boolean }) {
  return (
    <Notice tone="info" title={canRefuse ? words.whyNotYes : words.whyNotTitle}>
      <p>{reasonOf(code)}</p>
      {code === 'human_key_required' && <LinkButton href="/me">{words.toKeys}</LinkButton>}
    </Notice>
  );
}

export function reasonOf(code: string): string {
  return words.whyNot[code] ?? words.whyNotOther(code);
}
