import { detailText } from './detail.js';

it.each([
  ['logout', 'The person logged out'],
  ['ended_by_person', 'The person ended it on the page of sessions'],
  ['identity_provider', 'The identity provider ended it'],
  ['replaced', 'Another login in the same browser replaced it'],
  ['expired', 'It expired'],
  ['principal_changed', 'The person was disabled or enabled, or an operator ended all sessions'],
])('says in a sentence how a session ended: %s', (how, says) => {
  expect(detailText('how', how)).toBe(says);
});

it.each([
  ['how', 'by_a_newer_service', 'by_a_newer_service'],
  ['how', 'constructor', 'constructor'],
  ['kind', 'logout', 'logout'],
  ['changed', ['operator', 'name'], 'operator, name'],
  ['changed', [], '–'],
  ['created', false, 'no'],
  ['before', null, '–'],
  ['entries', 3, '3'],
])('shows %s %j as %s', (name, value, shown) => {
  expect(detailText(name, value)).toBe(shown);
});
