import type { AppOptions, MountedApp } from '@countersign/web/app-host';
import { mountApp } from '@countersign/web/app-host';

/** What happened on the trusted page, in order. */
export type StageEvent =
  | { readonly type: 'ready' }
  | { readonly type: 'failure'; readonly failure: string }
  | { readonly type: 'proposal'; readonly proposal: unknown }
  | { readonly type: 'closed' };

export interface Stage {
  readonly events: StageEvent[];
  /** What a proposal is answered with. */
  answer: 'accept' | 'refuse' | 'throw';
  mount(snapshot: unknown, material: AppOptions['material']): void;
  close(): void;
  allowAnother(): void;
}

let mounted: MountedApp | null = null;
const container = document.querySelector<HTMLElement>('#app') as HTMLElement;

const stage: Stage = {
  events: [],
  answer: 'accept',
  mount(snapshot, material) {
    mounted = mountApp(container, {
      snapshot,
      material,
      title: 'App of publisher-1',
      onReady: () => stage.events.push({ type: 'ready' }),
      onFailure: (failure) => stage.events.push({ type: 'failure', failure }),
      onProposal(proposal) {
        stage.events.push({ type: 'proposal', proposal });
        if (stage.answer === 'throw') return Promise.reject(new Error('private'));
        return Promise.resolve(
          stage.answer === 'accept'
            ? { accepted: true, candidateId: 'candidate-1' }
            : { accepted: false, reason: 'refused', code: 'response_schema_mismatch' },
        );
      },
    });
  },
  close() {
    void mounted?.close().then(() => stage.events.push({ type: 'closed' }));
  },
  allowAnother() {
    mounted?.allowAnother();
  },
};

Object.assign(window, { stage, secret: 'of the trusted page' });

// The native form of the stage: it works, whatever the app does.
const form = document.querySelector('form') as HTMLFormElement;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  (form.elements.namedItem('sent') as HTMLOutputElement).value = String(
    new FormData(form).get('note'),
  );
});
