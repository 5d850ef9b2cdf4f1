import { Option } from 'commander';

import { secondsOf } from '../durations.js';

/** Options that several commands have; each command needs an object of its own. */
export const CONNECTION_OPTION = () =>
  new Option(
    '--connection <file>',
    'the file that the operator wrote with `countersign connection`; otherwise COUNTERSIGN_CONNECTION, or countersign.json here',
  );

export const ROUTE_OPTION = () =>
  new Option('--route <name>', 'the route, whose reviewers decide').env('COUNTERSIGN_ROUTE');

export const APPROVALS_OPTION = () =>
  new Option('--approvals', 'the route asks for several people, whose votes are verified');

export const JSON_OPTION = () =>
  new Option('--json', 'print the result as one JSON object on stdout');

/** In seconds. */
export const REVIEW_OPTION = () =>
  new Option(
    '--review-within <time>',
    'how long people have; otherwise what the route allows',
  ).argParser((text) => secondsOf('--review-within', text));
