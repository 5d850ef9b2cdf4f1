import { originFault } from './origins.js';

const production = (origin: string, sandbox: string) =>
  originFault({ mode: 'production', origin, sandbox })?.variable ?? null;
const development = (origin: string, sandbox: string) =>
  originFault({ mode: 'development', origin, sandbox })?.variable ?? null;

describe('the origins', () => {
  test('are two https sites in production', () => {
    expect(production('https://review.example', 'https://{scope}.apps.test')).toBeNull();
    expect(production('https://review.example:8443', 'https://{scope}.apps.test:8443')).toBeNull();
    expect(production('https://review.co.uk', 'https://{scope}.apps.co.uk')).toBeNull();
  });

  test('are two loopback origins in development', () => {
    expect(development('http://localhost:8080', 'http://localhost:8081')).toBeNull();
    expect(development('http://localhost:8080', 'http://{scope}.localhost:8081')).toBeNull();
    expect(development('http://127.0.0.1:8080', 'http://localhost:8080')).toBeNull();
  });

  test.each([
    ['https://review.example/', 'https://{scope}.apps.test', 'ORIGIN'],
    ['https://Review.example', 'https://{scope}.apps.test', 'ORIGIN'],
    ['https://review.example:443', 'https://{scope}.apps.test', 'ORIGIN'],
    ['http://review.example', 'https://{scope}.apps.test', 'ORIGIN'],
    ['http://localhost:8080', 'https://{scope}.apps.test', 'ORIGIN'],
    ['https://review.example', 'https://apps.test', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'https://{scope}', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'https://{scope}.test', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'https://x{scope}.apps.test', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'https://{scope}.{scope}.test', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'https://a.{scope}.apps.test', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'https://{scope}.apps.test/x', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'http://{scope}.apps.test', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'https://{scope}.review.example', 'SANDBOX_ORIGIN'],
    ['https://a.review.example', 'https://{scope}.b.review.example', 'SANDBOX_ORIGIN'],
    // Below a public suffix each label is a site of its own.
    ['https://review.example', 'https://{scope}.co.uk', 'SANDBOX_ORIGIN'],
    ['https://review.example', 'https://{scope}.github.io', 'SANDBOX_ORIGIN'],
  ])('%s with %s is refused in production', (origin, sandbox, variable) => {
    expect(production(origin, sandbox)).toBe(variable);
  });

  test('must differ, and may not be mixed, in development', () => {
    expect(development('http://localhost:8080', 'http://localhost:8080')).toBe('SANDBOX_ORIGIN');
    expect(development('http://localhost:8080', 'https://{scope}.apps.test')).toBe('ORIGIN');
    expect(development('http://review.example', 'http://localhost:8081')).toBe('SANDBOX_ORIGIN');
  });
});
