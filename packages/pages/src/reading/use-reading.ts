import { useEffect, useState } from 'preact/hooks';

import type { Reading } from './blocks.js';
import { mayBeLaidOut } from './laid-out.js';

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
    const timer = setTimeout(end, PATIENCE_MS);
    worker.onmessage = ({ data }: MessageEvent<Reading>) => {
      setFound(data);
      end();
    };
    worker.postMessage(text);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [text]);
  return found;
}
