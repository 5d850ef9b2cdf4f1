/** One payment as the producer sends it. `amount` is a decimal text: money is no floating-point number. */
export interface Payment {
  readonly id: string;
  readonly payee: string;
  readonly account: string;
  readonly reference: string;
  readonly amount: string;
  /** Reasons for a second look; empty when there is none. */
  readonly flags: readonly string[];
}

export interface Batch {
  readonly batch: string;
  readonly currency: string;
  readonly due: string;
  readonly debtor: { readonly name: string; readonly account: string };
  readonly payments: readonly Payment[];
}

/** The reviewer's decision about one payment. */
export interface Mark {
  readonly excluded: boolean;
  readonly note: string;
}

export type Marks = ReadonlyMap<string, Mark>;

const NO_MARK: Mark = { excluded: false, note: '' };

export function markOf(marks: Marks, id: string): Mark {
  return marks.get(id) ?? NO_MARK;
}

/** Cents as a big integer: sums of decimal texts stay exact. Null for a text that is no amount. */
export function centsOf(amount: string): bigint | null {
  const match = /^(-?)(\d{1,15})\.(\d{2})$/.exec(amount);
  if (!match) return null;
  const [, sign, units = '', cents = ''] = match;
  const value = BigInt(units + cents);
  return sign === '-' ? -value : value;
}

export function amountOf(cents: bigint): string {
  const sign = cents < 0n ? '-' : '';
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** An amount with its thousands apart, as people read it. */
export function readable(amount: string): string {
  return amount.replace(/\B(?=(\d{3})+\.)/g, '\u202f');
}

/**
 * The payload when it is a batch that this app can show: all amounts are amounts, no id is there twice. Otherwise null, and
 * the reviewer decides by the page's own view.
 */
export function batchOf(payload: unknown): Batch | null {
  const batch = payload as Partial<Batch> | null;
  if (typeof batch !== 'object' || batch === null) return null;
  const texts = [batch.batch, batch.currency, batch.due, batch.debtor?.name, batch.debtor?.account];
  if (!texts.every((text) => typeof text === 'string')) return null;
  const { payments } = batch;
  if (!Array.isArray(payments) || !payments.every(isPayment)) return null;
  const ids = new Set(payments.map(({ id }) => id));
  return ids.size === payments.length ? (batch as Batch) : null;
}

function isPayment(value: unknown): value is Payment {
  const payment = value as Partial<Payment> | null;
  return (
    typeof payment === 'object' &&
    payment !== null &&
    [payment.id, payment.payee, payment.account, payment.reference].every(
      (text) => typeof text === 'string',
    ) &&
    typeof payment.amount === 'string' &&
    centsOf(payment.amount) !== null &&
    Array.isArray(payment.flags) &&
    payment.flags.every((flag) => typeof flag === 'string')
  );
}

export interface Totals {
  readonly all: string;
  readonly released: string;
  readonly excluded: string;
  readonly releasedCount: number;
  readonly excludedCount: number;
}

export function totalsOf({ payments }: Batch, marks: Marks): Totals {
  let released = 0n;
  let excluded = 0n;
  let excludedCount = 0;
  for (const { id, amount } of payments) {
    const cents = centsOf(amount) ?? 0n;
    if (markOf(marks, id).excluded) {
      excluded += cents;
      excludedCount += 1;
    } else {
      released += cents;
    }
  }
  return {
    all: amountOf(released + excluded),
    released: amountOf(released),
    excluded: amountOf(excluded),
    releasedCount: payments.length - excludedCount,
    excludedCount,
  };
}

export interface Answer {
  readonly released_total: string;
  readonly excluded: readonly string[];
  readonly notes: readonly { readonly payment: string; readonly note: string }[];
}

/** The answer that the response schema of this app's requests asks for (batch.mjs). */
export function answerOf(batch: Batch, marks: Marks): Answer {
  const notes = batch.payments.flatMap(({ id }) => {
    const note = markOf(marks, id).note.trim();
    return note === '' ? [] : [{ payment: id, note }];
  });
  return {
    released_total: totalsOf(batch, marks).released,
    excluded: batch.payments.map(({ id }) => id).filter((id) => markOf(marks, id).excluded),
    notes,
  };
}

/** Payments that are excluded without a reason: the producer would not know the change to make. */
export function unexplained(batch: Batch, marks: Marks): readonly string[] {
  return batch.payments
    .map(({ id }) => id)
    .filter((id) => markOf(marks, id).excluded && markOf(marks, id).note.trim() === '');
}
