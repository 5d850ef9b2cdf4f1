import type { ComponentChildren, TargetedMouseEvent } from 'preact';

export interface ButtonProps {
  readonly children: ComponentChildren;
  /** One primary action on a page; `danger` for an action that cannot be undone. */
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly id?: string;
  readonly describedBy?: string;
  /** The words for a screen reader, instead of the visible ones. */
  readonly label?: string;
  readonly onClick?: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}

export function Button(props: ButtonProps) {
  const { children, look = 'plain', busy = false, disabled = false, type = 'button' } = props;
  return (
    <button
      type={type}
      id={props.id}
      class={`button ${look}`}
      disabled={disabled || busy}
      aria-busy={busy}
      aria-describedby={props.describedBy}
      aria-label={props.label}
      onClick={props.onClick}
    >
      {children}
    </button>
  );
}

/** A link that looks like a button: it leads somewhere and changes nothing. */
export function LinkButton(props: {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly look?: 'primary' | 'plain' | 'quiet';
  readonly download?: string;
  readonly onClick?: () => void;
}) {
  return (
    <a
      class={`button ${props.look ?? 'plain'}`}
      href={props.href}
      download={props.download}
      onClick={props.onClick}
    >
      {props.children}
    </a>
  );
}
