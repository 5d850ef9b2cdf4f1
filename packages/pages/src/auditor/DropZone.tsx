import { useId, useState } from 'preact/hooks';

import { auditor } from '../strings/auditor.js';

/** Takes one file: dropped, or chosen by its button, which is all that a keyboard needs. */
export function DropZone({ onFile }: { onFile: (file: File) => void }) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <div
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const [file] = event.dataTransfer?.files ?? [];
        if (file) onFile(file);
      }}
    >
      <p class="drop-title">{auditor.drop}</p>
      <label class="button primary" for={id}>
        {auditor.choose}
      </label>
      <input
        id={id}
        class="unseen"
        type="file"
        accept=".json,application/json"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // The same file again is a new question.
          currentTarget.value = '';
          if (file) onFile(file);
        }}
      />
    </div>
  );
}
