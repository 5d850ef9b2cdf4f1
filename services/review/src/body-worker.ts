import { answerReadings } from '@countersign/platform/body-job';
import { readProposal } from './proposal-input.js';

// Reads large bodies: what the service's own thread does with small ones.
answerReadings(readProposal);
