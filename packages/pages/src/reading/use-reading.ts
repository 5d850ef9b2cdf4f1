import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { Reading } from './blocks.js';
import { mayBeLaidOut } from './laid-out.js';
import type { FromWorker } from './worker.js';

const PATIENCE_MS = 2_000;

/** A document that was parsed, and the code that shows it. */
interface Readable {
  readonly reading: Reading;
  readonly ReadingView: FunctionComponent<{ reading: Reading }>;
}

/**
 * The reading view of a document; null while there is none, for a text without any layout, and for one on which the parser
 * takes too long. The exact text stands until the view can be shown at once, so that what is below does not jump.
 */
export function useReading(text: string | null): Readable | null {
  const [found, setFound] = useState<Readable | null>(null);
  useEffect(() => {
    setFound(null);
    if (text === null || !mayBeLaidOut(text)) return;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    const end = () => worker.terminate();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    const show = async (reading: Reading) => {
      const { ReadingView } = await import('./ReadingView.js');
      if (!left) setFound({ reading, ReadingView });
    };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data === 'ready') {
        // From here on: a slow network is no slow parser.
        timer = setTimeout(end, PATIENCE_MS);
        worker.postMessage(text);
        return;
      }
      // Without the view's code, the exact text is what there is.
      void show(data).catch(() => {});
      end();
    };
    return () => {
      left = true;
      clearTimeout(timer);
      end();
    };
  }, [text]);
  return found;
}
