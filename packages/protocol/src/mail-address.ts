// RFC 5321 §4.1.2 without quoted local parts, address literals, comments and display names: nothing in such an address
// means anything to a mail program but the mailbox itself. An international domain is given as it stands in DNS (xn--…).
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/**
 * Whether the text is one plain mail address, as `request.configure-principal` keeps them
 * (protocol §7 request.configure-principal).
 */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  return (
    at > 0 &&
    text.length <= 254 &&
    local.length <= 64 &&
    LOCAL_PART.test(local) &&
    domain.split('.').every((label) => LABEL.test(label))
  );
}
