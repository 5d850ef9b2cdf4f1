import { Problem } from '../api/problem.js';
import { LinkButton } from '../parts/Button.js';
import { Fault, Notice } from '../parts/Notice.js';
import { keys as words } from '../strings/keys.js';
import { KeyFault } from './authenticator.js';

/** What a person can do after a key was not made or did not sign; any other fault as everywhere. */
export function KeyFaultNotice({ fault, retry }: { fault: unknown; retry?: () => void }) {
  if (fault instanceof KeyFault) {
    const [title, text] = words.faults[fault.reason];
    return (
      <Notice tone={fault.reason === 'differs' ? 'bad' : 'warning'} title={title}>
        <p>{text}</p>
      </Notice>
    );
  }
  const [title, text] = (fault instanceof Problem && words.problems[fault.code]) || [];
  if (title === undefined || text === undefined) {
    return <Fault fault={fault} {...(retry && { retry })} />;
  }
  return (
    <Notice tone="warning" title={title}>
      <p>{text}</p>
      {location.pathname !== '/me' && <LinkButton href="/me">{words.toKeys}</LinkButton>}
    </Notice>
  );
}
