import { securityText } from './security-txt.js';

const origin = 'https://review.example';
const now = Date.parse('2026-11-22T13:00:00Z');

test('lists contacts in their order, the expiry and the policy', () => {
  const contacts = ['mailto:security@example.org', 'https://example.org/report'];
  expect(securityText({ contacts, policy: 'https://example.org/policy' }, origin, now)).toBe(
    `Contact: mailto:security@example.org
Contact: https://example.org/report
Expires: 2027-05-21T00:00:00.000Z
Policy: https://example.org/policy
Canonical: https://review.example/.well-known/security.txt
Preferred-Languages: en
`,
  );
});

test('leaves the policy out if there is none', () => {
  expect(securityText({ contacts: ['tel:+1'], policy: undefined }, origin, now)).not.toContain(
    'Policy',
  );
});
