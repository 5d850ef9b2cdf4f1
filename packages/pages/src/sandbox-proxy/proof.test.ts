import { createContext, runInContext } from 'node:vm';
import { trial } from './proof.js';

const refused = () => {
  throw new DOMException('refused', 'SecurityError');
};

/** A frame as a browser shows it to its own scripts; `traits` differ from those of Chromium and Firefox. */
function told(traits: Record<string, PropertyDescriptor> = {}): unknown {
  let message: unknown;
  const parent = Object.defineProperty(
    { postMessage: (said: unknown) => (message = said) },
    'document',
    {
      get: traits['parent.document']?.get ?? refused,
    },
  );
  const top = Object.defineProperty({}, 'document', {
    get: traits['top.document']?.get ?? refused,
  });
  const document = Object.defineProperty({}, 'cookie', {
    get: refused,
    set: refused,
    ...traits['cookie'],
  });
  const window = Object.defineProperties(
    { origin: 'null', parent, top },
    {
      localStorage: { get: refused },
      ...pick(traits, 'origin', 'localStorage', 'RTCPeerConnection'),
    },
  );
  runInContext(`(${trial.toString()})()`, createContext({ window, document }));
  return message;
}

function pick(traits: Record<string, PropertyDescriptor>, ...names: string[]) {
  return Object.fromEntries(names.flatMap((name) => (traits[name] ? [[name, traits[name]]] : [])));
}

it('believes frames that refuse everything', () => {
  expect(told()).toBe('confined');
});

it('believes a frame that has no cookies and keeps none, as in WebKit', () => {
  expect(told({ cookie: { get: () => '', set: () => {} } })).toBe('confined');
});

function jar(): PropertyDescriptor {
  let kept = '';
  return { get: () => kept, set: (cookie: string) => (kept = cookie) };
}

it.each<[string, PropertyDescriptor]>([
  ['cookie', jar()],
  ['cookie', { get: () => 'another=1', set: () => {} }],
  ['localStorage', { get: () => ({}) }],
  ['RTCPeerConnection', { value: class {} }],
  ['origin', { value: 'https://apps.example' }],
  ['parent.document', { get: () => ({}) }],
  ['top.document', { get: () => ({}) }],
])('does not believe a frame with a %s of its own', (name, trait) => {
  expect(told({ [name]: trait })).toBe('open');
});
