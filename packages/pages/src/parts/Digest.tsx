/**
 * A digest or id in full. A click selects the whole of it: pages may not write to the clipboard themselves
 * (Permissions-Policy, protocol §8.5).
 */
export function Digest({ value }: { value: string }) {
  return <code class="digest">{value}</code>;
}
