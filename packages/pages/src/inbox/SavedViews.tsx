import { useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { inbox } from '../strings/inbox.js';
import { LONGEST_NAME } from './saved-views.js';
import type { SavedView } from './saved-views.js';

/** The views that this person has saved, and a name for the one that is shown. */
export function SavedViews(props: {
  readonly views: readonly SavedView[];
  readonly onShow: (view: SavedView) => void;
  readonly onSave: (name: string) => void;
  readonly onDrop: (name: string) => void;
}) {
  const { views, onShow, onSave, onDrop } = props;
  const [name, setName] = useState('');
  const save = (event: Event) => {
    event.preventDefault();
    if (name.trim() === '') return;
    onSave(name);
    setName('');
  };
  return (
    <details class="views">
      <summary>{inbox.views}</summary>
      <div class="views-menu">
        {views.length === 0 && <p class="fine">{inbox.noViews}</p>}
        <ul>
          {views.map((view) => (
            <li key={view.name} class="row apart">
              <a
                href={view.address}
                onClick={(event) => {
                  event.preventDefault();
                  onShow(view);
                  event.currentTarget.closest('details')?.removeAttribute('open');
                }}
              >
                {view.name}
              </a>
              <Button
                look="quiet"
                label={inbox.dropView(view.name)}
                onClick={() => onDrop(view.name)}
              >
                ×
              </Button>
            </li>
          ))}
        </ul>
        <form onSubmit={save}>
          <input
            aria-label={inbox.viewName}
            placeholder={inbox.viewName}
            maxLength={LONGEST_NAME}
            autocomplete="off"
            value={name}
            onInput={({ currentTarget: { value } }) => setName(value)}
          />
          <Button type="submit">{inbox.saveView}</Button>
        </form>
      </div>
    </details>
  );
}
