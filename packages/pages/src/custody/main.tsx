import '../operator/operator.css';
import { startPage } from '../start.js';
import { Custody } from './Custody.js';

startPage(<Custody />, { wide: true });
