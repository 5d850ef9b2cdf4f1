import { startPage } from '../start.js';
import { SessionsPage } from './SessionsPage.js';

startPage(<SessionsPage />, { wide: true });
