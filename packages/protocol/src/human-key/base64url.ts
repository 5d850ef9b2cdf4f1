/**
 * Bytes out of base64url without padding, in the one spelling that encodes them. Null for any other text, and for more bytes
 * than `most`.
 */
export function decodeBase64url(text: string, most: number): Buffer | null {
  if (text.length > Math.ceil((most * 4) / 3)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length <= most && bytes.toString('base64url') === text ? bytes : null;
}
