import type { ComponentChildren } from 'preact';

import { review } from '../strings/review.js';
import { Pieces } from '../text/SafeText.js';
import type { Block, Inline, Reading } from './blocks.js';
import './reading.css';

/** The document as it is meant to be read. All of it is text; no link of it leads anywhere. */
export function ReadingView({ reading }: { reading: Reading }) {
  return (
    <div class="reading" tabIndex={0} role="region" aria-label={review.readingView}>
      <Blocks of={reading.blocks} />
    </div>
  );
}

function Blocks({ of }: { of: readonly Block[] }) {
  return (
    <>
      {of.map((block, at) => (
        <BlockView key={at} of={block} />
      ))}
    </>
  );
}

/** Below the title of the page and that of the card. */
const levelOf = (level: number) => Math.min(6, level + 2);

function BlockView({ of: block }: { of: Block }): ComponentChildren {
  switch (block.kind) {
    case 'heading':
      return (
        <p role="heading" aria-level={levelOf(block.level)} class={`reading-h${block.level}`}>
          <Line of={block.of} />
        </p>
      );
    case 'paragraph':
      return (
        <p>
          <Line of={block.of} />
        </p>
      );
    case 'exact':
      return <Exact text={block.text} language={block.language} />;
    case 'quote':
      return (
        <blockquote>
          <Blocks of={block.of} />
        </blockquote>
      );
    case 'list': {
      const items = block.items.map(({ checked, of }, at) => (
        <li key={at} class={checked === null ? undefined : 'task'}>
          {checked !== null && (
            <span class="task-box" role="img" aria-label={checked ? review.done : review.open}>
              {checked ? '☑' : '☐'}
            </span>
          )}
          <div>
            <Blocks of={of} />
          </div>
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case 'table':
      return <TableView of={block} />;
    case 'rule':
      return <hr />;
  }
}

function TableView({ of: { head, align, rows } }: { of: Extract<Block, { kind: 'table' }> }) {
  const side = (at: number) => align[at] ?? undefined;
  return (
    <div class="reading-scroll" tabIndex={0} role="region" aria-label={review.tableInDocument}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col" class={side(at)}>
                <Line of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, at) => (
                <td key={at} class={side(at)}>
                  <Line of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const DIFFS = /^(diff|patch)\b/;

function Exact({ text, language }: { text: string; language: string }) {
  const isDiff = DIFFS.test(language);
  return (
    <div class="reading-exact">
      {language !== '' && (
        <p class="fine">
          <bdi>
            <Pieces text={language.slice(0, 40)} />
          </bdi>
        </p>
      )}
      <pre tabIndex={0} role="region" aria-label={review.exactInDocument}>
        {isDiff ? (
          text.split('\n').map((line, at) => (
            <span key={at} class={`diff-line ${kindOf(line)}`}>
              <Pieces text={line} />
              {'\n'}
            </span>
          ))
        ) : (
          <Pieces text={text} />
        )}
      </pre>
    </div>
  );
}

function kindOf(line: string): string {
  if (/^(\+\+\+|---|@@|diff |index )/.test(line)) return 'about';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
}

function Line({ of }: { of: readonly Inline[] }) {
  return (
    <bdi>
      {of.map((inline, at) => (
        <InlineView key={at} of={inline} />
      ))}
    </bdi>
  );
}

function InlineView({ of: inline }: { of: Inline }): ComponentChildren {
  switch (inline.kind) {
    case 'text':
      return <Pieces text={inline.text} />;
    case 'code':
      return (
        <code>
          <Pieces text={inline.text} />
        </code>
      );
    case 'strong':
      return (
        <strong>
          <Line of={inline.of} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Line of={inline.of} />
        </em>
      );
    case 'deleted':
      return (
        <del>
          <Line of={inline.of} />
        </del>
      );
    case 'break':
      return <br />;
    case 'link':
    case 'image':
      return (
        <span class="reading-link">
          {inline.kind === 'image' && `${review.imageNamed} `}
          <Line of={inline.of} />{' '}
          <code>
            (<Pieces text={inline.target} />)
          </code>
        </span>
      );
  }
}
