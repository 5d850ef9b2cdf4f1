import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { Problem, Unanswered } from '../api/problem.js';
import { problemWords } from '../strings/problems.js';
import { shared } from '../strings/shared.js';
import { SafeText } from '../text/SafeText.js';
import { Button } from './Button.js';

export interface NoticeProps {
  readonly tone: 'info' | 'good' | 'warning' | 'bad';
  readonly title?: string;
  /** It changes what the page is for: it takes the focus and is brought into view when it appears. */
  readonly arrive?: boolean;
  readonly children?: ComponentChildren;
}

/** Something the reader should know. Screen readers hear `bad` and `warning` at once, the others when there is a pause. */
export function Notice({ tone, title, arrive = false, children }: NoticeProps) {
  const role = tone === 'bad' || tone === 'warning' ? 'alert' : 'status';
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!arrive) return;
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: 'center' });
  }, [arrive]);
  return (
    <div class={`notice ${tone}`} role={role} ref={place} tabIndex={arrive ? -1 : undefined}>
      {title !== undefined && <p class="notice-title">{title}</p>}
      {children}
    </div>
  );
}

/** The error in words, with advice; the code and trace are for support. */
export function Fault({ fault, retry }: { fault: unknown; retry?: () => void }) {
  const again = retry && <Button onClick={retry}>{shared.tryAgain}</Button>;
  if (fault instanceof Problem) {
    const [title, detail] = problemWords(fault.code, fault.title, fault.detail);
    return (
      <Notice tone="bad" title={title}>
        {detail !== '' && (
          <p>
            <SafeText text={detail} limit={2_000} />
          </p>
        )}
        {fault.retryAfter !== null && <p>{shared.retryIn(fault.retryAfter)}</p>}
        <p class="fine">
          <a href={`/errors/${encodeURIComponent(fault.code)}`}>
            {shared.refusedWith(fault.code, fault.trace)}
          </a>
        </p>
        {again}
      </Notice>
    );
  }
  if (!(fault instanceof Unanswered)) console.error(fault);
  return (
    <Notice tone="bad">
      <p>{shared.unanswered}</p>
      {again}
    </Notice>
  );
}
