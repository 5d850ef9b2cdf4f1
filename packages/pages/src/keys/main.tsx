import { startPage } from '../start.js';
import { KeysPage } from './KeysPage.js';
import './keys.css';

startPage(<KeysPage />, { wide: true });
