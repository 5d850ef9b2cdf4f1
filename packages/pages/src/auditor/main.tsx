import '../operator/operator.css';
import { startPage } from '../start.js';
import { Auditor } from './Auditor.js';
import './auditor.css';

startPage(<Auditor />, { wide: true });
