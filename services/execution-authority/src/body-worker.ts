import { answerReadings } from '@countersign/platform/body-job';
import { readOutcomeInput } from './outcome-input.js';

// Reads large bodies: what the service's own thread does with small ones.
answerReadings(readOutcomeInput);
