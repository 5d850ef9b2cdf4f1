import type { ComponentChild } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const PATIENCE_MS = 3_000;

/**
 * Shows its content when its place comes near the window; otherwise after some seconds, for searches and for paper. `stands` is
 * the class of the content, so that its place in a grid is kept.
 */
export function Near({ stands, children }: { stands: string; children: ComponentChild }) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const show = () => setNear(true);
    const timer = setTimeout(show, PATIENCE_MS);
    const watch = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) show();
    });
    if (place.current) watch.observe(place.current);
    return () => {
      clearTimeout(timer);
      watch.disconnect();
    };
  }, []);
  return near ? <>{children}</> : <div ref={place} class={`waiting ${stands}`} />;
}
