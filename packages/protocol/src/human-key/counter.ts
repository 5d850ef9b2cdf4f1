/**
 * Whether a signature counter may follow another one (WebAuthn, 6.1.1). Keys that are synced over several devices count
 * nothing: both are 0 then. Otherwise it grows; one that does not is the sign of a copied key.
 */
export function counterMayFollow(before: number, after: number): boolean {
  return (before === 0 && after === 0) || after > before;
}
