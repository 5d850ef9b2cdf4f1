import '../operator/operator.css';
import { takePlace } from '../session/return.js';
import { startPage } from '../start.js';
import { SecurityLog } from './SecurityLog.js';

// An auditor's login leads here; from here it goes on to where the tab was.
const place = takePlace();
if (place !== null && place !== location.pathname + location.search) location.replace(place);
startPage(<SecurityLog />, { wide: true });
