import { useEffect, useState } from 'preact/hooks';

import type { Reading } from './blocks.js';
import { mayBeLaidOut } from './laid-out.js';
import type { FromWorker } from './worker.js';

const PATIENCE_MS = 2_000;

/**
 * The reading view of a document; null while there is none, for a text without any layout, and for one on which the parser
 * takes too long.
 */
export function useReading(text: string | null): Reading | null {
  const [found, setFound] = useState<Reading | null>(null);
  useEffect(() => {
    setFound(null);
    if (text === null || !mayBeLaidOut(text)) return;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    const end = () => worker.terminate();
    let timer: ReturnType<typeof setTimeout> | undefined;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data === 'ready') {
        // From here on: a slow network is no slow parser.
        timer = setTimeout(end, PATIENCE_MS);
        worker.postMessage(text);
        return;
      }
      setFound(data);
      end();
    };
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [text]);
  return found;
}
