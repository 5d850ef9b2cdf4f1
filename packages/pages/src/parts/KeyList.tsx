import { Dialog } from './Dialog.js';

/** The keys of a page and what they do. */
export function KeyList(props: {
  readonly title: string;
  readonly keys: readonly (readonly [string, string])[];
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <dl class="keys">
        {props.keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
