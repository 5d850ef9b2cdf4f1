/** The client of service.mjs, at the address in `PAYMENTS`. */
export const payments = {
  async refund(
    refund: { charge: string; amount: number },
    { signal, idempotencyKey }: { signal: AbortSignal; idempotencyKey: string },
  ): Promise<{ id: string }> {
    const response = await fetch(`${process.env['PAYMENTS']}/refunds`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(refund),
      signal,
    });
    if (!response.ok) throw new Error(`the payment service answered ${response.status}`);
    return (await response.json()) as { id: string };
  },
};
