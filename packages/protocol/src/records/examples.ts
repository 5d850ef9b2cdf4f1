import * as approval from './examples/approval.js';
import * as credential from './examples/credential.js';
import * as evidence from './examples/evidence.js';
import * as handover from './examples/handover.js';
import * as legalHold from './examples/legal-hold.js';
import * as request from './examples/request.js';
import * as service from './examples/service.js';
import type { RecordName, RecordOf } from './registry.js';

/** One valid example of every record; the API description shows them, tests start from them. */
export const EXAMPLES: Readonly<{ [Name in RecordName]: RecordOf<Name> }> = {
  ...request,
  ...evidence,
  ...service,
  ...handover,
  ...approval,
  ...credential,
  ...legalHold,
};
