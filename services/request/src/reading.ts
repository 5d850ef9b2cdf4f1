import { withFreshState } from '@countersign/database';
import { withInput } from '@countersign/platform';
import type {
  OperationAnswer,
  BodyWorkers,
  OperationCall,
  OperationHandler,
  ReadBody,
} from '@countersign/platform';
import type { OperationName } from '@countersign/protocol';
import { readBundle } from './bundle-input.js';
import type { BundleInput } from './bundle-input.js';
import type { BodyQuestion } from './body-worker.js';
import { AS_TEXT, readCreation } from './creation-input.js';
import type { CreationInput, Keep } from './creation-input.js';

// Operations whose input may be large: it is read once, however often the step is tried.

type Step<Name extends OperationName, Input> = (
  call: OperationCall<Name, Input>,
) => Promise<OperationAnswer<Name>>;

export function readingBundle<Name extends OperationName>(
  bodies: BodyWorkers,
  step: Step<Name, BundleInput>,
): OperationHandler<Name> {
  return reading(bodies, 'bundle', readBundle, step);
}

export function readingCreation<Name extends OperationName>(
  bodies: BodyWorkers,
  step: Step<Name, CreationInput>,
): OperationHandler<Name> {
  return reading(bodies, 'creation', readCreation, step);
}

function reading<Name extends OperationName, Input extends ReadBody>(
  bodies: BodyWorkers,
  question: BodyQuestion,
  read: (body: string, keep: Keep) => Input,
  step: Step<Name, Input>,
): OperationHandler<Name> {
  const reader = { bodies, question, read: (body: string) => read(body, AS_TEXT) };
  return withInput(reader, (call) => withFreshState(() => step(call)));
}
