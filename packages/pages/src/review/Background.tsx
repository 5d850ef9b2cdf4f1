import { Timeline } from '../history/Timeline.js';
import { About } from './About.js';
import type { Shown } from './Head.js';

/** What the request binds, and what has happened to it. */
export function Background({ status, history }: Shown) {
  return (
    <>
      <About status={status} history={history} />
      <Timeline history={history} />
    </>
  );
}
