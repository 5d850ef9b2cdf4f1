import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { inbox } from '../strings/inbox.js';
import { Dialog } from './Dialog.js';

export interface Command {
  readonly name: string;
  readonly act: () => void;
}

/** All commands of a page, found by typing; none of them confirms anything. */
export function Commands(props: {
  readonly commands: readonly Command[];
  readonly onClose: () => void;
}) {
  const { commands, onClose } = props;
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ name }) =>
    words.every((word) => name.toLowerCase().includes(word)),
  );
  const active = Math.min(at, found.length - 1);
  useEffect(() => field.current?.focus(), []);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.act();
  };
  const onKey = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => setAt((active + 1) % Math.max(1, found.length)),
      ArrowUp: () => setAt((active - 1 + found.length) % Math.max(1, found.length)),
      Enter: () => run(found[active]),
    };
    const act = steps[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <Dialog title={inbox.commands.title} onClose={onClose}>
      <input
        ref={field}
        type="search"
        role="combobox"
        aria-label={inbox.commands.search}
        placeholder={inbox.commands.search}
        list={undefined}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul class="commands" role="listbox" id={id} aria-label={inbox.commands.title}>
        {found.map((command, place) => (
          <li
            key={command.name}
            id={`${id}-${place}`}
            role="option"
            aria-selected={place === active}
            onClick={() => run(command)}
          >
            {command.name}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="fine">{inbox.commands.none}</p>}
    </Dialog>
  );
}
