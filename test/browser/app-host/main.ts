import type { AppOptions, MountedApp } from '@countersign/pages/app-host';
import { mountApp } from '@countersign/pages/app-host';

/** Events on the trusted page, in order. */
export type AppHostEvent =
  | { readonly type: 'ready' }
  | { readonly type: 'failure'; readonly failure: string }
  | { readonly type: 'proposal'; readonly proposal: unknown }
  | { readonly type: 'closed' };

export interface AppHostPage {
  readonly events: AppHostEvent[];
  /** The answer to a proposal. */
  answer: 'accept' | 'refuse' | 'throw';
  mount(snapshot: unknown, material: AppOptions['material']): void;
  close(): void;
  allowAnother(): void;
}

let mounted: MountedApp | null = null;
const container = document.querySelector<HTMLElement>('#app') as HTMLElement;

const appHost: AppHostPage = {
  events: [],
  answer: 'accept',
  mount(snapshot, material) {
    mounted = mountApp(container, {
      snapshot,
      material,
      title: 'App of publisher-1',
      onReady: () => appHost.events.push({ type: 'ready' }),
      onFailure: (failure) => appHost.events.push({ type: 'failure', failure }),
      onProposal(proposal) {
        appHost.events.push({ type: 'proposal', proposal });
        if (appHost.answer === 'throw') return Promise.reject(new Error('private'));
        return Promise.resolve(
          appHost.answer === 'accept'
            ? { accepted: true, candidateId: 'candidate-1' }
            : { accepted: false, reason: 'refused', code: 'response_schema_mismatch' },
        );
      },
    });
  },
  close() {
    void mounted?.close().then(() => appHost.events.push({ type: 'closed' }));
  },
  allowAnother() {
    mounted?.allowAnother();
  },
};

Object.assign(window, { appHost, secret: 'of the trusted page' });

// The native form of the page, which works beside any app.
const form = document.querySelector('form') as HTMLFormElement;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  (form.elements.namedItem('sent') as HTMLOutputElement).value = String(
    new FormData(form).get('note'),
  );
});
