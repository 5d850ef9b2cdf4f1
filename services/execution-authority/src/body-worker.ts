import { answerReadings } from '@countersign/platform/body-job';
import { readOutcomeInput } from './outcome-input.js';

// Reads large bodies, as the service's own thread reads small ones.
answerReadings(readOutcomeInput);
