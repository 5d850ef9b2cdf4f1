import { useEffect, useState } from 'preact/hooks';

import { auditor } from '../strings/auditor.js';
import { SafeText } from '../text/SafeText.js';
import type { Part } from '../verifying/messages.js';

type ReadPart = (path: string, most: number) => Promise<Part>;

/** As much as anybody reads on a page; the file has the rest. */
const MOST = 200_000;
const AT_ONCE = 4_000;

/** The material that reviewers saw, from the export: the document first, because it is decisive. */
export function Shown({ part }: { part: ReadPart }) {
  const [document, setDocument] = useState<Part | null>(null);
  useEffect(() => {
    void part('/material/review_document', MOST).then(setDocument);
  }, []);
  if (document === null) return null;
  return (
    <section class="card">
      <h2>{auditor.shown}</h2>
      {document.text === null ? (
        <p class="quiet-text">{auditor.nothingShown}</p>
      ) : (
        <>
          <h3>{auditor.document}</h3>
          <Text part={{ ...document, text: document.text }} label={auditor.document} />
          <OnDemand title={auditor.payload} path="/material/payload" part={part} />
          <OnDemand title={auditor.schema} path="/material/response_schema" part={part} />
          <OnDemand title={auditor.answer} path="/material/candidate" part={part} />
        </>
      )}
    </section>
  );
}

function Text({ part, label }: { part: Part & { readonly text: string }; label: string }) {
  return (
    <>
      <pre tabIndex={0} aria-label={label}>
        <SafeText text={part.text} limit={AT_ONCE} />
      </pre>
      {part.cut && <p class="fine">{auditor.cut(MOST)}</p>}
    </>
  );
}

function OnDemand({ title, path, part }: { title: string; path: string; part: ReadPart }) {
  const [read, setRead] = useState<Part | null>(null);
  const open = async () => {
    if (read === null) setRead(await part(path, MOST));
  };
  return (
    <details onToggle={({ currentTarget }) => currentTarget.open && void open()}>
      <summary>{title}</summary>
      {read !== null && <Text part={{ ...read, text: read.text ?? '' }} label={title} />}
    </details>
  );
}
