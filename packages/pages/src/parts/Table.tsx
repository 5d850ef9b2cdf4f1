import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Figures stand to the right. */
  readonly figure?: boolean;
  /** It has a line of the card for itself. */
  readonly whole?: boolean;
}

/** A table that becomes a list of cards on a phone: each cell carries its column's title. */
export function Table<Row>(props: {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}) {
  return (
    <table class="table">
      <caption class="unseen">{props.caption}</caption>
      <thead>
        <tr>
          {props.columns.map(({ title, figure }) => (
            <th key={title} scope="col" class={figure ? 'figure' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <tr key={props.keyOf(row)}>
            {props.columns.map(({ title, cell, figure, whole }) => (
              <td
                key={title}
                data-title={title}
                class={figure ? 'figure' : whole ? 'whole' : undefined}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
