import { answerReadings } from '@countersign/platform/body-job';
import { readProposal } from './proposal-input.js';

// Reads large bodies, as the service's own thread reads small ones.
answerReadings(readProposal);
