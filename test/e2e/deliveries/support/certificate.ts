import { createSign, generateKeyPairSync } from 'node:crypto';

export interface TestCertificate {
  /** PEM; signed by itself, so also the authority to trust. */
  readonly cert: string;
  readonly key: string;
}

/** A certificate for these host names and IPv4 addresses, valid from an hour ago until then, without any tool. */
export function selfSigned(
  names: readonly string[],
  until = Date.now() + 86_400_000,
): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(1, 2, 840, 10_045, 4, 3, 2));
  const name = sequence(set(sequence(oid(2, 5, 4, 3), tagged(0x0c, Buffer.from('test receiver')))));
  const now = Date.now();
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(now),
    algorithm,
    name,
    sequence(utcTime(now - 3_600_000), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(extension(oid(2, 5, 29, 17), sequence(...names.map(alternative))))),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const certificate = sequence(body, algorithm, tagged(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').match(/.{1,64}/g) as string[];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  // Go takes no longer form of a length than is needed.
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts);
const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, ...parts);

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  // The highest bit is the sign.
  return tagged(0x02, ...((bytes[0] ?? 0) > 0x7f ? [Buffer.from([0])] : []), bytes);
}

function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  const bytes = rest.flatMap((part) => {
    const digits = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

function utcTime(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/\D/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${text}Z`));
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, tagged(0x04, value));
}

function alternative(name: string): Buffer {
  return /^[\d.]+$/.test(name)
    ? tagged(0x87, Buffer.from(name.split('.').map(Number)))
    : tagged(0x82, Buffer.from(name));
}
