/** The host did not take a proposal. The app goes on, and may ask the person to change the answer. */
export class ProposalRefused extends Error {
  override readonly name = 'ProposalRefused';

  constructor(
    /** −32602: no proposal; −32000: refused by the service, the page or the reviewer; −32600: out of order. */
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
