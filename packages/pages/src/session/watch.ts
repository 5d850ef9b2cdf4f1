import { Problem, Unanswered } from '../api/problem.js';
import { freshSession, reader } from './session.js';

/** Looks who is signed in whenever the reader comes back to this page, for another tab may have changed it. */
export function watchSession(): void {
  if (reader() === null) return;
  const look = () => {
    if (document.visibilityState !== 'visible') return;
    freshSession().catch((fault: unknown) => {
      if (!(fault instanceof Problem || fault instanceof Unanswered)) throw fault;
    });
  };
  document.addEventListener('visibilitychange', look);
  window.addEventListener('focus', look);
  // A page from the browser's back-forward cache may belong to another person by now.
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) look();
  });
}
