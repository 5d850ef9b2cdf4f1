import { Buffer } from './bytes.js';

(globalThis as { Buffer?: unknown }).Buffer = Buffer;
